-- file: message detail hint context objects notices
-- Arrays: elements, slices, FOREACH.
create schema plz;
set search_path = plz, public;
create function elements() returns text language plpgsql as $$
declare
  a int[];
begin
  a[1] := 10;
  a[2] := a[1] + 1;
  a[5] := 50;
  return a;
end $$;
select elements();
create function elements_below() returns text language plpgsql as $$
declare
  a int[] := '{1,2}';
begin
  a[-1] := 0;
  return a::text || ' ' || array_lower(a, 1);
end $$;
select elements_below();
create function element_read(i int) returns int language plpgsql as $$
declare
  a int[] := '{10,20,30}';
begin
  return a[i];
end $$;
select element_read(1), element_read(3), element_read(4), element_read(0), element_read(null);
create function element_subscript(i int) returns text language plpgsql as $$
declare
  a text[] := array['x', 'y'];
begin
  a[i + 1] := a[i] || '!';
  a[array_length(a, 1) + 1] := 'end';
  return a;
end $$;
select element_subscript(1), element_subscript(2);
create function array_or_text() returns text language plpgsql as $$ declare a int[] := '{1}'; begin return a || ' ' || a[1]; end $$;
select array_or_text();
create function element_null_subscript() returns text language plpgsql as $$ declare a int[]; begin a[null] := 1; return a; end $$;
select element_null_subscript();
create function element_bad_subscript() returns text language plpgsql as $$ declare a int[]; begin a['x'] := 1; return a; end $$;
select element_bad_subscript();
create function element_text_subscript(i text) returns text language plpgsql as $$ declare a int[]; begin a[i] := 1; return a; end $$;
select element_text_subscript('2');
create function element_cast() returns text language plpgsql as $$
declare
  a int[];
  n numeric(4,1)[];
  v varchar(3)[];
begin
  a[1] := '5';
  a[2] := 2.5;
  n[1] := 1.25;
  v[1] := 'abc';
  return a::text || n::text || v::text;
end $$;
select element_cast();
create function element_cast_fails() returns text language plpgsql as $$ declare a int[]; begin a[1] := 'x'; return a; end $$;
select element_cast_fails();
create function element_too_long() returns text language plpgsql as $$ declare v varchar(3)[]; begin v[1] := 'abcd'; return v; end $$;
select element_too_long();
create function element_of_scalar() returns int language plpgsql as $$ declare i int; begin i[1] := 5; return i; end $$;
select element_of_scalar();
create function two_dimensions() returns text language plpgsql as $$
declare
  m int[] := '{{1,2},{3,4}}';
begin
  m[1][2] := 20;
  m[2][1] := m[1][2] + m[2][2];
  return m::text || ' ' || coalesce(m[3][1], -1);
end $$;
select two_dimensions();
create function two_dimensions_outside() returns text language plpgsql as $$ declare m int[] := '{{1,2},{3,4}}'; begin m[3][1] := 5; return m; end $$;
select two_dimensions_outside();
create function two_dimensions_from_null() returns text language plpgsql as $$ declare m int[]; begin m[1][1] := 5; return m; end $$;
select two_dimensions_from_null();
create function too_few_subscripts() returns text language plpgsql as $$ declare m int[] := '{{1,2},{3,4}}'; begin m[1] := 5; return m; end $$;
select too_few_subscripts();
create function slices() returns text language plpgsql as $$
declare
  a int[] := '{1,2,3,4,5}';
  b int[];
begin
  b := a[2:4];
  a[1:2] := array[10, 20];
  a[4:] := '{40,50}';
  return b::text || a::text || a[:2]::text || a[3:]::text || a[9:10]::text;
end $$;
select slices();
create function slice_too_short() returns text language plpgsql as $$ declare a int[] := '{1,2,3}'; begin a[1:3] := array[1]; return a; end $$;
select slice_too_short();
create function slice_of_null() returns text language plpgsql as $$ declare a int[]; begin a[2:3] := '{7,8}'; return a; end $$;
select slice_of_null();
create function slice_two_dimensions() returns text language plpgsql as $$
declare
  m int[] := '{{1,2,3},{4,5,6},{7,8,9}}';
begin
  m[1:2][2:3] := '{{20,30},{50,60}}';
  return m::text || ' ' || m[2:3][1:1]::text;
end $$;
select slice_two_dimensions();
create function foreach_element(a int[]) returns text language plpgsql as $$
declare
  x int;
  s text := '';
