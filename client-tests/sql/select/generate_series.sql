-- generate_series in FROM.
select * from generate_series(1, 5) order by 1;
select * from generate_series(1, 5) as g order by g;
select g from generate_series(1, 5) g order by g;
select g.g, g.g + 1 from generate_series(1, 3) g order by 1;
select x from generate_series(1, 3) as t (x) order by x;
select t.x, t.* from generate_series(1, 3) as t (x) order by 1;
select generate_series from generate_series(2, 4) order by 1;
select generate_series.generate_series from generate_series(2, 4) order by 1;
select * from pg_catalog.generate_series(1, 2) order by 1;
select * from generate_series(1, 10, 3) order by 1;
select * from generate_series(10, 1, -3) order by 1;
select * from generate_series(5, 1);
select * from generate_series(1, 5, -1);
select * from generate_series(3, 3, 7);
select * from generate_series(3, 3, -7);
select * from generate_series(null, 3);
select * from generate_series(1, null);
select * from generate_series(1, 3, null);
select count(*) from generate_series(null::bigint, 3);
select * from generate_series(2147483645, 2147483647) order by 1;
select * from generate_series(2147483640, 2147483647, 5) order by 1;
select * from generate_series(-2147483648, -2147483646) order by 1;
select * from generate_series(-2147483647, -2147483648, -1) order by 1;
select * from generate_series(-2147483648, 2147483647, 2147483647) order by 1;
select * from generate_series(9223372036854775805, 9223372036854775807) order by 1;
select * from generate_series(-9223372036854775808, 9223372036854775807, 9223372036854775807) order by 1;
select * from generate_series(9223372036854775807, -9223372036854775808, -9223372036854775807) order by 1;
select * from generate_series(1::smallint, 3::smallint) order by 1;
select * from generate_series(1, 3::bigint) order by 1;
select * from generate_series('1', 3) order by 1;
select * from generate_series(1::bigint, '3') order by 1;
-- numeric
select * from generate_series(1.0, 3) order by 1;
select * from generate_series(1, 3, 0.5) order by 1;
select * from generate_series(1, 3.75, 0.25) order by 1;
select * from generate_series(3, 1, -0.7) order by 1;
select * from generate_series(0.1, 4.0, 1.3) order by 1;
select * from generate_series(4.0, -1.5, -2.2) order by 1;
select * from generate_series(1.10, 1.30, 0.1) order by 1;
select * from generate_series(123456789012345678901234567890.5, 123456789012345678901234567893) order by 1;
select * from generate_series(-0.5, 0.5, 0.5) order by 1;
select * from generate_series(2.5, 1) order by 1;
select * from generate_series(1.5, 1.5) order by 1;
select * from generate_series(null::numeric, 3, 1);
select count(*), sum(x), min(x), max(x) from generate_series(0, 100, 0.01) as t (x);
-- timestamps
select * from generate_series(timestamp '2020-01-01', timestamp '2020-01-05', interval '1 day') order by 1;
select * from generate_series(timestamp '2020-01-01', '2020-01-02', '6 hours') order by 1;
select * from generate_series(timestamp '2020-01-31', timestamp '2020-06-30', interval '1 month') order by 1;
select * from generate_series(timestamp '2020-05-31', timestamp '2019-12-01', interval '-1 month') order by 1;
select * from generate_series(timestamp '2020-01-01', timestamp '2020-03-01', interval '1 month -10 days 12 hours') order by 1;
select * from generate_series(timestamp '2020-01-01', timestamp '2020-01-01 00:00:01', interval '0.3 seconds') order by 1;
select * from generate_series(date '2020-02-27', date '2020-03-02', interval '1 day') order by 1;
select * from generate_series(timestamp '2020-01-02', timestamp '2020-01-01', interval '1 day');
select * from generate_series(timestamp '2020-01-01', null, interval '1 day');
select count(*) from generate_series(timestamp '2000-01-01', timestamp '2020-01-01', interval '1 hour');
select * from generate_series(timestamptz '2020-01-01 00:00+00', timestamptz '2020-01-03 00:00+00', interval '12 hours') order by 1;
select * from generate_series(timestamp '2020-01-01', timestamptz '2020-01-02 00:00+00', interval '12 hours') order by 1;
set timezone = 'Europe/Berlin';
select * from generate_series(timestamptz '2020-03-28 02:30', timestamptz '2020-03-31 02:30', interval '1 day') order by 1;
select * from generate_series(timestamptz '2020-10-24 02:30', timestamptz '2020-10-27 02:30', interval '1 day') order by 1;
select * from generate_series(timestamptz '2020-03-29 00:00', timestamptz '2020-03-29 06:00', interval '1 hour') order by 1;
select * from generate_series(timestamptz '2020-01-31 12:00', timestamptz '2020-06-30', interval '1 month') order by 1;
set timezone = 'UTC';
-- WITH ORDINALITY and ROWS FROM
select * from generate_series(5, 7) with ordinality order by 1;
select * from generate_series(5, 7) with ordinality as t (v, n) order by n;
select v, ordinality from generate_series(5, 7) with ordinality as t (v) order by 1;
select ordinality from generate_series(30, 10, -10) with ordinality order by 1;
select * from rows from (generate_series(1, 3), generate_series(10, 11)) order by 1;
select * from rows from (generate_series(1, 2), generate_series(10, 13), generate_series(0.5, 2)) as t (a, b, c) order by b;
select * from rows from (generate_series(1, 3), generate_series(10, 11)) with ordinality order by ordinality;
select * from rows from (generate_series(1, 3), generate_series(5, 4)) as t (a, b) order by a;
select * from rows from (generate_series(1, 0), generate_series(5, 4)) as t (a, b);
select a, b from rows from (generate_series(1, 3), generate_series(null::integer, 4)) as t (a, b) order by a;
select * from rows from (generate_series(timestamp '2020-01-01', timestamp '2020-01-03', interval '1 day'), generate_series(1, 2)) as t (at, n) order by at;
select * from rows from (generate_series(1, 3)) as t (a) order by 1;
select sum(a), count(b), count(*) from rows from (generate_series(1, 300000), generate_series(1, 7)) as t (a, b);
-- Among other operators.
select count(*), sum(g), min(g), max(g) from generate_series(1, 1000000) g;
select count(*) from generate_series(1, 10) a, generate_series(1, 20) b;
select a, b from generate_series(1, 3) a cross join generate_series(1, 2) b order by 1, 2;
select a.x, b.x from generate_series(1, 6) as a (x) join generate_series(2, 12, 2) as b (x) on a.x = b.x order by 1;
select a.x, b.x from generate_series(1, 6) as a (x) left join generate_series(2, 12, 2) as b (x) using (x) order by 1;
select x, b.n from generate_series(1, 4) as a (x) natural left join (values (1, 'one'), (3, 'three')) as b (x, n) order by 1;
select g % 10 as k, count(*), sum(g) from generate_series(1, 100000) g group by 1 order by 1;
select distinct g / 3 from generate_series(1, 10) g order by 1;
select g from generate_series(1, 100) g order by g desc limit 3 offset 2;
select g from generate_series(1, 20) g where g % 7 = 0 or g > 18 order by g;
select (select count(*) from generate_series(1, 5)), (select sum(x) from generate_series(1, 4) as t (x));
select g from generate_series(1, 10) g where g in (select h * 2 from generate_series(1, 3) h) order by g;
select g from generate_series(1, 10) g where exists (select 1 from generate_series(4, 6) h where h = g) order by g;
select g, (select count(*) from generate_series(1, 10) h where h = g) from generate_series(9, 12) g order by g;
with s as (select g * g as q from generate_series(1, 5) g) select sum(q), max(q) from s;
select * from (select g, g * 2 as d from generate_series(1, 3) g) as s order by 1;
select case when g % 2 = 0 then null else g end as v from generate_series(1, 5) g order by 1;
select repeat('x', g) from generate_series(0, 4) g order by 1;
create table filled (id integer primary key, v text, at timestamp);
insert into filled select g, 'row ' || g, timestamp '2020-01-01' + g * interval '1 hour' from generate_series(1, 20000) g;
select count(*), sum(id), min(v), max(at) from filled;
update filled set v = 'changed' from generate_series(10, 12) g where id = g;
delete from filled using generate_series(1, 20000, 2) g where id = g;
select count(*), count(*) filter (where v = 'changed'), min(id) from filled;
select g, v from generate_series(1, 4) g left join filled on id = g order by g;
-- Functions that return one row.
select * from abs(-3);
select x from upper('a') as x;
select t.x + 1 from length('abc') as t (x);
select * from round(2.567, 1) as r, lower('ABC') as l;
-- Errors.
-- message
select * from generate_series(1, 5, 0);
-- message
select * from generate_series(1::bigint, 5, 0);
-- message
select * from generate_series(1.0, 5, 0);
-- message
select * from generate_series('NaN'::numeric, 5, 1);
-- message
select * from generate_series(1, 'NaN'::numeric, 1);
-- message
select * from generate_series(1, 2, 'NaN'::numeric);
-- message
select * from generate_series('-Infinity'::numeric, 5, 1);
-- message
select * from generate_series(1, 'Infinity'::numeric, 1);
-- message
select * from generate_series(1, 2, 'Infinity'::numeric);
-- message
select * from generate_series(timestamp '2020-01-01', timestamp '2020-01-02', interval '0');
-- message
select * from generate_series(timestamptz '2020-01-01', timestamptz '2020-01-02', interval '1 month -30 days');
-- message position
select * from generate_series(1);
-- message position
select * from generate_series();
-- message position
select * from generate_series(1, 2, 3, 4);
-- message position
select * from generate_series('a', 3);
-- message position
select * from generate_series(true, false);
-- message position
select * from generate_series(timestamp '2020-01-01', timestamp '2020-01-02');
-- message position
select * from generate_series('1', '2');
-- message position
select * from no_such_function(1, 2);
-- message position
select * from generate_series(1, nothing);
-- message position
select * from generate_series(1, count(*));
-- message
select * from generate_series(1, 2) as g (a, b);
-- message position
select g.x from generate_series(1, 2) as g;
-- message
select * from generate_series(1, 1 / 0);
-- message
select * from generate_series(1, 2) g, generate_series(1, 2) g;
