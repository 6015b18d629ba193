-- A subquery that reads nothing around it is executed when its value is asked for, or not at all: what it does, and the
-- errors that it raises, are seen only then.
create table demand_rows (a integer, b text);
insert into demand_rows values (1, 'x'), (2, 'y'), (3, null);
create table demand_none (a integer);
create table demand_log (n serial, what text);
create sequence demand_steps;
create function demand_note(text) returns integer language plpgsql as $$ begin insert into demand_log (what) values ($1); return length($1); end $$;
create function demand_fail(integer) returns integer language plpgsql as $$ begin raise exception 'asked for %', $1; end $$;

-- CASE and COALESCE
select a, case when a > 5 then (select demand_note('case')) else 0 end from demand_rows order by a;
select a, case when a > 2 then (select demand_note('three')) else 0 end from demand_rows order by a;
select coalesce((select a from demand_rows where b = 'y'), (select demand_note('coalesce')));
select coalesce((select a from demand_rows where b = 'z'), (select demand_note('coalesce z')));
select case when exists (select from demand_rows where a = 9) then (select demand_note('nine')) end;
select case when exists (select from demand_rows where a = 3) then (select demand_note('threes')) end;
select case when a = 1 then (select demand_note('one')) when a = 2 then (select demand_note('two!')) else (select demand_note('other')) end from demand_rows where a < 3 order by a;
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- AND and OR
select a, a > 5 and (select demand_note('and')) > 0 from demand_rows order by a;
select a, a > 0 or (select demand_note('or')) > 0 from demand_rows order by a;
select a, a > 1 or (select demand_note('or 1')) > 0 from demand_rows order by a;
select a, (a > 5 and (select demand_note('and in or')) > 0) or a = 2 from demand_rows order by a;
select a from demand_rows where a > 0 or (select demand_note('where or')) > 0 order by a;
select a from demand_rows where a > 2 or (select demand_note('where or 2')) > 0 order by a;
select a from demand_rows where a > 5 and (select demand_note('where and')) > a order by a;
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- no row asks
select (select demand_note('nobody')) from demand_none;
select (select demand_note('nobody')) from demand_rows where a > 5;
select max(a), (select demand_note('group')) from demand_none;
select a, (select demand_note('group of none')) from demand_none group by a;
select a, (select demand_note('having')) from demand_rows group by a having a > 1 order by a;
select (select demand_note('limited')) from demand_rows limit 0;
select exists (select demand_note('exists')) from demand_none;
select a in (select demand_note('in')) from demand_none;
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- once, however many rows ask
select a, (select demand_note('once')) from demand_rows order by a;
select a, (select nextval('demand_steps')) from demand_rows order by a;
select a, case when a > 1 then (select nextval('demand_steps')) end from demand_rows order by a;
select nextval('demand_steps');
select a, case when a > 1 then (select nextval('demand_steps')) end from demand_none;
select nextval('demand_steps');
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- subqueries in subqueries
select case when a > 5 then (select case when true then (select demand_note('inner')) end) end from demand_rows;
select case when a = 2 then (select case when false then (select demand_note('inner f')) else (select demand_note('inner t')) end) end from demand_rows order by a;
select case when a > 5 then (select max(n) from (select demand_note('derived') as n from demand_rows) as q) end from demand_rows;
select case when a > 5 then (with w as (select demand_note('with') as n) select n from w) end from demand_rows;
select case when a > 5 then (with w as (select demand_note('with twice') as n) select x.n from w as x, w as y) end from demand_rows;
select case when a = 3 then (with w as (select demand_note('with three') as n) select x.n from w as x, w as y) end from demand_rows order by a;
select case when a > 5 then (select q.n from (select demand_note('outer') as n) as q where exists (select from demand_rows as r where r.a = q.n)) end from demand_rows;
select a, (select case when r.a > 5 then (select demand_note('of a row')) end from demand_rows as r where r.a = o.a) from demand_rows as o order by a;
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- changes
insert into demand_none select case when a > 5 then (select demand_note('insert')) else a end from demand_rows;
update demand_rows set b = case when a > 5 then (select demand_note('update'))::text else b end;
update demand_rows set b = b where a > 5 and (select demand_note('update where')) > a;
delete from demand_none where a > 2 or (select demand_note('delete')) > 100;
select * from demand_none order by a;
select what, count(*) from demand_log group by what order by what;
truncate demand_log;

