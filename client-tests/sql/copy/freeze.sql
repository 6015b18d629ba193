-- file: message
-- COPY ... FREEZE: only into what the transaction has made or emptied.
create table cf (a integer, b text);
copy cf from stdin with (freeze);
1	x
\.
begin;
truncate cf;
copy cf from stdin with (freeze on);
1	x
2	y
\.
commit;
select * from cf order by a;
begin;
create table cf_new (a integer);
copy cf_new from stdin (freeze true);
5
\.
savepoint s;
copy cf_new from stdin (freeze true);
6
\.
rollback to s;
copy cf_new from stdin (freeze false);
7
\.
select * from cf_new order by a;
commit;
copy cf to stdout with (freeze);
copy cf from stdin with (freeze, freeze);
copy cf from stdin with (freeze 7);
create table cfp (a integer) partition by range (a);
create table cfp1 partition of cfp for values from (0) to (10);
begin;
truncate cfp;
copy cfp from stdin (freeze);
1
\.
rollback;
begin;
truncate cfp1;
copy cfp1 from stdin (freeze);
1
\.
commit;
select * from cfp;
