-- file: message detail hint context objects notices
-- Definitions within functions, temporary tables, settings.
create schema pb;
set search_path = pb, public;
create function makes_table(n int) returns bigint language plpgsql as $$
declare
  c bigint;
begin
  create table made (a int primary key, b text default 'x');
  for i in 1 .. n loop
    insert into made (a) values (i);
  end loop;
  select count(*) into c from made where b = 'x';
  return c;
end $$;
select makes_table(3);
select * from made order by a;
select makes_table(3);
drop table made;
select makes_table(5);
drop table made;
create function makes_and_drops(n int) returns text language plpgsql as $$
declare
  r text;
begin
  drop table if exists scratch;
  create table scratch (a int);
  insert into scratch select generate_series(1, n);
  select string_agg(a::text, ',' order by a) into r from scratch;
  drop table scratch;
  return r;
end $$;
select makes_and_drops(3);
select makes_and_drops(4);
select makes_and_drops(0);
create function temp_table(n int) returns text language plpgsql as $$
declare
  r text;
begin
  create temp table if not exists work (a int, b text) on commit drop;
  truncate work;
  insert into work select g, 'w' || g from generate_series(1, n) g;
  update work set b = b || '!' where a = 1;
  delete from work where a = 2;
  select string_agg(b, ' ' order by a) into r from work;
  return r;
end $$;
select temp_table(4);
select temp_table(1);
begin;
select temp_table(3);
select temp_table(5);
select count(*) from work;
commit;
select count(*) from work;
create function temp_as_query(k int) returns bigint language plpgsql as $$
declare
  s bigint;
begin
  create temp table picked as select g as id, g * k as v from generate_series(1, 10) g;
  create index on picked (id);
  select sum(v) into s from picked where id > 5;
  drop table picked;
  return s;
end $$;
select temp_as_query(2);
select temp_as_query(3);
create function alters() returns text language plpgsql as $$
declare
  r record;
begin
  create table altered (a int);
  insert into altered values (1);
  alter table altered add column b int default 5;
  select * into r from altered;
  alter table altered rename column b to c;
  insert into altered (a, c) values (2, 6);
  alter table altered alter column a type text;
  return r::text || (select string_agg(altered::text, ';' order by a) from altered);
end $$;
select alters();
drop table altered;
create function makes_others() returns text language plpgsql as $$
declare
  n int;
begin
  create schema pb_inner;
  create sequence pb_inner.s start 5;
  create type pb_inner.e as enum ('a', 'b');
  create domain pb_inner.d as int check (value > 0);
  create view pb_inner.v as select 1 as one;
  create function pb_inner.f(a int) returns int language plpgsql as 'begin return a + 1; end';
  select nextval('pb_inner.s') into n;
  execute 'select $1 + one + pb_inner.f(10) from pb_inner.v' into n using n;
  drop schema pb_inner cascade;
  return n;
end $$;
select makes_others();
create function fails_on_definition() returns text language plpgsql as $$
begin
  create table good (a int);
  create table bad (a nosuch);
  return 'made';
end $$;
select fails_on_definition();
select to_regclass('good');
create function table_exists_caught() returns text language plpgsql as $$
begin
  create table twice (a int);
  begin
    create table twice (b int);
  exception when duplicate_table then
    return 'caught ' || sqlerrm;
  end;
  return 'no';
end $$;
select table_exists_caught();
drop table twice;
create table keyed (a int);
create function adds_index() returns text language plpgsql as $$
begin
  insert into keyed values (1), (1);
  create unique index keyed_a on keyed (a);
  return 'made';
exception when unique_violation then
  return 'not unique';
