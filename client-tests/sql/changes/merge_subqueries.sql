-- MERGE with subqueries in ON.
create table a (x int, y int, n numeric, t text, tm time);
insert into a select g % 7, g, g / 3.0, 't' || g % 5, time '10:00' + make_interval(mins => g * 37) from generate_series(1, 30) g;
insert into a values (null, null, null, null, null), (1, 100, 1, 't1', '24:00'), (2, 101, 2, 't2', '00:00');
create table b as select * from a where y % 2 = 0 or y is null;
create table c as select * from a where y % 3 = 0 or y is null;
create table m (k int, v int, w text);
insert into m select g, g * 10, 'w' || g from generate_series(1, 10) g;
merge into m using (select y k, x v from b) s on m.k = s.k and m.v > (select avg(x) from a) when matched then update set v = s.v when not matched then insert values (s.k, s.v, 'new');
select * from m order by k, v, w;
merge into m using (select y k, x v from c) s on m.k = s.k and exists (select 1 from a where a.y = m.k and a.x = s.v) when matched then delete;
select * from m order by k, v, w;
merge into m using (select y k, x v from c) s on m.k = s.k and m.k in (select a.y from a where a.x > s.v - 1) when matched and m.v > (select min(x) from b where b.x < m.k) then update set w = 'upd' when not matched and s.k > (select avg(y) from a) then insert (k, w) values (s.k, (select max(t) from a where a.x = s.v));
select * from m order by k, v, w;
merge into m using (select y k, x v from c) s on m.k = (select max(y) from b where b.y = s.k) when not matched then do nothing when matched then update set w = w || '!';
select * from m order by k, v, w;
merge into m using m s on m.k = s.k and count(*) > 1 when matched then delete;
drop table a, b, c, m;
