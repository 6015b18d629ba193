-- file: message detail hint context objects notices
-- Records, rows, composite variables and their fields.
create schema plq;
set search_path = plq, public;
create type point2 as (x int, y int);
create type line2 as (a point2, b point2, name text);
create table t (id int, p point2, tags text[], n numeric(5,2));
insert into t values (1, (1, 2), '{a,b}', 1.5), (2, null, null, null);
create function unassigned_record() returns text language plpgsql as $$ declare r record; begin return r.a; end $$;
select unassigned_record();
create function unassigned_whole() returns text language plpgsql as $$ declare r record; begin return r; end $$;
select unassigned_whole();
create function unassigned_is_null() returns text language plpgsql as $$ declare r record; begin return r is null; end $$;
select unassigned_is_null();
create function unassigned_set() returns text language plpgsql as $$ declare r record; begin r.a := 1; return r; end $$;
select unassigned_set();
create function field_missing() returns text language plpgsql as $$ declare r record; begin select 1 as a into r; return r.b; end $$;
select field_missing();
create function field_missing_set() returns text language plpgsql as $$ declare r record; begin select 1 as a into r; r.b := 2; return r; end $$;
select field_missing_set();
create function fields_set() returns text language plpgsql as $$
declare
  r record;
begin
  select 1 as a, 'x'::text as b, null::date as c into r;
  r.a := r.a + 1;
  r.b := r.b || r.a;
  r.c := '2020-01-01';
  return r;
end $$;
select fields_set();
create function field_cast_fails() returns text language plpgsql as $$ declare r record; begin select 1 as a into r; r.a := 'x'; return r; end $$;
select field_cast_fails();
create function record_changes_shape() returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  select 1 as a, 2 as b into r;
  s := s || r.a || r.b;
  select 'x'::text as c into r;
  s := s || r.c;
  r := row(5, 6, 7);
  s := s || r.f3;
  return s;
end $$;
select record_changes_shape();
create function record_assigned() returns text language plpgsql as $$
declare
  a record;
  b record;
begin
  a := row(1, 'x'::text);
  b := a;
  b.f1 := 2;
  a.f2 := 'changed';
  return a::text || b::text;
end $$;
select record_assigned();
create function record_null() returns text language plpgsql as $$
declare
  r record;
begin
  select 1 as a into r;
  r := null;
  return coalesce(r.a::text, 'null');
end $$;
select record_null();
create function record_from_scalar() returns text language plpgsql as $$ declare r record; begin r := 5; return r; end $$;
select record_from_scalar();
create function record_default() returns text language plpgsql as $$ declare r record := row(1, 2); s record := null; begin return r; end $$;
select record_default();
create function record_not_null() returns text language plpgsql as $$ declare r record not null := row(1, 2); begin r := null; return r; end $$;
select record_not_null();
create function record_compared(x int) returns text language plpgsql as $$
declare
  a record;
  b point2;
begin
  a := row(1, 2);
  b := row(1, x);
  return concat_ws(' ', a = b, a < b, b is not distinct from a, a is null, b in (row(1, 2)::point2, row(3, 4)::point2));
end $$;
select record_compared(2), record_compared(3), record_compared(null);
create function composite_fields() returns text language plpgsql as $$
declare
  p point2;
begin
  p.x := 5;
  p.y := p.x * 2;
  return p || ' ' || p.x;
end $$;
select composite_fields();
create function composite_default(p point2 default (1, 2)) returns text language plpgsql as $$
declare
  q point2 := p;
  r point2 default row(7, 8);
begin
  q.x := q.x + 10;
  return p::text || q::text || r::text;
end $$;
select composite_default(), composite_default((3, 4)), composite_default(null);
create function composite_null() returns text language plpgsql as $$
declare
  p point2;
  s text;
begin
  s := concat_ws(' ', p is null, p is not null, p.x is null);
  p.x := 1;
  s := s || '; ' || concat_ws(' ', p is null, p is not null, p.y is null);
  p := null;
  s := s || '; ' || concat_ws(' ', p is null, p::text, p.x is null);
  return s;
end $$;
select composite_null();
create function composite_unknown_field() returns text language plpgsql as $$ declare p point2; begin p.z := 1; return p; end $$;
select composite_unknown_field();
create function composite_read_unknown_field() returns text language plpgsql as $$ declare p point2; begin return p.z; end $$;
select composite_read_unknown_field();
create function nested_fields() returns text language plpgsql as $$
declare
  l line2;
begin
  l.a := row(1, 2);
  l.b.x := 3;
  l.b.y := (l.a).y + 2;
  l.name := 'l';
  return l::text || (l.b).x || (l).a.y;
end $$;
select nested_fields();
create function nested_from_null() returns text language plpgsql as $$ declare l line2; begin l.a.x := 1; return l; end $$;
select nested_from_null();
create function nested_element() returns text language plpgsql as $$
declare
  r t;
begin
  r.tags[2] := 'second';
  r.tags[1] := 'first';
  r.p.y := 9;
  r.n := 1.005;
  return r;
end $$;
select nested_element();
create function array_of_composites() returns text language plpgsql as $$
declare
  ps point2[];
  p point2;
  s text := '';
begin
  ps[1] := row(1, 2);
  ps[2].x := 3;
  ps[2].y := 4;
  ps := ps || row(5, 6)::point2;
  foreach p in array ps loop
    s := s || p.x || ',' || p.y || ' ';
  end loop;
  return s || ps::text || ps[3].x;
end $$;
select array_of_composites();
create function composite_from_table(k int) returns text language plpgsql as $$
declare
  r t;
  p point2;
begin
  select * into r from t where id = k;
  p := r.p;
  p.x := coalesce(p.x, 0) + 100;
  select (q.p).y into p.y from t q where id = 1;
  return r::text || p::text;
