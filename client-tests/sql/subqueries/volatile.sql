-- What is volatile in a correlated subquery is computed for each row around it; what is not correlated, once.
create table u (x integer);
insert into u values (1), (2), (3), (3);
create sequence s;
select x, (select nextval('s') where x > 0) from u;
select x, (select nextval('s') where x > 1) from u;
select x, q.n from u, lateral (select nextval('s') as n where x > 1) q;
select x, q.n from u left join lateral (select nextval('s') as n where x > 1) q on true;
select x, exists (select nextval('s') where x > 1) from u;
select x, (select nextval('s')) - currval('s') from u;
select count(distinct r) from (select (select random() where x > 0) as r from u) q;
select count(distinct r) from (select (select y from (select random() as y) v where x > 0) as r from u) q;
select count(distinct r) from (select (select sum(y + random()) from generate_series(1, 2) y where x > 0) as r from u) q;
select count(distinct r) from u, lateral (select random() + x as r from generate_series(1, 2) limit 1) q;
select count(distinct r) from u, lateral (select random() + x as r from generate_series(1, 2) order by 1 limit 1) q;
select count(distinct r) from u, lateral (select random() as r from u v where v.x <= u.x limit 1) q;
select count(distinct r) from (select (select g from generate_series(1, 100000) g where g > x order by random() limit 1) as r from u) q;
select count(distinct r) from (select (select avg(g) from generate_series(1, 10000) g where g > x and random() < 0.5) as r from u) q;
select count(distinct r) from (select (select max((select random() from generate_series(1, v.x) limit 1)) from u v where v.x = u.x) as r from u) q;
select count(distinct r) from (select (select max(r) from (select random() as r from u v offset 0) w where u.x > 0) as r from u) q;
select count(distinct r) from (select (select random() + (select random() from u limit 1) * 0 where g > 0) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select (select random() from u limit 1) * 1 where g > 0) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (with c as materialized (select random() as r) select r from c where g > 0) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (with c as materialized (select random() as r where g > 0) select r from c) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select random() union all select 5 where g > 700) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select min(a.r) from (select random() as r union select random() + 1) a where g > 0) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select max(a.r) from (select random() as r union select random() + 1 except select g) a) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select a.r from (values (random()), (random())) a (r) where g > 0 limit 1) as r from generate_series(1, 100) g) q;
select count(distinct r) > 10 from (select (select count(*) from generate_series(1, 300) h left join u on random() < 0.5 and u.x = h % 4 where g > 0) as r from generate_series(1, 100) g) q;
select count(distinct r) from (select (select unnest(array[random(), 2]) where g > 0 limit 1) as r from generate_series(1, 100) g) q;
-- Conditions see the value that comes out.
select count(*) from u, generate_series(1, 200) g, lateral (select * from (select random() * 10 + x as r) q where r > x + 5) w where w.r <= x + 5;
-- Within subqueries that look at rows only.
select count(*) between 1 and 999 from generate_series(1, 1000) g where exists (select from u where random() < 0.3 and u.x = g % 4);
select count(*) between 1 and 999 from generate_series(1, 1000) g where g % 4 in (select (random() * 3)::integer where g > 0);
-- Each working row of a recursion has its own.
with recursive w as (select g as walker, 1 as step, 1 as node from generate_series(1, 100) g
  union all select walker, step + 1, n from w, lateral (select n from generate_series(1, 10) n where n <> node order by random() limit 1) q where step < 4)
select step, count(*), count(distinct node) > 3 from w group by step order by step;
with recursive w as (select x, 0::bigint as n, 1 as step from u union all select x, (select nextval('s') where x > 0), step + 1 from w where step < 3) select x, count(distinct n) from w where step > 1 group by x order by x;
-- In changes.
update u set x = (select (random() * 1000000000)::integer + 10 where x > 0);
select count(distinct x) from u;
insert into u select (select (random() * 1000000000)::integer + 10 where g > 0) from generate_series(1, 10) g;
select count(distinct x) from u;
drop table u;
drop sequence s;
-- Rows of functions come in their order where a window or LIMIT counts them.
select x, (select string_agg(v::text || '.' || n, ',' order by n) from (select v, row_number() over () as n from unnest(array[9, 8, 7, x, 5, 4, 3, 1, 2, 2, 5, 9, 33, 12, 8, 5, 1, 2, 5, 6, 3, 44, 7]) v) q) from generate_series(1, 4) x;
select x, v, n from generate_series(1, 4) x, lateral (select v, row_number() over () as n from generate_series(100, 1, -1) v where v > x limit 20) q order by x, n;
select x, array(select v from generate_series(100, 1, -1) v where v > x limit 20) from generate_series(1, 4) x;
-- Nested ones are computed for the rows that there are, not for all combinations.
create table o (id int, g int);
insert into o select i, i / 10 from generate_series(1, 300) i;
create sequence s2;
select sum(r) from (select (select sum((select count(nextval('s2')) from o z where z.id = i.id)) from o i where i.g = o.g) r from o) q;
select nextval('s2');
select sum(r) from (select (select sum((select count(nextval('s2')) from o z where z.id = i.id and z.g = o.g)) from o i where i.g = o.g) r from o) q;
select nextval('s2');
select count(*) from o where exists (select from o i where i.g = o.g and exists (select from o z where z.id = i.id and z.id = o.id and nextval('s2') > 0));
select count(*) from o where id in (select i.id from o i where i.g = o.g and i.id in (select z.id + (random() * 0)::int from o z where z.g = i.g and z.id = o.id));
select count(*) from o where id not in (select i.id from o i where i.g = o.g and i.id not in (select z.id + (random() * 0)::int from o z where z.g = i.g and z.id = o.id));
select sum(r) from (select (select sum(i.id + (select sum(z.id + (random() * 0)::int) from o z where z.g = i.g and z.id < o.id)) from o i where i.g = o.g) r from o) q;
select count(*), sum(r) from (select (select sum(i.id + (select (random() * 0)::int + sum(z.id) + (select max(y.id) from o y where y.g = z.g and y.id < o.id ) from o z where z.g = i.g group by z.g)) from o i where i.g = o.g) r from o) q;
select count(*), sum(q.n * 0) from o, lateral (select w.n from o i left join lateral (select count(nextval('s2')) as n from o z where z.id = i.id and z.g = o.g) w on true where i.g = o.g) q;
select count(distinct r) from (select id, (select max((select max(random()) from o z where z.id = i.id and z.g = o.g)) from o i where i.g = o.g) r from o) q;
drop table o;
drop sequence s2;
