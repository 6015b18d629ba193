-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/statements.sql that are taken, called.
create schema pc_statements;
set search_path = pc_statements, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function selects() returns void language plpgsql as $$
declare
  a integer;
  b text;
  r record;
  item items;
begin
  select id into a from items;
  select id, name into a, b from items;
  select id, name from items into a, b;
  select into a, b id, name from items;
  select into strict r * from items where id = 1;
  select * from items into strict item;
  select id from items where name = 'into' into a limit 1;
  select 1 into item.id;
  select 1, 2 into item.id, r.x;
  with x as (select 1 as y) select y into a from x;
  values (1);
end $$;
select selects();
create function changes() returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  insert into items (id) values (1);
  insert into items (id) values (1) returning id into a;
  insert into items (id) values (1) returning * into strict r;
  update items set name = 'x' where id = a returning id into a;
  delete from items where id = a returning id, name into r;
  merge into items i using orders o on i.id = o.item when matched then do nothing;
  with gone as (delete from items returning id) insert into orders (id) select id from gone;
  insert into items select * from items on conflict do nothing;
  truncate items;
end $$;
select changes();
create function definitions() returns void language plpgsql as $$
begin
  create temporary table t (a integer);
  create table u as select 1 as b;
  alter table t add column c text;
  drop table t;
  set local work_mem = '1MB';
  lock table items;
  analyze items;
  notify somebody, 'news';
  create index on items (id);
  grant select on items to public;
  do $inner$ begin null; end $inner$;
end $$;
select definitions();
create function routine_inside() returns void language plpgsql as $$
begin
  create function f() returns integer language sql begin atomic select 1; select case when true then 2 end; end;
  create or replace procedure p() begin atomic insert into items (id) values (1); end;
  create rule r as on insert to items do also (delete from orders; delete from log_lines);
end $$;
select routine_inside();
create function performs(a integer) returns void language plpgsql as $$
begin
  perform a;
  perform id from items where id = a;
  perform pg_sleep(0), 2;
  perform 1 union select 2;
  PERFORM * from items order by id limit 1;
  perform;
end $$;
select performs(2);
select performs(0);
select performs(null);
create procedure calls(a integer) language plpgsql as $$
declare
  b integer;
begin
  call other(a, b);
  call public.other(a => 1, b => b);
  do 'begin end';
  commit;
  rollback;
  commit and chain;
  commit and no chain;
  rollback and chain;
  rollback and no chain;
end $$;
call calls(2);
call calls(0);
call calls(null);
create function executes(name text) returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  execute 'drop table ' || quote_ident(name);
  execute 'select 1' into a;
  execute 'select $1' into a using 2;
  execute 'select $1, $2' using 1, 2 into strict r;
  execute format('select %L', name) using name;
  execute (select 'x');
end $$;
select executes('a');
select executes('1');
select executes(null);
create function diagnostics() returns void language plpgsql as $$
declare
  n bigint;
  t text;
  r record;
begin
  get diagnostics n = row_count;
  get current diagnostics n := row_count, t = pg_context;
  get diagnostics r.n = row_count;
  perform 1 / 0;
exception when others then
  get stacked diagnostics t = message_text, t := returned_sqlstate, t = pg_exception_detail,
    t = pg_exception_hint, t = pg_exception_context, t = column_name, t = constraint_name,
    t = pg_datatype_name, t = table_name, t = schema_name, t = pg_context;
end $$;
select diagnostics();
create function words_that_are_variables(row_count integer, current integer) returns void language plpgsql as $$
begin
  get diagnostics row_count = row_count;
  current := 3;
end $$;
select words_that_are_variables(2, 2);
select words_that_are_variables(0, 0);
select words_that_are_variables(null, null);
create function many_lines() returns void language plpgsql as $$
declare
  a integer;
begin
  select id -- the key; of the item
    into a /* where it goes ; */
    from items
   where name = ';';
end $$;
select many_lines();