end $$;
select adds_index();
select count(*) from keyed;
create function vacuums() returns void language plpgsql as $$ begin vacuum; end $$;
select vacuums();
create function makes_database() returns void language plpgsql as $$ begin create database nosuch_db; end $$;
select makes_database();
create function index_concurrently() returns void language plpgsql as $$ begin create index concurrently on keyed (a); end $$;
select index_concurrently();
create function analyzes() returns void language plpgsql as $$ begin analyze keyed; end $$;
select analyzes();
create function truncates() returns bigint language plpgsql as $$ begin insert into keyed values (5); truncate keyed; return (select count(*) from keyed); end $$;
select truncates();
create function locks() returns text language plpgsql as $$ begin lock table keyed in share mode; return 'locked'; end $$;
select locks();
create function comments() returns text language plpgsql as $$ begin comment on table keyed is 'from a function'; return obj_description('keyed'::regclass); end $$;
select comments();
create function sets_search_path() returns text language plpgsql as $$
begin
  set local search_path = pg_catalog;
  return current_setting('search_path');
end $$;
select sets_search_path();
show search_path;
create function sets_for_session() returns text language plpgsql as $$
begin
  set datestyle = 'German';
  return date '2020-02-01';
end $$;
select sets_for_session();
show datestyle;
reset datestyle;
create function sets_local_in_transaction(v text) returns text language plpgsql as $$
begin
  perform set_config('my.value', v, true);
  return current_setting('my.value');
end $$;
select sets_local_in_transaction('a');
select current_setting('my.value', true);
begin;
select sets_local_in_transaction('b');
select current_setting('my.value', true);
commit;
select current_setting('my.value', true);
create function sets_config_session(v text) returns text language plpgsql as $$ begin return set_config('my.other', v, false); end $$;
select sets_config_session('kept');
select current_setting('my.other');
create function reads_missing() returns text language plpgsql as $$ begin return coalesce(current_setting('my.nosuch', true), 'none') || current_setting('my.nosuch'); end $$;
select reads_missing();
create function with_clause() returns text language plpgsql set datestyle = 'SQL, DMY' set my.value = 'clause' as $$
begin
  return date '2020-02-01' || ' ' || current_setting('my.value');
end $$;
select with_clause();
show datestyle;
select current_setting('my.value', true);
create function with_clause_calls() returns text language plpgsql set my.value = 'outer' as $$
begin
  return with_clause() || ' ' || current_setting('my.value');
end $$;
select with_clause_calls();
create function with_clause_fails() returns text language plpgsql set my.value = 'failing' as $$ begin perform 1 / 0; return 'x'; end $$;
select with_clause_fails();
select current_setting('my.value', true);
create function with_path() returns text language plpgsql set search_path = pb as $$ begin return current_schemas(false)::text; end $$;
select with_path();
select current_schemas(false);
create function with_clause_sets() returns text language plpgsql set my.value = 'clause' as $$
begin
  set local my.value = 'changed';
  set my.other = 'session';
  return current_setting('my.value');
end $$;
select with_clause_sets();
select current_setting('my.value', true), current_setting('my.other');
create function bad_value() returns int language plpgsql set work_mem = 'x' as $$ begin return 1; end $$;
create function bad_clause() returns int language plpgsql set nosuch_setting = 5 as $$ begin return 1; end $$;
create function resets() returns text language plpgsql as $$
begin
  set local work_mem = '3MB';
  reset work_mem;
  return current_setting('work_mem') <> '3MB';
end $$;
select resets();
create function shows() returns text language plpgsql as $$
declare
  r text;
begin
  show timezone into r;
  return r;
end $$;
create function shows_by_execute() returns text language plpgsql as $$
declare
  r text;
begin
  set local my.value = 'shown';
  execute 'show my.value' into r;
  return r;
end $$;
select shows_by_execute();
create function notifies() returns void language plpgsql as $$ begin perform pg_notify('channel', 'payload'); notify channel, 'other'; end $$;
select notifies();
create function prepares() returns text language plpgsql as $$ begin execute 'prepare p as select 1'; execute 'deallocate p'; return 'fine'; end $$;
select prepares();
create function declares() returns text language plpgsql as $$ begin execute 'declare dc cursor for select 1'; return (select count(*) from pg_cursors where name = 'dc'); end $$;
select declares();
