-- file: message
-- Aggregates of a query around the one that they stand in, with subqueries in their arguments.
create table inner_rows (a integer primary key, b integer);
insert into inner_rows select i, i * 2 from generate_series(1, 10) i;
select (select max((select i.b from inner_rows i where i.a = o.a))) from inner_rows o;
select (select max((select i.b from inner_rows i where i.a = o.a)) filter (where o.a < 5)) from inner_rows o;
select (select sum((select count(*) from inner_rows i where i.a <= o.a)) from inner_rows k where k.a = 1) from inner_rows o;
select (select string_agg(o.a::text, ',' order by (select -i.b from inner_rows i where i.a = o.a))) from inner_rows o;
select o.b % 4 as k, (select count((select i.b from inner_rows i where i.a = o.a)) + max(o.a)) from inner_rows o group by o.b % 4 order by 1;
select (select max(o.a) filter (where sum(o.b) > 0) from inner_rows i) from inner_rows o;
select (select max(o.a) filter (where bool_or(o.b > 0)) from inner_rows i) from inner_rows o;
select (select max(o.a + (select count(*) from inner_rows i where i.a = o.b)) from inner_rows k where k.a = 2) from inner_rows o;
select a from inner_rows o order by (select sum(i.a + o.a) from inner_rows i) desc limit 3;
select (with cte (foo) as (values (a)) values ((select foo from cte))) from inner_rows where a = 1;
select (values (1), (2) limit 1), (select 1 as named union select 1);
drop table inner_rows;
create table grouped_rows (id integer primary key, g integer, x integer);
insert into grouped_rows values (1, 1, 5), (2, 1, 7), (3, 2, 1);
create table added_rows (k integer, v integer);
insert into added_rows values (1, 10), (2, 20);
select g, (select sum(max(o.x) + i.v) from added_rows i) from grouped_rows o group by g order by 1;
select g, (select string_agg(i.k::text, max(o.g)::text order by i.k) from added_rows i) from grouped_rows o group by g order by 1;
select g, (select count(distinct i.k + max(o.x)) from added_rows i) from grouped_rows o group by g order by 1;
select sum(max(x)) from grouped_rows;
select g, sum((select max(i.v + o.x) from added_rows i)) from grouped_rows o group by g order by 1;
select g, (select max(sum(o.x)) filter (where i.k > 1) from added_rows i) from grouped_rows o group by g;
drop table grouped_rows, added_rows;
