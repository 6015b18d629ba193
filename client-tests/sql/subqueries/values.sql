-- Subqueries as values: NULL where there is no row, an error where there are several.
create table o (id integer primary key, k integer, n integer not null, t text, p numeric(10,2));
create table i (id integer primary key, k integer, x integer, s text, d date, p numeric(10,2), f double precision);
create table e (x integer);
insert into o values (1, 1, 10, 'a', 1.50), (2, 2, 20, 'b', 2.00), (3, 3, 30, null, null), (4, null, 40, 'd', 0.25), (5, 1, 50, 'a', 9.99), (6, 9, 60, 'z', 1.50);
insert into i values (1, 1, 5, 'a', '2020-01-01', 1.5, 0.5), (2, 1, 7, 'b', '2020-02-01', 2.25, 'nan'), (3, 2, null, 'c', null, null, null), (4, 2, 3, null, '2019-12-31', 0.25, 1e300), (5, null, 4, 'e', '2021-06-30', 3, -0.0), (6, 3, null, 'a', null, 1.5, 0);
select (select 1);
select (select null);
select (select 'text'), (select 1.50), (select date '2020-01-01');
select (select x from e);
select (select x from e) is null, (select count(*) from e), (select sum(x) from e), (select 1 from e limit 1);
select (select max(x) from i), (select min(s) from i), (select avg(p) from i), (select sum(p) from i);
select id, (select max(x) from i) from o order by id;
select id from o where n > (select avg(n) from o) order by id;
select id from o where n = (select max(n) from o);
select id from o where k = (select k from i where id = 3) order by id;
select id from o where k = (select k from i where id = 5) order by id;
select id from o where k = (select k from i where id = 99) order by id;
-- message
select (select x from i);
-- message
select id from o where k = (select k from i where k = 1);
select (select x from i where id = 1) + (select x from i where id = 2);
select (select (select (select max(x) from i)));
select (select x from i order by x desc nulls last limit 1), (select x from i order by id offset 3 limit 1);
select 1 + (select 2) * (select 3);
select case when (select count(*) from e) = 0 then 'none' else 'some' end;
select coalesce((select x from e), -1), nullif((select 1), 1), greatest((select 1), (select 2));
-- Correlated.
select id, (select max(x) from i where i.k = o.k) from o order by id;
select id, (select count(*) from i where i.k = o.k) from o order by id;
select id, (select count(x) from i where i.k = o.k) from o order by id;
select id, (select sum(x) + count(*) from i where i.k = o.k) from o order by id;
select id, (select coalesce(sum(x), -7) from i where i.k = o.k) from o order by id;
select id, (select count(*) + o.n from i where i.k = o.k) from o order by id;
select id, (select case when count(*) = 0 then 'empty' else o.t end from i where i.k = o.k) from o order by id;
select id, (select min(s) from i where i.k = o.k and i.x is not null) from o order by id;
select id, (select s from i where i.id = o.id) from o order by id;
select id, (select s || o.t from i where i.id = o.id) from o order by id;
select id, (select 'matched' from i where i.id = o.id and x > 4) from o order by id;
select id, (select i.x * o.n from i where i.id = o.id and i.k = o.k) from o order by id;
select id, (select z.y * o.n from (select i.x + o.n as y, i.id from i where i.k = o.k) as z where z.id = o.id) from o order by id;
select id, (select o.n) from o order by id;
select id, (select o.n where o.k = 1) from o order by id;
select id, (select o.n + 1 from e) from o order by id;
-- message
select id, (select x from i where i.k = o.k) from o order by id;
select id, (select x from i where i.k = o.k and x is not null and id < 2) from o order by id;
select id, (select avg(p) from i where i.k = o.k), (select avg(f) from i where i.k = o.k and i.id <> 2) from o order by id;
select id from o where n > (select sum(x) from i where i.k = o.k) order by id;
select id from o where n > (select coalesce(sum(x), 0) from i where i.k = o.k) order by id;
select id from o where 0 = (select count(*) from i where i.k = o.k) order by id;
select id from o where (select count(*) from i where i.k = o.k) between 1 and 2 order by id;
select id from o where p = (select max(p) from i where i.k = o.k) order by id;
select id from o where p < (select 2 * avg(p) from i where i.k = o.k and i.s = o.t) order by id;
select id, (select sum(j.x) from i as j, e where j.k = o.k) from o order by id;
select id, (select sum(a.x) from i as a join i as b on a.k = b.k and a.id < b.id where a.k = o.k) from o order by id;
select id, (select max(y) from (select x + 1 as y, k from i) as z where z.k = o.k) from o order by id;
select id, (select max(c) from (select count(*) as c, k, s from i group by k, s) as z where z.k = o.k) from o order by id;
select id, (select sum(m) from (select max(x) as m from i where i.k = o.k group by s) as z) from o order by id;
select id, (select count(distinct s) from i where i.k = o.k), (select sum(distinct x) from i where i.k = o.k) from o order by id;
select id, (select max(x) from i where i.k + 1 = o.k + 1) from o order by id;
select id, (select max(x) from i where i.k = o.k and i.id = o.id) from o order by id;
select id, (select max(x) from i where i.p = o.p) from o order by id;
select id, (select count(*) from i where i.s = o.t) from o order by id;
-- Two levels, and columns of the outermost query in the innermost.
select id, (select max(x) from i where i.k = o.k and i.x = (select max(x) from i as j where j.k = i.k)) from o order by id;
-- Grouping.
select k, count(*), (select max(x) from i where i.k = o.k) from o group by k order by k;
select k, (select sum(x) from i where i.k = o.k) + count(*) from o group by k order by k;
select k from o group by k having count(*) > (select count(*) from i where i.k = o.k) order by k;
select k from o group by k having sum(n) > (select avg(n) from o) order by k;
select sum((select max(x) from i where i.k = o.k)) from o;
select t, sum((select count(*) from i where i.s = o.t)) from o group by t order by t;
select (select count(*) from i where i.k = o.k) as c, count(*) from o group by 1 order by 1;
select (select count(*) from i where i.k = o.k) as c, count(*) from o group by c order by c;
select max(n) from o group by (select count(*) from i where i.k = o.k) order by 1;
-- Aggregates that belong to the query around.
select (select max(o.n)) from o;
select k, (select max(o.n) from i where i.id = 1) from o group by k order by k;
-- Order, distinct, limit.
select distinct (select count(*) from i where i.k = o.k) from o order by 1;
select id from o order by (select count(*) from i where i.k = o.k) desc, id;
select id from o order by (select max(x) from i where i.k = o.k) nulls first, id limit 3;
-- Derived tables and joins.
select * from (select id, (select max(x) from i where i.k = o.k) as m from o) as z where m > 5 order by id;
select a.id, b.id from o as a join o as b on b.n = (select max(n) from o where k = a.k) order by 1, 2;
select a.id, b.id from o as a left join i as b on a.id = b.id and b.x > (select avg(x) from i) order by 1, 2;
select a.id, b.id from i as b right join o as a on a.id = b.id and b.x > (select avg(x) from i) order by 1, 2;
values ((select 1), (select max(x) from i));
values ((select max(x) from i)) order by 1;
-- Names.
select (select max(x) from i), (select x as named from e), exists (select 1), (select count(*));
