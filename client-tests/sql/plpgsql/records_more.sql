-- file: message detail hint context objects notices internal
-- Records and rows: what they are made of, given to and returned as; their types changing between calls.
create schema prm;
set search_path = prm, public;
create type span as (lo bigint, hi bigint);
create type span_small as (lo int, hi int);
create type labelled as (label text, lo int, hi int);
create table holes (a int, b text, c numeric);
alter table holes drop column b;
create domain ordered as span check ((value).lo <= (value).hi);
create function given(a int, b int) returns span language plpgsql as $$ begin return row(a, b)::span; end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ begin return row(a, b); end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ begin return row(a::bigint, b::bigint); end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ declare r record; begin r := row(a, b); return r; end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ declare r span_small; begin r := row(a, b); return r; end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ declare r span; begin r := row(a, b, a + b); return r; end $$;
select given(1, 2);
create or replace function given(a int, b int) returns span language plpgsql as $$ declare r span; begin r := row(a); return r; end $$;
select given(1, 2);
do $$
declare
  s span;
  t span_small;
  l labelled;
  r record;
begin
  t := row(1, 2);
  s := t;
  t := s;
  l := row('x', 5, 6);
  r := l;
  r.lo := r.lo * 2;
  s := r;
  raise notice '% % % %', s, t, l, r;
exception when others then
  raise notice '% %', sqlstate, sqlerrm;
end $$;
do $$
declare
  r record;
  q r%type;
begin
  q := row(1, 2);
  raise notice '%', q;
end $$;
do $$
<<b>>
declare
  s span;
  t s%type;
  u b.s%type;
begin
  t := row(1, 2);
  u := t;
  raise notice '% %', t, u;
end $$;
do $$ declare r record[]; begin null; end $$;
create function first_of(r record) returns int language plpgsql as $$ begin return r.lo; end $$;
select first_of(row(1, 2)::span_small);
select first_of(row('x', 3, 4)::labelled);
select first_of(row(5, 6)::span);
select first_of(row(1, 2));
select first_of(null::span_small);
select first_of(null);
select first_of(1);
select first_of(s) from (select 9 as lo) s;
select first_of(x) from unnest(array[row(1, 2)::span_small, null, row(3, 4)::span_small]) x;
create function second_of(record) returns int language plpgsql as $$ begin return $1.hi; end $$;
select second_of(row(1, 2)::span_small);
select second_of(row(1, 2));
create function shown(r record, out t text, out k text) language plpgsql as $$
declare
  c record := r;
begin
  t := c::text;
  select string_agg(e.key || '=' || e.value, ',' order by e.key) into k from jsonb_each_text(to_jsonb(r)) e;
end $$;
select * from shown(row(1, 'x', null));
select (shown(l)).* from (values (row('q', 1, 2)::labelled)) v(l);
create function overloaded(r record) returns text language plpgsql as $$ begin return 'record'; end $$;
create function overloaded(r span) returns text language plpgsql as $$ begin return 'span'; end $$;
select overloaded(row(1, 2)::span), overloaded(row(1, 2)::span_small), overloaded(null::span);
select overloaded(row(1, 2));
create function record_with_default(r record default row(1, 2)) returns text language plpgsql as $$ begin return r; end $$;
select record_with_default(), record_with_default(row(3));
create function record_changed(r record) returns record language plpgsql as $$ begin r.lo := r.lo + 1; return r; end $$;
select record_changed(row(1, 2)::span_small);
select * from record_changed(row(1, 2)::span_small) as x (a int, b int);
create procedure takes_record(r record, inout n int) language plpgsql as $$ begin n := n + r.lo; end $$;
call takes_record(row(5, 6)::span_small, 1);
do $$ declare r record; n int := 1; begin select 7 as lo into r; call takes_record(r, n); raise notice '%', n; end $$;
create function set_of_records(r record, n int) returns setof record language plpgsql as $$ begin for i in 1 .. n loop return next r; end loop; end $$;
select * from set_of_records(row(1, 'x'::text), 2) as x (a int, b text);
create function sql_takes_record(r record) returns text language sql as $$ select r::text $$;
create function lists_records(variadic r record[]) returns text language plpgsql as $$ begin return r; end $$;
select pg_get_function_arguments('takes_record'::regproc), pg_get_function_identity_arguments('record_with_default'::regproc), 'shown'::regproc::regprocedure::text;
drop function first_of(record);
create function pass_on(r record) returns text language plpgsql as $$ begin return (select s.t from shown(r) s); end $$;
select pass_on(row(1, 'x')), pass_on(row('z', 2, 3)::labelled);
create function hole_rows(k int) returns setof holes language plpgsql as $$
declare
  r record;
  h holes;
