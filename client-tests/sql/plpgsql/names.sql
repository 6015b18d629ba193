-- file: message detail hint context objects notices internal
-- Names of variables against names of columns, #variable_conflict, where variables may stand in SQL.
create schema pn;
set search_path = pn, public;
create table t (a int, b text);
insert into t values (1, 'one'), (2, 'two');
create function ambiguous(a int) returns text language plpgsql as $$
declare
  r text;
begin
  select b into r from t where t.a = a;
  return r;
end $$;
select ambiguous(1);
create function ambiguous_in_list() returns int language plpgsql as $$ declare a int := 5; r int; begin select a into r from t; return r; end $$;
select ambiguous_in_list();
create function ambiguous_in_update(b text) returns int language plpgsql as $$ begin update t set b = b || 'x' where a = 1; return 1; end $$;
select ambiguous_in_update('q');
create function ambiguous_in_insert(a int) returns int language plpgsql as $$ begin insert into t (a) values (a); return (select count(*) from t where t.a = ambiguous_in_insert.a); end $$;
select ambiguous_in_insert(7);
create function ambiguous_in_order(a int) returns text language plpgsql as $$ declare r text; begin select t.b into r from t order by a; return r; end $$;
select ambiguous_in_order(1);
create function ambiguous_in_expression(a int) returns text language plpgsql as $$ begin return (select b from t where a = 1); end $$;
select ambiguous_in_expression(1);
create function ambiguous_in_delete(a int) returns text language plpgsql as $$ begin delete from t where a = 1; return 'x'; end $$;
select ambiguous_in_delete(1);
create function ambiguous_in_loop(a int) returns text language plpgsql as $$ declare r record; begin for r in select b from t where a > 0 loop null; end loop; return 'x'; end $$;
select ambiguous_in_loop(1);
create function ambiguous_in_join() returns text language plpgsql as $$ declare r text; begin select b into r from t x join t y on x.a = y.a; return r; end $$;
select ambiguous_in_join();
create function by_function_name(a int) returns text language plpgsql as $$
declare
  r text;
begin
  select t.b into r from t where t.a = by_function_name.a;
  return r;
end $$;
select by_function_name(1), by_function_name(2), by_function_name(3);
create function by_label() returns text language plpgsql as $$
<<here>>
declare
  a int := 2;
  b text;
begin
  select t.b into here.b from t where t.a = here.a;
  return b;
end $$;
select by_label();
create function prefers_variable(a int) returns bigint language plpgsql as $$
#variable_conflict use_variable
declare
  n bigint;
begin
  select count(*) into n from t where a = 1;
  return n;
end $$;
select prefers_variable(1), prefers_variable(2);
create function prefers_column(a int) returns bigint language plpgsql as $$
#variable_conflict use_column
declare
  n bigint;
begin
  select count(*) into n from t where a = 1 and t.a = prefers_column.a;
  return n;
end $$;
select prefers_column(1), prefers_column(2);
create function conflict_is_error(a int) returns bigint language plpgsql as $$
#variable_conflict error
declare
  n bigint;
begin
  select count(*) into n from t where a = 1;
  return n;
end $$;
select conflict_is_error(1);
set plpgsql.variable_conflict = use_column;
create function by_setting(a int) returns bigint language plpgsql as $$ declare n bigint; begin select count(*) into n from t where a = 1; return n; end $$;
select by_setting(5);
set plpgsql.variable_conflict = 'use_variable';
create or replace function by_setting(a int) returns bigint language plpgsql as $$ declare n bigint; begin select count(*) into n from t where a = 1; return n; end $$;
set plpgsql.variable_conflict = nosuch;
select by_setting(5);
reset plpgsql.variable_conflict;
create function upsert_conflict(a int, b text) returns void language plpgsql as $$
begin
  insert into keyed values (a, b) on conflict (a) do update set b = excluded.b;
end $$;
create table keyed (a int primary key, b text);
select upsert_conflict(1, 'x');
create function upsert_use_column(a int, b text) returns void language plpgsql as $$
#variable_conflict use_column
begin
  insert into keyed as k values (upsert_use_column.a, upsert_use_column.b) on conflict (a) do update set b = k.b || excluded.b;
end $$;
select upsert_use_column(1, 'x');
select upsert_use_column(1, 'y');
select * from keyed;
create function variable_named_like_table() returns text language plpgsql as $$
declare
  t int := 5;
  n int;
begin
  select count(*) into n from t;
  return n || ' ' || t;
end $$;
select variable_named_like_table();
create function variable_named_like_function() returns int language plpgsql as $$
declare
  length int := 5;
begin
  return length + length('abc');
end $$;
select variable_named_like_function();
create function variable_named_like_type() returns text language plpgsql as $$
declare
  text text := 'x';
  integer int := '5';
begin
  return text || integer || 7::text;
end $$;
select variable_named_like_type();
create function variable_as_alias() returns text language plpgsql as $$
declare
  x int := 5;
  r record;
begin
  select x as x, x + 1 y into r;
  return r.x || ' ' || r.y;