begin
  foreach x in array a loop
    continue when x = 2;
    exit when x > 9;
    s := s || coalesce(x::text, 'null') || ' ';
  end loop;
  return s || found;
end $$;
select foreach_element('{1,2,3}'), foreach_element('{}'), foreach_element('{{1,5},{7,8}}'), foreach_element('{4,null,10,5}');
select foreach_element(null);
create function foreach_changes_array() returns text language plpgsql as $$
declare
  a int[] := '{1,2,3}';
  x int;
  s text := '';
begin
  foreach x in array a loop
    a := a || x * 10;
    s := s || x || ' ';
  end loop;
  return s || a::text;
end $$;
select foreach_changes_array();
create function foreach_expression(t text) returns text language plpgsql as $$
declare
  w text;
  s text := '';
begin
  foreach w in array string_to_array(t, ',') loop
    s := s || '[' || w || ']';
  end loop;
  return s;
end $$;
select foreach_expression('a,b,,c'), foreach_expression('');
create function foreach_casts() returns text language plpgsql as $$
declare
  x text;
  n int;
  s text := '';
begin
  foreach x in array array[1, 2] loop s := s || x; end loop;
  foreach n in array array['7', '8'] loop s := s || n + 1; end loop;
  return s;
end $$;
select foreach_casts();
create function foreach_cast_fails() returns text language plpgsql as $$ declare n int; begin foreach n in array array['7', 'x'] loop null; end loop; return n; end $$;
select foreach_cast_fails();
create function foreach_slice(m int[]) returns text language plpgsql as $$
declare
  r int[];
  s text := '';
begin
  foreach r slice 1 in array m loop
    s := s || r::text || array_length(r, 1) || ' ';
  end loop;
  return s;
end $$;
select foreach_slice('{{1,2},{3,4}}'), foreach_slice('{1,2,3}'), foreach_slice('{{{1,2},{3,4}},{{5,6},{7,8}}}');
create function foreach_slice_two(m int[]) returns text language plpgsql as $$
declare
  r int[];
  s text := '';
begin
  foreach r slice 2 in array m loop
    s := s || r::text || ' ';
  end loop;
  return s;
end $$;
select foreach_slice_two('{{{1,2},{3,4}},{{5,6},{7,8}}}'), foreach_slice_two('{{1,2},{3,4}}');
select foreach_slice_two('{1,2}');
create function foreach_slice_scalar() returns text language plpgsql as $$ declare x int; begin foreach x slice 1 in array array[1] loop null; end loop; return x; end $$;
select foreach_slice_scalar();
create function foreach_into_array() returns text language plpgsql as $$ declare x int[]; begin foreach x in array array[1] loop null; end loop; return x; end $$;
select foreach_into_array();
create function foreach_of_scalar(i int) returns text language plpgsql as $$ declare x int; begin foreach x in array i loop null; end loop; return x; end $$;
select foreach_of_scalar(1);
create function foreach_record() returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  foreach r in array array[row(1, 'a'::text), row(2, 'b'::text)] loop
    s := s || r::text;
  end loop;
  return s;
end $$;
select foreach_record();
create type pair as (k text, v int);
create function foreach_composite(a pair[]) returns text language plpgsql as $$
declare
  p pair;
  k text;
  v int;
  s text := '';
begin
  foreach p in array a loop
    s := s || p.k || '=' || p.v || ' ';
  end loop;
  foreach k, v in array a loop
    s := s || v || k;
  end loop;
  return s;
end $$;
select foreach_composite(array[('a', 1), ('b', 2)]::pair[]);
create function foreach_label(m int[]) returns text language plpgsql as $$
declare
  r int[];
  x int;
  s text := '';
begin
  <<outer_loop>>
  foreach r slice 1 in array m loop
    foreach x in array r loop
      continue outer_loop when x = 0;
      exit outer_loop when x < 0;
      s := s || x;
    end loop;
    s := s || ';';
  end loop;
  return s;
end $$;
select foreach_label('{{1,2},{0,3},{4,5},{-1,6}}');
create function by_bounds(a int[]) returns int language plpgsql as $$
declare
  t int := 0;
begin
  for i in coalesce(array_lower(a, 1), 1) .. coalesce(array_upper(a, 1), 0) loop
    t := t + a[i] * i;
  end loop;
  return t;
end $$;
select by_bounds('{1,2,3}'), by_bounds('{}'), by_bounds('[0:2]={1,2,3}'), by_bounds(null);
create function appended(n int) returns int[] language plpgsql as $$
declare
  a int[] := '{}';
