-- DISTINCT after GROUP BY takes repeated grouping sets away; of a single one it changes nothing.
create table grouped (a integer, b integer, s text, n numeric(6, 2));
select a from grouped group by distinct a;
select a, count(*) from grouped group by distinct a having count(*) > 0;
insert into grouped values (1, 1, 'x', 1.50), (1, 2, 'y', 2.50), (1, 1, 'x', 1.5), (2, 3, null, null), (null, 4, 'z', 3),
  (null, null, null, null), (null, null, '', 0);
select a from grouped group by distinct a;
select a, b, count(*), sum(n) from grouped group by distinct a, b;
select a, count(*) from grouped group by distinct a, a;
select a, b, count(*) from grouped group by distinct a, b, a, b;
select a as k, max(s) from grouped group by distinct k;
select a % 2, count(s) from grouped group by distinct 1;
select a + b, count(*) from grouped group by distinct a + b, 1;
select count(*) from grouped group by distinct a order by count(*), max(b) nulls first;
select distinct count(*) from grouped group by distinct a, s;
select s, count(distinct n) from grouped group by distinct s having count(distinct n) < 2;
select a from grouped group by all a;
select a, sum(b) from grouped where b > 1 group by distinct a order by a desc nulls last limit 1;
select x.a, count(*) from grouped x join grouped y on x.a = y.a group by distinct x.a, y.a;
select (select count(*) from grouped i where i.a = o.a) as c, count(*) from grouped o group by distinct c;
select count(*) from (select a, b from grouped group by distinct a, b) g;
select a from grouped group by distinct a union all select b from grouped group by distinct b;
-- position
select a, b from grouped group by distinct a;
-- position
select a from grouped group by distinct missing;
-- position
select a from grouped group by distinct 2;
-- position
select a from grouped group by distinct count(*);
select a from grouped group by distinct a for update;
