-- GROUPING SETS, ROLLUP, CUBE and GROUPING.
create table s (id integer primary key, a integer, b text, c integer not null, n numeric(10,2));
insert into s values (1, 1, 'x', 10, 1.50), (2, 1, 'y', 20, 2.25), (3, 2, 'x', 30, null), (4, 2, 'y', 40, 4.00), (5, null, 'x', 50, 5.75), (6, 1, null, 60, 6), (7, null, null, 70, 7), (8, 1, 'x', 80, 8.10);
create table none (a integer, b text);
select a, sum(c) from s group by grouping sets ((a), ()) order by 1, 2;
select a, b, sum(c), count(*) from s group by grouping sets ((a), (b)) order by 1, 2, 3;
select a, b, sum(c) from s group by grouping sets ((a, b), (a), ()) order by 1, 2, 3;
select a, b, sum(c) from s group by rollup (a, b) order by 1, 2, 3;
select a, b, sum(c), grouping(a), grouping(b), grouping(a, b), grouping(b, a) from s group by rollup (a, b) order by 1, 2, 3, 4, 5;
select a, b, sum(c), grouping(a, b) from s group by cube (a, b) order by 4, 1, 2, 3;
select a, b, id % 2, count(*), avg(n), min(b), max(c), grouping(a, b, id % 2) as g from s group by cube (a, b, id % 2) order by g, 1, 2, 3;
select a, b, sum(c) from s group by a, rollup (b) order by 1, 2, 3;
select a, b, sum(c) from s group by rollup (a), rollup (b) order by 1, 2, 3;
select a, b, sum(c) from s group by grouping sets (rollup (a), cube (b)) order by 1, 2, 3;
select a, b, sum(c) from s group by grouping sets ((), (), a) order by 1, 2, 3;
select a, b, sum(c) from s group by distinct rollup (a, b), rollup (a) order by 1, 2, 3;
select a, b, sum(c) from s group by all rollup (a, b), rollup (a) order by 1, 2, 3;
select a, b, c % 20, sum(c) from s group by rollup ((a, b), c % 20) order by 1, 2, 3, 4;
select a, sum(c) from s group by () , a order by 1;
select sum(c) from s group by ();
select count(*) from s group by grouping sets ((), ());
select 1 as one from s group by ();
select 1 as one from none group by ();
select count(*), sum(a) from none group by rollup (a) order by 1;
select a, count(*) from none group by cube (a, b) order by 1;
select a, count(*) from none group by grouping sets ((a), (a)) order by 1;
select a, b, count(*) from s group by (a, b) order by 1, 2;
select a + 1, sum(c) from s group by rollup (a + 1) order by 1, 2;
select a + 1, a, sum(c) from s group by rollup (a) order by 2, 3;
select a, sum(a), count(a), count(distinct b), sum(distinct c) from s group by rollup (a) order by 1, 2;
select coalesce(a, -1), coalesce(b, 'all'), sum(c) from s group by rollup (a, b) order by 1, 2, 3;
select case when grouping(a) = 1 then 'total' else coalesce(a::text, 'none') end as k, sum(c) from s group by rollup (a) order by 1, 2;
select a, sum(c) from s group by rollup (a) having sum(c) > 60 order by 1, 2;
select a, b, sum(c) from s group by cube (a, b) having grouping(a, b) in (1, 2) order by 1, 2, 3;
select a, b, sum(c) from s group by rollup (a, b) order by grouping(a), grouping(b), a, b;
select a, b, sum(c) from s group by rollup (a, b) order by 3 desc, 1, 2 limit 3;
select a, sum(c) filter (where b = 'x') from s group by rollup (a) order by 1, 2;
select a as k, sum(c) from s group by rollup (k) order by 1, 2;
select a, sum(c) from s group by rollup (1) order by 1, 2;
select a, b, sum(c), rank() over (partition by grouping(a, b) order by sum(c) desc) from s group by rollup (a, b) order by 1, 2, 3;
select a, sum(sum(c)) over (order by grouping(a), a) from s group by rollup (a) order by 1, 2;
select * from (select a, b, sum(c) as t from s group by rollup (a, b)) as q where a = 1 order by 1, 2, 3;
select * from (select a, b, sum(c) as t from s group by rollup (a, b)) as q where a is null order by 1, 2, 3;
select * from (select a, b, sum(c) as t from s group by cube (a, b)) as q join s on s.a = q.a and s.id < 3 order by 1, 2, 3, 4;
select a, sum(c) from (select * from s where c > 20) as q group by rollup (a) order by 1, 2;
select s.a, t.b, count(*) from s join s as t on s.a = t.a where s.c > 10 group by cube (s.a, t.b) order by 1, 2, 3;
select distinct grouping(a) from s group by rollup (a) order by 1;
select grouping(a), a from s group by a order by 2;
select grouping(a, b), a, b from s group by a, b order by 2, 3;
select (select max(t) from (select sum(c) as t from s group by rollup (a)) as q), count(*) from s;
select a, (select count(*) from s as t where t.a = s.a) from s group by rollup (a) order by 1, 2;
select a, b, sum(c) from s group by rollup (a, b) union all select null, 'end', 0 order by 1, 2, 3;
with t as (select a, b, sum(c) as c from s group by cube (a, b)) select count(*), sum(c) from t;
with t as (select * from s) select a, sum(c) from t group by rollup (a) union all select 0, count(*) from t order by 1, 2;
select a, stddev(c), bool_or(c > 20) from s group by rollup (a) order by 1, 2;
select id, a, sum(c) from s group by id, a order by id;
select x % 10, x % 3, count(*), sum(x) from generate_series(1, 10000) as g (x) group by cube (x % 10, x % 3) order by 1, 2, 3, 4;
select count(*), sum(n) from (select x % 1000 as k, x % 7, count(*) as n from generate_series(1, 20000) as g (x) group by rollup (1, 2)) as q;
-- message position
select a, b from s group by rollup (a);
-- message position
select id, b from s group by rollup (id);
-- message position
select grouping(b) from s group by a;
-- message position
select grouping(a) from s;
-- message position
select a from s where grouping(a) = 1 group by a;
-- message position
select a from s group by grouping(a);
-- message position
select sum(grouping(a)) from s group by a;
-- message position
select a from s group by rollup (no_such);
-- message position
select a from s group by rollup (sum(c));
-- message position
select a from s group by cube (a, 5);
-- message
select a from s group by rollup (a) for update;
-- message position
insert into s values (grouping(1));
select a, count(*) from s group by rollup (a) order by 1, 2;
