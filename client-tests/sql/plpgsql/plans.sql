-- file: message detail hint context objects notices
-- Functions that were called before something they use changed.
create schema ph;
set search_path = ph, public;
create table t (id int, v text);
insert into t values (1, 'one'), (2, 'two');
create function reads(k int) returns text language plpgsql as $$
declare
  r t%rowtype;
begin
  select * into r from t where id = k;
  return r;
end $$;
create function reads_record(k int) returns text language plpgsql as $$
declare
  r record;
begin
  select * into r from t where id = k;
  return r;
end $$;
create function reads_column(k int) returns text language plpgsql as $$
declare
  x t.v%type;
begin
  select v into x from t where id = k;
  return x || pg_typeof(x);
end $$;
create function writes(k int, w text) returns bigint language plpgsql as $$
begin
  insert into t values (k, w);
  return (select count(*) from t);
end $$;
create function gives_rows() returns setof t language plpgsql as $$ begin return query select * from t order by id; end $$;
select reads(1), reads_record(1), reads_column(1), writes(3, 'three');
select reads_column(1);
select reads_column(1);
select * from gives_rows();
alter table t add column n int default 7;
select reads(1);
select reads_record(1);
select reads_column(1);
select writes(4, 'four');
select * from gives_rows();
alter table t rename column v to w;
select reads(2);
select reads_column(2);
alter table t rename column w to v;
select reads_column(2);
alter table t alter column id type bigint;
select reads(2), reads_record(2), reads_column(2);
alter table t alter column v type varchar(3) using left(v, 3);
select reads_column(2);
select writes(5, 'five');
select writes(5, 'fiv');
alter table t drop column n;
select reads(2), reads_record(2);
select * from gives_rows();
drop table t;
drop table t cascade;
select reads(1);
select writes(1, 'x');
select * from gives_rows();
create table t (v int, id int, extra text);
insert into t values (10, 1, 'new');
select reads(1), reads_record(1);
select writes(1, 'x');
create function gives_rows() returns setof t language plpgsql as $$ begin return query select * from t order by id; end $$;
select * from gives_rows();
truncate t;
select reads(1), reads_record(1);
insert into t select g, g, 'g' from generate_series(1, 1000) g;
create index on t (id);
select reads(500);
drop index t_id_idx;
select reads(501);
alter table t rename to u;
select reads_record(1);
create view t as select 1 as id, 'view' as v;
select reads_record(1);
drop view t;
alter table u rename to t;
select reads_record(1);
create function called(a int) returns text language plpgsql as $$ begin return 'first ' || a; end $$;
create function calls(a int) returns text language plpgsql as $$ begin return called(a) || '.'; end $$;
select calls(1);
create or replace function called(a int) returns text language plpgsql as $$ begin return 'second ' || a; end $$;
select calls(1);
drop function called(int);
select calls(1);
create function called(a bigint) returns text language plpgsql as $$ begin return 'bigint ' || a; end $$;
select calls(1);
create function called(a int) returns text language plpgsql as $$ begin return 'int again ' || a; end $$;
drop function called(bigint);
create or replace function calls(a int) returns text language plpgsql as $$ begin return 'replaced'; end $$;
select calls(1);
create function first_there() returns text language plpgsql as $$ begin return (select where_from from located); end $$;
create schema ph_front;
create table located (where_from text);
insert into located values ('ph');
select first_there();
create table ph_front.located (where_from text);
insert into ph_front.located values ('ph_front');
set search_path = ph_front, ph, public;
select first_there();
set search_path = ph, public;
select first_there();
create function replaced_itself() returns text language plpgsql as $$
begin
  execute 'create or replace function replaced_itself() returns text language plpgsql as ''begin return ''''new''''; end''';
  return 'old';
end $$;
select replaced_itself();
select replaced_itself();
create type pair as (a int, b int);
create function uses_type(x int) returns text language plpgsql as $$ declare p pair; begin p.a := x; return p; end $$;
select uses_type(1);
alter type pair add attribute c text;
select uses_type(2);
alter type pair drop attribute b;
select uses_type(3);
alter type pair rename attribute a to z;
select uses_type(4);
create function poly_types(a anyelement) returns text language plpgsql as $$
declare
  b a%type;
  c text;
begin
  b := a;
  select pg_typeof(b) || ' ' || b into c;
  return c;
end $$;
select poly_types(1), poly_types('x'::text), poly_types(1.5), poly_types(date '2020-01-01');
select poly_types(array[1, 2]);
create function many_calls(k int) returns int language plpgsql as $$
declare
  n int;
begin
  select count(*) into n from t where id = k;
  return n;
end $$;
select sum(many_calls(g)) from generate_series(1, 50) g;
delete from t where id <= 10;
select sum(many_calls(g)) from generate_series(1, 50) g;
create function drops_in_use() returns text language plpgsql as $$
declare
  r record;
begin
  for r in select * from located loop
    drop table located;
  end loop;
  return 'dropped';
end $$;
select drops_in_use();
prepare p (int) as select calls($1), many_calls($1);
execute p(20);
create or replace function calls(a int) returns text language plpgsql as $$ begin return 'after prepare ' || a; end $$;
execute p(20);
drop function many_calls(int);
execute p(20);
deallocate p;
begin;
create or replace function calls(a int) returns text language plpgsql as $$ begin return 'in transaction'; end $$;
select calls(1);
rollback;
select calls(1);
create function dropped_later(a int) returns int language plpgsql as $$ begin return a; end $$;
create view uses_function as select dropped_later(5) as f;
select * from uses_function;
drop function dropped_later(int);
drop function dropped_later(int) cascade;
select * from uses_function;
drop schema ph_front cascade;