-- errors
select case when a > 5 then (select 1 / (a - a) from demand_rows where a = 1) else 0 end from demand_rows order by a;
select case when a > 2 then (select 1 / (r.a - 1) from demand_rows as r where r.a = 1) else 0 end from demand_rows order by a;
select coalesce(a, (select r.a from demand_rows as r)) from demand_rows order by 1;
select coalesce(b, (select r.b from demand_rows as r)) from demand_rows order by 1;
select (select 1 / a from demand_rows where a = 0), (select 1 / (a - 1) from demand_rows where a = 1) from demand_none;
select a from demand_none where a = (select 1 / (r.a - 1) from demand_rows as r where r.a = 1);
select a from demand_rows where (a > 0 or (select 1 / (r.a - 1) from demand_rows as r where r.a = 1) > 0) order by a;
select a from demand_rows where (a > 1 or (select 1 / (r.a - 1) from demand_rows as r where r.a = 1) > 0) order by a;
select a, a < 5 or a = (select demand_fail(7)) from demand_rows order by a;
select a, a < 2 or a = (select demand_fail(8)) from demand_rows order by a;
select a, a > 5 and exists (select from demand_rows as r where 1 / (r.a - 1) > 0) from demand_rows order by a;
select a, a > 5 and o.a = (select 1 / (r.a - r.a) from demand_rows as r where r.a = o.a) from demand_rows as o order by a;
select a, a > 2 and o.a = (select 1 / (r.a - r.a) from demand_rows as r where r.a = o.a) from demand_rows as o order by a;
select o.a, q.v from demand_rows as o, lateral (select case when r.a > 5 then (select 1 / (o.a - o.a)) else r.a end as v from demand_rows as r) as q order by 1, 2;
select o.a, q.v from demand_rows as o, lateral (select case when r.a > 2 then (select 1 / (o.a - 3)) else r.a end as v from demand_rows as r where r.a >= o.a) as q order by 1, 2;
select count(*) from demand_rows where a > 5 and (select 1 / (r.a - 1) from demand_rows as r where r.a = 1) > a;
select a, case when a > 5 then (select cast(r.b as integer) from demand_rows as r where r.a = 1) end from demand_rows order by a;
update demand_rows set b = case when a > 5 then (select 1 / (a - a))::text else b end;
insert into demand_none select coalesce(a, (select r.a from demand_rows as r)) from demand_rows;
select * from demand_none order by a;
select * from demand_rows order by a;

-- What aggregates raise, too: for rows of a correlated subquery that no row around has, or that CASE does not ask for.
create table demand_groups (k integer, n integer, t text[], d double precision);
insert into demand_groups select g, g % 3, array['x'], 1e308 from generate_series(1, 50) g;
select (select array_agg(nullif(i.t, i.t)) from demand_groups i where i.n = o.n) from demand_groups o where o.k = 100;
select (select cardinality(array_agg(distinct nullif(i.t, i.t))) from demand_groups i where i.n = o.n) from demand_groups o where o.k = 100;
select (select sum(i.d) from demand_groups i where i.n = o.n) from demand_groups o where o.k = 100;
select (select avg(i.d) from demand_groups i where i.n = o.n) is null from demand_groups o where o.k > 100;
select (select array_agg(nullif(i.t, i.t)) from demand_groups i where i.n = o.n) from demand_groups o where o.k = 10;
select o.k, min((select cardinality(array_agg(nullif(i.t, i.t))) from demand_groups i where i.n = o.n)) from demand_groups o where o.k = 100 group by o.k;
select case when o.k > 1000 then (select cardinality(array_agg(nullif(i.t, i.t))) from demand_groups i where i.n = o.n) end from demand_groups o where o.k = 10;
select case when o.k > 1000 then (select cardinality(array_agg(distinct nullif(i.t, i.t))) from demand_groups i where i.n = o.n) else o.k end from demand_groups o where o.k < 4 order by 1;
select case when o.k > 1 then (select sum(i.d) from demand_groups i where i.n = o.n and i.k > 49) end from demand_groups o where o.k < 4 order by o.k;
select case when o.k = 5 then (select percentile_cont(o.k) within group (order by i.d) from demand_groups i where i.n = o.n) else o.k end from demand_groups o where o.k < 4 order by o.k;
drop table demand_groups;
drop function demand_note(text);
drop function demand_fail(integer);
drop table demand_rows, demand_none, demand_log;
drop sequence demand_steps;
