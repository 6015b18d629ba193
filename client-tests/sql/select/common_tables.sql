-- WITH: names that hide tables, columns, several references, tables within tables.
create table a (id integer primary key, k integer, s text);
insert into a values (1, 10, 'x'), (2, 10, 'y'), (3, 20, null), (4, null, 'z');
with w as (select 1 as x) select * from w;
with w as (select * from a) select w.id, w.k from w where k = 10 order by 1;
with w (p, q) as (select id, k from a) select p, q, s from w, a where a.id = w.p order by 1;
with w (p) as (select id, k from a) select * from w order by 1;
with v as (select id, k from a where k is not null), w as (select k, count(*) as c from v group by k) select * from w order by k;
with v as (select id, k from a) select x.id, y.id from v as x join v as y on x.k = y.k and x.id < y.id;
with v as (select id, k from a) select id from v where k = (select max(k) from v) order by 1;
with a as (select 7 as id) select * from a;
with a as (select id + 100 as id from a) select * from a order by 1;
with w as (select id from a) select * from (with w as (select id * 2 as id from w) select * from w) as z order by 1;
with w as (select id from a) select (with v as (select max(id) as m from w) select m from v);
select (with w as (select a.k + 1 as n) select n from w) from a order by 1;
select id from a where exists (with w as (select k from a as b where b.id <> a.id) select * from w where w.k = a.k) order by 1;
with w as materialized (select 1 as x), v as not materialized (select x + 1 as y from w) select * from w, v;
with w as (values (1, 'a'), (2, 'b')) select * from w order by 1;
with w (n, t) as (values (1, 'a'), (2, 'b')) select t from w order by n desc;
with w as (select 1) select 2;
with w as (select id from a order by id desc limit 2) select * from w order by 1;
with w as (select s from a) select coalesce(s, 'none') as c, count(*) from w group by c order by c;
insert into a with w as (select 5 as n) select n, n * 10, 'w' from w;
insert into a select * from (with w as (select 6 as n) select n, n * 10, 'v' from w) as z;
select * from a order by id;
values (1) order by 1;
-- message position
with w as (select 1), w as (select 2) select * from w;
-- message position
with w (p, q) as (select 1) select * from w;
-- message position
with w as (select nothing from a) select 1;
-- message position
with w as (select * from v), v as (select 1) select * from w;
-- message position
with w as (select 1 as x) select * from public.w;
-- message position
select * from w;
-- message position
with w as (select 1 as x) select v.x from w;
create sequence q;
with w as (select nextval('q') as n) select n, n from w;
with w as (select nextval('q') as n) select 1;
select currval('q');
drop sequence q;
