-- What is shown of views goes on meaning the same when columns are renamed that they name behind another name.
create schema rba;
set search_path = rba;
create table t (a int, b text, c int);
insert into t values (1, 'x', 10), (2, 'y', 20);
create view plain as select u.a, u.b from t u;
create view listed as select u.p, u.q from t u (p, q);
create view joined as select x.a, "Y y".c from t x join t as "Y y" on x.a = "Y y".a where x.b like '%x%';
create view nested as select (select max(s.c) from t s where s.a <= u.a) as m from t u order by u.a;
alter table t rename column a to aa;
alter table t rename column c to "C c";
select * from plain order by 1;
select * from listed order by 1;
select * from joined;
select * from nested;
-- The definitions, as they are shown, make the same again.
create table shown as select relname::text as name, pg_get_viewdef(oid) as text from pg_class where relnamespace = 'rba'::regnamespace and relkind = 'v';
do $$
declare each record;
begin
  for each in select * from shown order by name loop
    execute format('create or replace view %I as %s', each.name, each.text);
  end loop;
end $$;
select * from plain order by 1;
select * from listed order by 1;
select * from joined;
select * from nested;
drop schema rba cascade;
