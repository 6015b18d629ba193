-- Rows that are changed through views.
-- file: message
create table uv_base (id integer primary key, name text default 'unnamed', amount integer check (amount >= 0), hidden integer default 7);
insert into uv_base values (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, 'd', 40);
create view uv_plain as select id, name, amount from uv_base where amount > 10;
insert into uv_plain values (5, 'e', 50);
insert into uv_plain (name, id) values ('f', 6);
insert into uv_plain (id, amount) values (7, 5) returning *;
insert into uv_plain select 8, 'h', 80 returning id, name, amount * 2 as twice;
insert into uv_plain default values;
insert into uv_plain values (9, default, default);
insert into uv_plain (id, nosuch) values (1, 1);
insert into uv_plain (id, id) values (1, 1);
insert into uv_plain values (1, 'x', 3);
insert into uv_plain values (10, 'x', -3);
insert into uv_plain values (10, 'x', 1, 2);
insert into uv_plain (id, name) values (10);
select * from uv_base order by id;
update uv_plain set name = name || '!' where id < 6 returning id, name;
update uv_plain set amount = amount + 1, name = default where amount > 40 returning *;
update uv_plain as p set amount = 100 from uv_base b where b.id = p.id and b.name = 'c!' returning p.id, p.amount, b.amount;
update uv_plain set nosuch = 1;
update uv_plain set hidden = 1;
update uv_plain set id = 1 where id = 2;
delete from uv_plain where amount = 100 returning *;
delete from uv_plain p using uv_base b where b.id = p.id and b.id = 4;
delete from uv_plain where id = 1;
select * from uv_base order by id;
-- Columns that are computed.
create view uv_computed (key, label, twice) as select id, upper(name), amount * 2 from uv_base;
insert into uv_computed (key) values (20) returning *;
-- detail
insert into uv_computed (key, twice) values (21, 1);
insert into uv_computed values (21);
-- detail
insert into uv_computed values (22, 'x');
-- detail
update uv_computed set twice = 3;
update uv_computed set key = key + 100 where label = 'UNNAMED' returning *;
select * from uv_computed order by key;
delete from uv_computed where twice is null returning key, label, twice;
-- Nested views, their own order and names.
create view uv_nested as select label, key as number from uv_computed where key > 1;
insert into uv_nested (number) values (30) returning number, label;
update uv_nested set number = 31 where number = 30 returning *;
delete from uv_nested where number = 31;
create view uv_swapped (b, a) as select amount, id from uv_plain;
insert into uv_swapped values (77, 40) returning a, b;
update uv_swapped set b = b + 1 where a = 40 returning *;
select * from uv_base where id = 40;
create view uv_subquery as select id, (select count(*) from uv_base b where b.amount < u.amount) as below from uv_base u where id in (select id from uv_base where amount is not null);
select * from uv_subquery order by id;
update uv_subquery set id = id + 1000 where below = 0 returning id;
delete from uv_subquery where id > 1000;
-- What cannot be changed.
create view uv_join as select a.id from uv_base a join uv_base b using (id);
create view uv_distinct as select distinct id from uv_base;
create view uv_group as select id, count(*) as n from uv_base group by id;
create view uv_having as select 1 as x from uv_base having count(*) > 0;
create view uv_union as select id from uv_base union select 1;
create view uv_with as with w as (select 1 as x) select id from uv_base;
create view uv_limit as select id from uv_base limit 3;
create view uv_aggregate as select max(id) as id from uv_base;
create view uv_window as select id, row_number() over () as n from uv_base;
create view uv_set as select id, generate_series(1, 2) as n from uv_base;
create view uv_values as values (1), (2);
create view uv_nothing as select 1 as one from uv_base;
create view uv_over as select id from uv_distinct;
-- detail
insert into uv_join values (1);
-- detail
update uv_distinct set id = 1;
-- detail
delete from uv_group;
-- detail
delete from uv_having;
-- detail
insert into uv_union values (1);
-- detail
update uv_with set id = 2;
-- detail
delete from uv_limit;
-- detail
insert into uv_aggregate values (1);
-- detail
update uv_window set id = 1;
-- detail
delete from uv_set;
-- detail
insert into uv_values values (1);
-- detail
update uv_nothing set one = 1;
-- detail
insert into uv_over values (1);
copy uv_plain from stdin;
1	x	1
\.
truncate uv_plain;
merge into uv_plain p using uv_base b on p.id = b.id when matched then delete;
-- Defaults of views.
alter view uv_plain alter column name set default 'of the view';
insert into uv_plain (id) values (50) returning *;
insert into uv_plain values (51, default, 1) returning *;
insert into uv_swapped values (33, 52);
update uv_plain set name = default where id = 40 returning *;
select name from uv_base where id = 52;
insert into uv_base (id) values (53) returning name;
alter view uv_plain alter column name drop default;
insert into uv_plain (id) values (54) returning *;
alter view uv_plain alter column nosuch set default 1;
alter view uv_base alter column id set default 1;
alter view uv_plain alter column amount set default 'x';
alter view uv_plain rename column name to title;
update uv_plain set title = 'renamed' where id = 40 returning title;
select id, amount from uv_plain where title = 'renamed';
-- Conflicts.
insert into uv_plain values (40, 'again', 41) on conflict (id) do update set title = excluded.title || uv_plain.title, amount = excluded.amount returning *;
insert into uv_plain values (40, 'again', 41) on conflict do nothing returning *;
insert into uv_plain as v values (40, 'again', 41) on conflict (id) do update set title = v.title where v.amount > 1000;
insert into uv_plain values (40, 'again', 41) on conflict (nosuch) do nothing;
-- In WITH, prepared, with subqueries.
with gone as (delete from uv_plain where id = 40 returning *) insert into uv_plain select id + 1, title, amount from gone returning *;
prepare uv_change (integer) as update uv_plain set amount = $1 where id = 41 returning amount;
execute uv_change (99);
update uv_plain set amount = (select max(amount) from uv_base) where id = 41 returning amount;
update uv_plain set (title, amount) = ('both', 12) where id = 41 returning title, amount;
select is_updatable, is_insertable_into, check_option, table_name from information_schema.views where table_name like 'uv\_%' order by table_name;
select table_name, is_insertable_into from information_schema.tables where table_name in ('uv_base', 'uv_plain', 'uv_join') order by 1;
select column_name, is_updatable from information_schema.columns where table_name in ('uv_computed', 'uv_join', 'uv_base') order by table_name, ordinal_position;
select pg_relation_is_updatable('uv_plain'::regclass, false), pg_relation_is_updatable('uv_join'::regclass, true), pg_relation_is_updatable('uv_base'::regclass, false);
select pg_column_is_updatable('uv_computed'::regclass, 1::smallint, false), pg_column_is_updatable('uv_computed'::regclass, 2::smallint, false);
drop view uv_over, uv_nothing, uv_values, uv_set, uv_window, uv_aggregate, uv_limit, uv_with, uv_union, uv_having, uv_group, uv_distinct, uv_join, uv_subquery, uv_swapped, uv_nested, uv_computed, uv_plain;