end $$;
select variable_as_alias();
create function variable_not_a_table() returns int language plpgsql as $$ declare tbl text := 't'; n int; begin select count(*) into n from tbl; return n; end $$;
select variable_not_a_table();
create function variable_not_a_column_name() returns int language plpgsql as $$ declare col text := 'a'; begin update t set col = 5; return 1; end $$;
select variable_not_a_column_name();
create function variable_in_limit(n int, m int) returns text language plpgsql as $$
declare
  r text;
begin
  select string_agg(x::text, ',') into r from (select g as x from generate_series(1, 10) g order by g limit n offset m) s;
  return coalesce(r, 'none');
end $$;
select variable_in_limit(3, 2), variable_in_limit(0, 0), variable_in_limit(null, 8);
select variable_in_limit(-1, 0);
create function variable_in_ddl() returns int language plpgsql as $$ declare n int := 5; begin create table made (a int default n); return 1; end $$;
select variable_in_ddl();
create function variable_in_view() returns int language plpgsql as $$ declare n int := 5; begin create view made as select n as n; return 1; end $$;
select variable_in_view();
create function variable_in_table_as() returns int language plpgsql as $$ declare n int := 5; begin create temp table made_as as select n + 1 as n; return (select m.n from made_as m); end $$;
select variable_in_table_as();
drop table made_as;
create function parameter_of_view(k int) returns int language plpgsql as $$ begin return $1 + k; end $$;
select parameter_of_view(2);
create function number_out_of_range() returns int language plpgsql as $$ begin return $1; end $$;
select number_out_of_range();
create function inner_hides_outer() returns text language plpgsql as $$
declare
  x int := 1;
  r text;
begin
  declare
    x text := 'inner';
  begin
    select x into r;
  end;
  return r || x;
end $$;
select inner_hides_outer();
create function record_field_or_column(r t) returns text language plpgsql as $$
declare
  n int;
begin
  select count(*) into n from t where t.a = r.a;
  return n || r.b;
end $$;
select record_field_or_column(t) from t order by t.a;
create function field_beats_nothing() returns text language plpgsql as $$
declare
  r record;
  n int;
begin
  select 1 as k into r;
  select count(*) into n from t r where r.a = 1;
  return n;
end $$;
select field_beats_nothing();
create function cte_names(a int) returns bigint language plpgsql as $$
declare
  n bigint;
begin
  with s as (select t.a + cte_names.a as total from t) select sum(total) into n from s;
  return n;
end $$;
select cte_names(10);
create function subquery_names(k int) returns text language plpgsql as $$
declare
  r text;
begin
  select string_agg(x.b, ',' order by x.a) into r from t x where exists (select 1 from t y where y.a = x.a and y.a <= k);
  return r;
end $$;
select subquery_names(1), subquery_names(2), subquery_names(0);
create function in_lists(x int, y int) returns text language plpgsql as $$
declare
  r text;
begin
  select string_agg(b, ',' order by a) into r from t where a in (x, y) or a between x and y or b like '%' || x || '%';
  return r;
end $$;
select in_lists(1, 5), in_lists(8, 9);
create function case_sensitive() returns text language plpgsql as $$
declare
  "A" int := 1;
  a_ int := 2;
begin
  return "A" + A_;
end $$;
select case_sensitive();
create function special(new int, old int) returns int language plpgsql as $$ begin return new + old; end $$;
select special(1, 2);
create function found_as_variable() returns text language plpgsql as $$
declare
  found text := 'mine';
begin
  perform 1;
  return found;
end $$;
select found_as_variable();
create function unknown_in_where() returns int language plpgsql as $$ declare n int; begin select count(*) into n from t where nosuch = 1; return n; end $$;
select unknown_in_where();
create function unknown_field() returns int language plpgsql as $$ declare n int; begin select count(*) into n from t where t.nosuch = 1; return n; end $$;
select unknown_field();
create function unknown_table() returns int language plpgsql as $$ begin insert into nosuch values (1); return 1; end $$;
select unknown_table();
create function unknown_function() returns int language plpgsql as $$ begin perform nosuch(1, 'x'); return 1; end $$;
select unknown_function();
create function unknown_type() returns int language plpgsql as $$ begin return '1'::nosuch; end $$;
select unknown_type();
create function wrong_types(a int) returns int language plpgsql as $$ begin return a || true; end $$;
select wrong_types(1);
create function missing_from() returns int language plpgsql as $$ begin return other.a; end $$;
select missing_from();
create function syntax_unnoticed() returns int language plpgsql as $$ begin if false then perform nosuch.nosuch.nosuch(1); return nosuch from nowhere; end if; return 1; end $$;
select syntax_unnoticed();
create function grouping_wrong() returns int language plpgsql as $$ declare k int := 1; r int; begin select t.a + k into r from t group by b; return r; end $$;
select grouping_wrong();
create function grouped_by_variable(k int) returns text language plpgsql as $$ declare r text; begin select string_agg(c::text, ',' order by c) into r from (select count(*) as c from t group by t.a + k) s; return r; end $$;
select grouped_by_variable(3);
