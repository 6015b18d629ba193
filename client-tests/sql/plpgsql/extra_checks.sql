-- file: message detail hint context objects notices internal
-- plpgsql.extra_warnings and extra_errors: what they say of each construct, and when they are looked at.
create schema pxc;
set search_path = pxc, public;
create table t (a int, b text);
insert into t values (1, 'x'), (2, 'y');
create type pair as (f int, g text);
set plpgsql.extra_warnings = 'all';
show plpgsql.extra_warnings;
create function shadows_parameter(a int) returns int language plpgsql as $$ declare a int := 1; b int; begin return a; end $$;
create function shadows_twice(a int, out b text) language plpgsql as $$
declare
  a int := 1;
  b text;
  c int;
begin
  declare
    c text;
    d int;
  begin
    declare
      c int;
      d int;
    begin
      null;
    end;
  end;
end $$;
create function shadows_cursor(a int) returns int language plpgsql as $$
declare
  c cursor (a int) for select a;
  d refcursor;
begin
  return 1;
end $$;
create function shadows_loop(i int) returns int language plpgsql as $$ begin for i in 1 .. 2 loop null; end loop; return i; end $$;
create function shadows_found() returns int language plpgsql as $$ declare found int; begin return 1; end $$;
create procedure shadows_in_procedure(a int) language plpgsql as $$ declare a int; begin null; end $$;
do $$ declare a int; begin declare a int; begin null; end; end $$;
create or replace function shadows_parameter(a int) returns int language plpgsql as $$ declare x int := 1; begin return a; end $$;
set plpgsql.extra_errors = 'shadowed_variables';
create function shadows_error(a int) returns int language plpgsql as $$ declare a int := 1; begin return a; end $$;
select shadows_error(1);
create or replace function shadows_parameter(a int) returns int language plpgsql as $$ declare a int := 1; begin return a; end $$;
select shadows_parameter(5);
set check_function_bodies = off;
create function shadows_unchecked(a int) returns int language plpgsql as $$ declare a int := 1; begin return a; end $$;
reset check_function_bodies;
select shadows_unchecked(5);
reset plpgsql.extra_errors;
create function assigns(k int) returns text language plpgsql as $$
declare
  x int;
  y int;
  z text;
  p pair;
  r record;
  c cursor for select a, b, 3 as c from t order by a;
begin
  if k = 1 then select 1, 2 into x; end if;
  if k = 2 then select 1 into x, y; end if;
  if k = 3 then select 1, 2 into x, y; end if;
  if k = 4 then select 1 into p; end if;
  if k = 5 then select 1, 'x', 3 into p; end if;
  if k = 6 then select 1, 'x', 3 into r; end if;
  if k = 7 then for x, z in select a from t order by a loop null; end loop; end if;
  if k = 8 then for x in select a, b from t order by a loop null; end loop; end if;
  if k = 9 then open c; fetch c into x, z; close c; end if;
  if k = 10 then execute 'select 1, 2, 3' into x, y; end if;
  if k = 11 then p := row(1); end if;
  if k = 12 then p := row(1, 'x', 2); end if;
  if k = 13 then select a, b into x from t where false; end if;
  if k = 14 then update t set b = b where a = 1 returning a, b into x; end if;
  if k = 15 then foreach x, z in array array[row(1, 'x')::pair] loop null; end loop; end if;
  if k = 16 then foreach x, y, z in array array[row(1, 'x')::pair] loop null; end loop; end if;
  if k = 17 then select row(1, 'x')::pair into p; end if;
  if k = 18 then for p in select a from t order by a limit 1 loop null; end loop; end if;
  return concat_ws('|', x, y, z, p, r);
end $$;
select assigns(1);
select assigns(2);
select assigns(3);
select assigns(4);
select assigns(5);
select assigns(6);
select assigns(7);
select assigns(8);
select assigns(9);
select assigns(10);
select assigns(11);
select assigns(12);
select assigns(13);
select assigns(14);
select assigns(15);
select assigns(16);
select assigns(17);
select assigns(18);
create function many(k int) returns text language plpgsql as $$
declare
  x int;
  r record;
