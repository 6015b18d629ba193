-- Errors that arise in a row in the middle of many, with rows before it already computed.
create table run (n integer, s text);
insert into run select a.n * 100 + b.n * 10 + c.n, (a.n * 100 + b.n * 10 + c.n)::text from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as a (n), (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as b (n), (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as c (n);
insert into run values (5000, 'word');
select 1 / (n - 500) from run;
select s::integer from run;
select sum(s::integer) from run;
select n * 1000000 from run;
select n from run where 1 / (n - 500) > 0;
select n, count(*) from run group by n, 1 / (n - 500);
select n from run order by 1 / (n - 500);
select sum(1 / (n - 500)) from run;
select n::smallint * 100::smallint from run;
select (n::numeric / 10)::numeric(3,1) from run;
select date '9999-01-01' + n * 1000000 from run;
select substring(s from 1 for 500 - n) from run;
select a.n from run a join run b on a.n = b.n and 1 / (a.n - 500) > -5;
select count(*), sum(n) from run;
