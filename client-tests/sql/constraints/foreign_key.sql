-- file: message detail position
-- Rows must refer to rows that are there at the end of the statement.
create table p (id integer primary key, a integer, b text, unique (a, b));
create table c (id integer primary key, p integer references p, a integer, b text, foreign key (b, a) references p (b, a));
create table f (a integer, b text, foreign key (a, b) references p (a, b) match full);
insert into c values (1, 1, null, null);
insert into p values (1, 10, 'x'), (2, 20, 'y'), (3, null, 'z'), (4, 40, null);
insert into c values (1, 1, null, null), (2, 2, 20, 'y'), (3, null, 20, null), (4, null, null, 'nobody');
insert into c values (5, 1, 10, 'y');
insert into c values (5, 1, null, 'z'), (6, 9, 10, 'y'), (7, 8, 1, 'y');
insert into c values (5, 3, null, 'z');
insert into c select 10 + g.id, g.id, g.a, g.b from p g;
insert into c select 20 + g.id, g.id + 1, g.a, g.b from p g order by id;
insert into f values (10, 'x'), (null, null);
insert into f values (10, null);
insert into f values (null, 'x');
insert into f values (10, 'y');
update f set b = null;
update f set b = null, a = null;
update c set p = 7 where id = 1;
update c set p = p where id = 1;
update c set p = 2, a = 20, b = 'y' where id = 1;
update c set a = 10 where id = 1;
update c set p = p + 1 where id >= 10;
update c set p = null where id >= 10;
select * from c order by id;
select * from f order by a;

-- Rows that are referred to.
delete from p where id = 1;
delete from p where id = 2;
delete from p;
update p set id = 5 where id = 1;
update p set id = 5 where id = 2;
update p set id = id;
update p set a = 21 where id = 2;
update p set b = 'yy' where id = 2;
delete from c where a is not null;
delete from c where id in (1, 2);
update p set id = id + 1;
select * from p order by id;
delete from p where id = 2;
select * from p order by id;

-- The old key is there again at the end of the statement, for another row.
create table swap (id integer primary key, v integer);
create table swapped (s integer references swap);
create table restricted (s integer references swap on update restrict on delete restrict);
insert into swap values (1, 10), (2, 20), (3, 30);
insert into swapped values (2);
create table order_open (id integer unique);
create table order_child (o integer references order_open (id) on update restrict);
insert into order_open values (1), (2);
insert into order_child values (2);
delete from order_open where id = 1;
update order_open set id = 1;
select * from swap order by id;
insert into restricted values (3);
delete from swap where id = 3;
update swap set id = 4 where id = 3;
update swap set v = 31 where id = 3;
delete from swap where id = 1;
drop table swapped, restricted, swap, order_child, order_open;

-- Several statements in a transaction.
begin;
insert into p values (100, 1000, 'h');
insert into c values (100, 100, 1000, 'h');
delete from c where id = 100;
delete from p where id = 100;
insert into p values (100, 1000, 'h');
insert into c values (100, 100, 1000, 'h');
savepoint s;
delete from p where id = 100;
rollback to s;
update c set p = 1;
rollback to s;
commit;
select * from c order by id;
begin isolation level repeatable read;
insert into p values (101, 1001, 'i');
insert into c values (101, 101, 1001, 'i');
update p set id = 102 where id = 101;
rollback;
begin isolation level repeatable read;
insert into p values (101, 1001, 'i');
insert into c values (101, 101, 1001, 'i');
delete from c where id = 101;
delete from p where id = 101;
commit;
select * from p order by id;

-- COPY.
create table copied (x integer references p, y integer);
copy copied from stdin;
100	1
100	2
\N	3
\.
copy copied from stdin;
100	1
7	2
8	x
\.
copy copied from stdin;
100	1
7	2
8	3
\.
select * from copied order by y;
copy p from stdin;
200	2000	q
201	2001	q
\.
copy copied (x) from stdin;
200
201
202
\.
drop table copied;

-- Names and texts as they are said.
create table "Big P" ("The Key" varchar(20) primary key);
create table "Big C" ("A" varchar(20) references "Big P");
insert into "Big C" values ('with ''quotes'' and, more');
insert into "Big P" values ('a rather long text');
insert into "Big C" values ('a rather long text');
delete from "Big P";
drop table "Big C", "Big P";
create table dp (d date, t timestamp, i interval, n numeric, r real, bo boolean, by bytea, primary key (d, t, i, n, r, bo, by));
create table dc (d date, t timestamp, i interval, n numeric, r real, bo boolean, by bytea, foreign key (d, t, i, n, r, bo, by) references dp);
insert into dc values ('2020-02-29', '2020-02-29 10:11:12', '1 day 2 hours', 1.50, 0.25, true, '\xff00');
insert into dp values ('2020-02-29', '2020-02-29 10:11:12', '26 hours', 1.5, 0.25, true, '\xff00');
insert into dc values ('2020-02-29', '2020-02-29 10:11:12', '1 day 2 hours', 1.50, 0.25, true, '\xff00');
delete from dp;
update dp set n = 1.500;
update dc set n = 1.500;
delete from dc;
delete from dp;
drop table dc, dp, c, f, p;