begin
  if k = 1 then select a into x from t order by a; end if;
  if k = 2 then select a into strict x from t; end if;
  if k = 3 then execute 'select a from t order by a' into x; end if;
  if k = 4 then select * into r from t order by a; end if;
  if k = 5 then select a into x from t where a = 1; end if;
  if k = 6 then select a into x from t order by a limit 1; end if;
  if k = 7 then x := (select max(a) from t); end if;
  if k = 8 then perform a from t; end if;
  return coalesce(x::text, r::text);
end $$;
select many(1);
select many(2);
select many(3);
select many(4);
select many(5);
select many(6);
select many(7);
select many(8);
set plpgsql.extra_errors = 'too_many_rows, strict_multi_assignment';
select assigns(1);
select assigns(2);
select assigns(5);
select assigns(8);
select assigns(13);
select many(1);
select many(4);
select many(6);
create function caught() returns text language plpgsql as $$
declare
  x int;
begin
  select a into x from t;
  return 'no';
exception when too_many_rows then
  return sqlerrm;
end $$;
select caught();
set plpgsql.extra_errors = 'too_many_rows';
set plpgsql.extra_warnings = 'none';
select assigns(1), caught();
create function sets_it(v text) returns text language plpgsql as $$
declare
  x int;
begin
  perform set_config('plpgsql.extra_errors', v, true);
  select a into x from t order by a;
  return x;
end $$;
select sets_it('none');
select sets_it('too_many_rows');
create function has_it() returns int language plpgsql set plpgsql.extra_errors = 'none' as $$ declare x int; begin select a into x from t order by a; return x; end $$;
select has_it();
set plpgsql.extra_errors = 'ALL';
show plpgsql.extra_errors;
select many(1);
set plpgsql.extra_errors = 'all, none';
set plpgsql.extra_errors = ' too_many_rows , shadowed_variables ';
show plpgsql.extra_errors;
set plpgsql.extra_errors = '';
show plpgsql.extra_errors;
select many(1);
reset plpgsql.extra_errors;
reset plpgsql.extra_warnings;
set plpgsql.print_strict_params = on;
create function strict_values(a int, r pair, variadic v text[]) returns int language plpgsql as $$
declare
  x int;
  d date := '2020-01-01';
begin
  select t.a into strict x from t where t.a > strict_values.a + 10 and t.b <> r.g and d is not null and t.b = any (v);
  return x;
end $$;
select strict_values(1, row(1, 'it''s'), 'a', 'b''c');
create function strict_dynamic(a int) returns int language plpgsql as $$ declare x int; begin execute 'select a from t where a > $1 + $2' into strict x using a, null::int; return x; end $$;
select strict_dynamic(1);
create function strict_without() returns int language plpgsql as $$ declare x int; begin select 1 into strict x where false; return x; end $$;
select strict_without();
reset plpgsql.print_strict_params;
set plpgsql.variable_conflict = 'use_column';
create function conflicting(a int) returns bigint language plpgsql as $$ begin return (select count(*) from t where t.a = a); end $$;
select conflicting(1);
set plpgsql.variable_conflict = 'use_variable';
select conflicting(1);
create or replace function conflicting(a int) returns bigint language plpgsql as $$ begin return (select count(*) from t where t.a = a); end $$;
select conflicting(1);
reset plpgsql.variable_conflict;
select conflicting(1);
create or replace function conflicting(a int) returns bigint language plpgsql as $$ begin return (select count(*) from t where t.a = a); end $$;
select conflicting(1);
set plpgsql.variable_conflict = 'nosuch';
set plpgsql.check_asserts = off;
do $$ begin assert false; raise notice 'not checked'; end $$;
reset plpgsql.check_asserts;
do $$ begin assert false, 'checked'; end $$;
