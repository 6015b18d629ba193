-- Grouping sets: keys that are never NULL below them, constants, and columns that a primary key determines.
create table constant_rows (a integer primary key, b integer not null, c text);
insert into constant_rows select i, i % 3, 'c' || i from generate_series(1, 7) i;
select four, x || 'x' as y, coalesce(x, 'none'), x is null from (select b as four, 'foo'::text as x from constant_rows) as t group by grouping sets (four, x) order by 1, 2;
select b + 1, count(*) from constant_rows group by grouping sets ((b), ()) order by 1;
select case when b > 0 then 'more' else 'less' end, b from constant_rows group by grouping sets ((b), (c), ()) order by 2, 1;
select * from (select 1 as x, a, sum(b) from constant_rows group by grouping sets (1, 2)) ss where x = 1 and a = 3;
select * from (select 1 as x, a, sum(b) from constant_rows group by grouping sets (1, 2)) ss where x is null and a = 3;
select 1 as x, 1 as y, a, sum(b) from constant_rows where a < 3 group by grouping sets (1, 3) order by a;
select count(*), count(k), count(b) from (select 'k' as k, b from constant_rows group by rollup (1, 2)) q;
select 'k' as k, b, count(*) from constant_rows group by k, b order by 2;
select a, c, b, grouping(a) from constant_rows where a < 3 group by grouping sets ((a), (a, b)) order by 1, 3;
select a, c, count(*) from constant_rows where a < 3 group by rollup (a) order by 1;
select a, c from constant_rows group by cube (a, b);
select (select max(k.b + t.b) from constant_rows k) from constant_rows t group by grouping sets ((t.b), ()) order by 1;
select 3::int as k, count(*) from constant_rows group by rollup (3::int) order by 2, 1;
select 'z'::text as k, date '2020-01-01' as d, count(*) from constant_rows group by grouping sets (('z'::text), (date '2020-01-01')) order by 1;
select k from (select 3 as k, a from constant_rows group by rollup (3::int, a)) q where k = 3 order by 1 limit 3;
drop table constant_rows;
