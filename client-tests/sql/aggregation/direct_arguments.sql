-- Ordered-set aggregates whose arguments before WITHIN GROUP read grouped columns.
-- file: detail
create table a (x int, y int, n numeric, t text);
insert into a select g % 4, g, g / 3.0, 't' || g % 5 from generate_series(1, 30) g;
insert into a values (null, null, null, null), (null, 7, 1, 't1');
select x, percentile_cont(x / 4.0) within group (order by y) from a group by x order by x;
select x, percentile_disc(x / 4.0) within group (order by t) from a group by x order by x;
select x, percentile_cont(array[x / 4.0, 0.5, null]::float8[]) within group (order by n) from a group by x order by x;
select x, rank(x) within group (order by y) , dense_rank(x * 3) within group (order by y desc), percent_rank(x + 5) within group (order by y), cume_dist(x + 5) within group (order by y) from a group by x order by x;
select x, t, rank(x, t) within group (order by y, t desc) from a group by x, t order by x, t;
select x % 2 p, rank(x % 2 + 3) within group (order by y) from a group by x % 2 order by 1;
select x, rank(x) within group (order by y), percentile_disc(0.25 * coalesce(x, 2)) within group (order by y) from a group by rollup (x) order by x;
select x, t, percentile_cont(coalesce(x, 1) / 4.0) within group (order by y) filter (where y > 3) from a group by cube (x, t);
select percentile_cont(x / 4.0) within group (order by y) from a;
select x, rank(y) within group (order by y) from a group by x;
select rank(x) within group (order by x) from generate_series(1, 5) x;
select p, percentile_cont(p) within group (order by x::float8) from generate_series(1, 5) x, (values (0::float8), (0.1), (0.25), (0.4), (0.5), (0.6), (0.75), (0.9), (1)) v (p) group by p order by p;
select x, percentile_cont(x) within group (order by y) from a where x = 3 group by x;
select x from a group by x having rank(x) within group (order by y) > 1 order by percentile_disc(x / 10.0) within group (order by y);
select x, (select percentile_disc(a.x / 4.0) within group (order by b.y) from a b where b.x = a.x) from a group by x order by x;
select x, (select rank(a.x) within group (order by b.y) from a b where b.x > a.x) from a group by x order by x;
create table k (id int primary key, f float8, v int);
insert into k select g, g / 10.0, g * 3 % 7 from generate_series(1, 9) g;
select id, percentile_cont(f) within group (order by v + id) from k group by id order by id;
select array(select percentile_disc(z) within group (order by x) from (values (0.3), (0.7)) v (z) group by z) from generate_series(1, 5) g (x);
drop table a, k;
