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
