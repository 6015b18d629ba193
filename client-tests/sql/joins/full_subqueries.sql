-- FULL JOIN with subqueries in its condition.
create table a (x int, y int, n numeric, t text, tm time);
insert into a select g % 7, g, g / 3.0, 't' || g % 5, time '10:00' + make_interval(mins => g * 37) from generate_series(1, 30) g;
insert into a values (null, null, null, null, null), (1, 100, 1, 't1', '24:00'), (2, 101, 2, 't2', '00:00');
create table b as select * from a where y % 2 = 0 or y is null;
create table c as select * from a where y % 3 = 0 or y is null;
select p.y, q.y from b p full join c q on p.y = q.y and p.x in (select a.x from a where a.y > 20) order by 1, 2;
select p.y, q.y from b p full join c q on p.y = q.y and exists (select 1 from a where a.y > q.y and a.x = q.x) order by 1, 2;
select p.y, q.y from b p full join c q on p.y = q.y and exists (select 1 from a where a.y > q.y and a.x = q.x) and p.x > (select min(x) from a where a.y <> p.y) order by 1, 2;
select p.y, q.y from b p full join c q on p.y = q.y and (select count(*) from a) > 5 order by 1, 2;
select p.y, q.y from b p full join c q on p.y = q.y and (select count(*) from a) < 5 order by 1, 2;
select p.y, q.y from b p full join c q on p.y = (select max(a.y) from a where a.y = q.y) order by 1, 2;
select y, y2 from b p full join (select y y2 from c) q on y = y2 and y in (select x * 6 from a) full join (select y y3 from a where y < (select avg(y) from a)) r on y3 = y2 order by 1, 2, y3;
drop table a, b, c;