begin
  if k = 1 then
    return next h;
    r := (1, 2.5);
    h := (3, 4.5);
    return next r;
    return next h;
    return next row(5, 6.5);
    return next row(7, 8.5)::holes;
    return query select 9, 10.5;
  elsif k = 2 then
    return next r;
  elsif k = 3 then
    return next row(1, 2.5, 3);
  elsif k = 4 then
    return query select 1, 2;
  end if;
end $$;
select hole_rows(1);
select * from hole_rows(2);
select hole_rows(3);
select hole_rows(4);
create function any_of_holes(k int) returns record language plpgsql as $$ begin return row(k, k + 0.5)::holes; end $$;
select any_of_holes(1);
select * from any_of_holes(1) as (a int, b numeric);
select * from any_of_holes(1) as (a int, b numeric, c int);
select * from any_of_holes(1) as (a int, b int);
create function read_ordered(p ordered) returns bigint language plpgsql as $$ begin return p.lo + p.hi; end $$;
select read_ordered(row(1, 2));
select read_ordered(row(2, 1));
create function make_ordered(a bigint, b bigint, k int) returns ordered language plpgsql as $$
declare
  r record;
  s span;
  o ordered;
begin
  if k = 1 then return row(a, b); end if;
  r := row(a, b);
  if k = 2 then return r; end if;
  s := row(a, b);
  if k = 3 then return s; end if;
  o := row(a, b);
  return o;
end $$;
select make_ordered(1, 2, k) from generate_series(1, 4) k;
select make_ordered(2, 1, 1);
select make_ordered(2, 1, 2);
select make_ordered(2, 1, 3);
select make_ordered(2, 1, 4);
do $$ declare r ordered; begin r.lo := null; r.hi := 43; r.lo := 42; raise notice '%', r; r.hi := 41; end $$;
do $$ declare r ordered; begin for r in values (1, 2), (3, 4), (6, 5) loop raise notice '%', r; end loop; end $$;
do $$ declare r ordered; begin r := null; r := row(null, null); r := row(1, 2); r := row(2, 1); end $$;
create table shaped (f1 int, f2 text);
create function field_of_shaped(k int) returns int language plpgsql as $$ declare r shaped; begin r.f1 := k; return r.f1 + 1; end $$;
select field_of_shaped(1);
alter table shaped drop column f1;
select field_of_shaped(1);
create function third_of(x shaped) returns int language plpgsql as $$ begin return x.f3; end $$;
select third_of(null::shaped);
alter table shaped add column f3 int;
select third_of(null::shaped), third_of(row('x', 5));
alter table shaped drop column f3;
select third_of(null::shaped);
set check_function_bodies = off;
create function later_type(k int) returns int language plpgsql as $$ declare r shaped_later; begin r.f1 := k; return r.f1 + 2; end $$;
reset check_function_bodies;
select later_type(1);
create table shaped_later (f1 int, f2 text);
select later_type(2);
drop table shaped_later;
create table shaped_later (f0 text, f1 int, f2 text);
select later_type(4);
create function other_shape(k int) returns int language plpgsql as $$
declare
  r record;
  x int := 0;
begin
  for i in 1 .. 2 loop
    if i = 1 then select 1 as a into r; else select 2 as b into r; end if;
    if k = 1 then raise notice '%', r.a; end if;
    if k = 2 then x := x + r.a; end if;
    if k = 3 then select r.a into x; end if;
    if k = 4 then perform r.a; end if;
    if k = 5 then r.a := 5; end if;
  end loop;
  return x;
end $$;
select other_shape(1);
select other_shape(2);
select other_shape(3);
select other_shape(4);
select other_shape(5);
