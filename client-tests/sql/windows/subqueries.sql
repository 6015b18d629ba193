-- Subqueries that read window functions.
create table a (x int, y int, n numeric, t text, tm time);
insert into a select g % 7, g, g / 3.0, 't' || g % 5, time '10:00' + make_interval(mins => g * 37) from generate_series(1, 30) g;
insert into a values (null, null, null, null, null), (1, 100, 1, 't1', '24:00'), (2, 101, 2, 't2', '00:00');
create table b as select * from a where y % 2 = 0 or y is null;
create table c as select * from a where y % 3 = 0 or y is null;
select x, row_number() over (order by y) in (select x from b) from a order by y;
select x, sum(x) over (order by y) > (select avg(y) from b) from a order by y;
select x, sum(x) over (order by y) > (select avg(b.y) from b where b.x = a.x) from a order by y;
select x, (select count(*) from b where b.y < sum(a.x) over (order by a.y)) from a;
select x, sum(x) over (order by y) = any (select y from b) from a order by y;
select x, (row_number() over (order by y), x) in (select y, x from b) from a order by y;
select x, sum((select max(b.y) from b where b.x = a.x)) over (order by y) in (select y from c) from a order by y;
select x, sum(y) in (select y from c), rank() over (order by sum(y)) in (select x from b) from a group by x order by 1;
select x from a order by row_number() over (order by y) in (select y from b), y;
select distinct row_number() over (order by y) not in (select y from b where y is not null) from a;
select y, coalesce(lag(x) over (order by y) in (select x from c), false) f, generate_series(1, 2) from a order by y, 3;
select tm, count(*) over (order by tm desc range between '100 hours' preceding and '30 min' following) from a order by tm;
drop table a, b, c;