end $$;
select composite_from_table(1), composite_from_table(2), composite_from_table(9);
create function into_composite_field() returns text language plpgsql as $$
declare
  l line2;
begin
  select 1, 2 into l.a;
  return l;
end $$;
select into_composite_field();
create function into_composite_as_whole() returns text language plpgsql as $$
declare
  p point2;
begin
  select q.p into p from t q where id = 1;
  return p;
end $$;
select into_composite_as_whole();
create function into_composite_columns() returns text language plpgsql as $$
declare
  p point2;
begin
  select (q.p).* into p from t q where id = 1;
  return p;
end $$;
select into_composite_columns();
create function assigned_composite() returns text language plpgsql as $$
declare
  p point2;
begin
  p := p2 from (select row(7, 8)::point2 as p2) s;
  p := (p.y, p.x);
  return p;
end $$;
select assigned_composite();
create function assigned_two_columns() returns text language plpgsql as $$ declare p point2; begin p := 1, 2; return p; end $$;
select assigned_two_columns();
create function assigned_wrong_width() returns text language plpgsql as $$ declare p point2; begin p := row(1, 2, 3); return p; end $$;
select assigned_wrong_width();
create function assigned_wrong_type() returns text language plpgsql as $$ declare p point2; begin p := row('a', 2); return p; end $$;
select assigned_wrong_type();
create function assigned_text() returns text language plpgsql as $$ declare p point2; begin p := '(3,4)'; return p.x + p.y; end $$;
select assigned_text();
create function passed(p point2) returns int language plpgsql as $$ begin p.x := p.x * 2; return p.x + p.y; end $$;
create function passes() returns text language plpgsql as $$
declare
  p point2 := (1, 2);
  r record := row(3, 4);
begin
  return passed(p) || ' ' || passed((5, 6)) || ' ' || p.x;
end $$;
select passes();
select passed((1, 2)), passed(row(null, 2)), passed(null);
select passed(p) from t order by id;
create function takes_row(r t) returns text language plpgsql as $$ begin return r.id || coalesce(r.tags[1], '-') || coalesce((r.p).x, -1); end $$;
select takes_row(t) from t order by id;
select takes_row(t.*) from t where id = 1;
select takes_row(row(5, null, '{z}', 1));
create function row_in_statements() returns text language plpgsql as $$
declare
  r t;
begin
  r := (10, (8, 9), '{x,y}', 2.5);
  insert into t values (r.*);
  insert into t select r.id + 1, r.p, r.tags, r.n;
  update t set p = r.p, n = r.n + 1 where id = r.id;
  delete from t where id = r.id + 1 and (p).x = (r.p).x;
  select * into r from t where id = 10;
  delete from t where id >= 10;
  return r;
end $$;
select row_in_statements();
create function record_expanded() returns text language plpgsql as $$
declare
  r record;
  s record;
begin
  select 1 as a, 'b' as b into r;
  select r.*, 5 as c into s;
  return s;
end $$;
create function record_made_wider() returns text language plpgsql as $$
declare
  r record;
  s record;
begin
  select 1 as a, 'b' as b into r;
  select r.a, r.b, 5 as c into s;
  return s::text || to_json(s);
end $$;
select record_made_wider();
create function record_to_json(k int) returns text language plpgsql as $$
declare
  r record;
begin
  select * into r from t where id = k;
  return row_to_json(r)::text || to_jsonb(r);
end $$;
select record_to_json(1), record_to_json(2);
create domain small_point as point2 check ((value).x < 10);
create function domain_over_composite(k int) returns text language plpgsql as $$
declare
  d small_point := (1, 2);
begin
  d.x := k;
  return d;
end $$;
select domain_over_composite(5);
select domain_over_composite(50);
create function rowtype_of_view() returns text language plpgsql as $$
declare
  v tv%rowtype;
begin
  return v;
end $$;
create view tv as select id, (p).x as px from t;
create function rowtype_of_view() returns text language plpgsql as $$
declare
  v tv%rowtype;
begin
  select * into v from tv where id = 1;
  return v.px;
end $$;
select rowtype_of_view();
create function field_of_same_name(id int) returns text language plpgsql as $$
declare
  t t;
begin
  select * into t from t where t.id = field_of_same_name.id;
  return t.tags;
end $$;
select field_of_same_name(1);
create function field_of_other_name(id int) returns text language plpgsql as $$
declare
  u t;
begin
  select * into u from t where t.id = field_of_other_name.id;
  return u.tags;
end $$;
select field_of_other_name(1);
create function whole_row_of_loop() returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  for r in select id, p from t order by id loop
    s := s || r || coalesce((r.p).x::text, '-');
  end loop;
  return s;
end $$;
select whole_row_of_loop();
create function many_fields() returns text language plpgsql as $$
declare
  r record;
begin
  select 1 as c1, 2 as c2, 3 as c3, 4 as c4, 5 as c5, 6 as c6, 7 as c7, 8 as c8, 9 as c9, 10 as c10 into r;
  r.c10 := r.c1 + r.c9;
  return r.c10 || ',' || r.c5;
end $$;
select many_fields();
create function quoted_fields() returns text language plpgsql as $$
declare
  r record;
begin
  select 1 as "A b", 2 as "select" into r;
  r."A b" := r."A b" + r."select";
  return r."A b";
end $$;
select quoted_fields();
create function constant_record() returns text language plpgsql as $$
declare
  c constant point2 := (1, 2);
begin
  c.x := 5;
  return c;
end $$;
create function row_constructor(a int) returns text language plpgsql as $$
begin
  return row(a, a + 1, row(a, 'x'))::text || (row(a, a) = row(1, 1));
end $$;
select row_constructor(1), row_constructor(2);
