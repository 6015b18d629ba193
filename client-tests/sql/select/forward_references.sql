-- file: message position
-- Queries of WITH RECURSIVE that read later ones.
create table t (id integer, parent integer);
insert into t values (1, null), (2, 1), (3, 2), (4, 1);
with recursive b as (select * from c), c as (select 1 as x) select * from b;
with recursive b as (select x + 1 as y from c), c as (select x + 1 as x from d), d as (select 1 as x) select b.y, c.x, d.x from b, c, d;
with recursive top as (select id from tree where depth = 2), tree as (select id, 1 as depth from t where parent is null union all select t.id, depth + 1 from t join tree on t.parent = tree.id) select * from top order by 1;
with recursive tree as (select id from roots union all select t.id from t join tree on t.parent = tree.id), roots as (select id from t where parent is null) select * from tree order by 1;
with recursive tree as (select 1 as id union all select s.id from steps as s join tree on s.parent = tree.id), steps as (select * from t where id > 1) select * from tree order by 1;
with recursive b as (select * from c), c as (select * from b) select 1;
with recursive a as (select 1), b as (select * from c), c as (select * from d), d as (select * from b) select 1;
with recursive b as (select * from c union all select * from b), c as (select 1) select * from b limit 3;
with recursive b (x) as (select * from c union all select x + 1 from b where x < 3), c as (select 1) select * from b order by 1;
with recursive b as (select * from c), c as (select * from nothing) select 1;
with recursive b as (select (select max(x) from c where c.x <= t.id) as m from t), c (x) as (select id * 2 from t) select * from b order by 1;
with recursive b as not materialized (select * from c), c as not materialized (select id from t) select count(*) from b, b as again, c;
with recursive b as (with recursive inside as (select * from c) select * from inside), c as (select 7 as x) select * from b;
with recursive b as (select * from c), c as (with b as (select 5 as x) select * from b) select * from b;
with b as (select * from c), c as (select 1) select * from b;
with recursive b as (select * from changed), changed as (insert into t values (9, 9) returning id) select * from b;
with recursive b as (select * from c), c as (select (select x from b) as x) select * from b;
select * from t order by id;
with recursive x as (select * from z), y (n) as (select 1 union all select n + 1 from y where n < 3), z as (select sum(n) as s from y) select * from x;
with recursive x (i) as (select 1 union all select i + 1 from y where i < 3), y (i) as (select * from x) select * from x;
