-- RANGE with an offset over times: days and months of the offset do not count.
create table a (x int, y int, n numeric, t text, tm time);
insert into a select g % 7, g, g / 3.0, 't' || g % 5, time '10:00' + make_interval(mins => g * 37) from generate_series(1, 30) g;
insert into a values (null, null, null, null, null), (1, 100, 1, 't1', '24:00'), (2, 101, 2, 't2', '00:00');
create table b as select * from a where y % 2 = 0 or y is null;
create table c as select * from a where y % 3 = 0 or y is null;
select tm, count(*) over (order by tm range '1 hour' preceding) from a order by tm;
select tm, count(*) over (order by tm range between '1 day 1 hour' preceding and '1 month 2 hours' following) from a order by tm;
select tm, array_agg(y) over (order by tm range between '30 min' following and '3 hours' following exclude current row) from a order by tm, y;
select tm, count(*) over (order by tm range '-1 hour' preceding) from a order by tm;
select tm, count(*) over (order by tm range '-1 day' preceding) from a order by tm;
select tm, count(*) over (order by tm range '-1 day 1 hour' preceding) from a order by tm;
select tm, count(*) over (order by tm range 1 preceding) from a order by tm;
select tm, count(*) over (order by tm range time '01:00' preceding) from a order by tm;
drop table a, b, c;