begin
  for i in 1 .. n loop
    if i % 3 = 0 then a := i || a; else a := array_append(a, i); end if;
  end loop;
  return a;
end $$;
select appended(0), appended(10);
create function functions_of_arrays(a int[]) returns text language plpgsql as $$
declare
  b int[];
begin
  b := array_cat(a, array[7, 8]);
  b := array_remove(b, 7);
  b := array_replace(b, 8, 9);
  return concat_ws('|', b, array_length(b, 1), cardinality(b), array_position(b, 9), 9 = any (b), 0 < all (b), b @> array[9], b && '{100}', array_to_string(b, '+'));
end $$;
select functions_of_arrays('{1,2}');
create function array_from_query(n int) returns text language plpgsql as $$
declare
  a int[];
  b text[];
begin
  a := array(select g * g from generate_series(1, n) g order by g);
  select array_agg('s' || x order by x desc) into b from unnest(a) x;
  return coalesce(a::text, 'null') || coalesce(b::text, 'null');
end $$;
select array_from_query(3), array_from_query(0);
create function swaps(a int[]) returns int[] language plpgsql as $$
declare
  h int;
  n int := coalesce(array_length(a, 1), 0);
begin
  for i in 1 .. n - 1 loop
    for j in 1 .. n - i loop
      if a[j] > a[j + 1] then
        h := a[j];
        a[j] := a[j + 1];
        a[j + 1] := h;
      end if;
    end loop;
  end loop;
  return a;
end $$;
select swaps('{5,3,9,1,1,-4}'), swaps('{}'), swaps('{1}'), swaps('{2,1}');
create function copies() returns text language plpgsql as $$
declare
  a int[] := '{1,2}';
  b int[] := a;
begin
  b[1] := 100;
  a[2] := 200;
  return a::text || b::text;
end $$;
select copies();
create function changed_argument(a int[]) returns int[] language plpgsql as $$ begin a[1] := 0; return a; end $$;
create function argument_not_changed() returns text language plpgsql as $$
declare
  a int[] := '{1,2}';
  b int[];
begin
  b := changed_argument(a);
  return a::text || b::text;
end $$;
select argument_not_changed();
create function null_elements() returns text language plpgsql as $$
declare
  a text[];
begin
  a[1] := null;
  a[2] := '';
  a[3] := 'null';
  return a::text || (a[1] is null) || array_length(a, 1);
end $$;
select null_elements();
create function element_from_into() returns text language plpgsql as $$ declare a int[]; begin select 5 into a[1]; return a; end $$;
create function jsonb_subscript() returns text language plpgsql as $$
declare
  j jsonb := '{"a": 1}';
begin
  j['b'] := '2';
  j['c'] := '{"d": [1, 2]}';
  j['c']['d'][0] := '"x"';
  return j::text || j['c']['d'][1];
end $$;
select jsonb_subscript();
create domain int_list as int[] check (array_length(value, 1) < 4);
create function domain_over_array(n int) returns text language plpgsql as $$
declare
  d int_list := '{}';
begin
  for i in 1 .. n loop
    d[i] := i;
  end loop;
  return d;
end $$;
select domain_over_array(3);
select domain_over_array(4);
create function matrix_product(a float8[], b float8[]) returns float8[] language plpgsql as $$
declare
  n int := array_length(a, 1);
  k int := array_length(a, 2);
  m int := array_length(b, 2);
  c float8[];
  s float8;
begin
  if k <> array_length(b, 1) then
    raise exception 'sizes do not fit: % and %', k, array_length(b, 1);
  end if;
  c := array_fill(0, array[n, m]);
  for i in 1 .. n loop
    for j in 1 .. m loop
      s := 0;
      for l in 1 .. k loop
        s := s + a[i][l] * b[l][j];
      end loop;
      c[i][j] := s;
    end loop;
  end loop;
  return c;
end $$;
select matrix_product('{{1,2},{3,4}}', '{{5,6},{7,8}}'), matrix_product('{{1,2,3}}', '{{1},{2},{3}}');
select matrix_product('{{1,2}}', '{{1,2}}');
create function sieve(n int) returns int[] language plpgsql as $$
declare
  composite boolean[] := array_fill(false, array[n]);
  result int[] := '{}';
  j int;
begin
  for i in 2 .. n loop
    continue when composite[i];
    result := result || i;
    j := i * i;
    while j <= n loop
      composite[j] := true;
      j := j + i;
    end loop;
  end loop;
  return result;
end $$;
select sieve(50);
select array_length(sieve(1000), 1);
