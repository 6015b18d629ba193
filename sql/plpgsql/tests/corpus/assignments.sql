-- Assignments.

create function scalars() returns void language plpgsql as $$
declare
  a integer;
  b text;
begin
  a := 1;
  a = 2;
  b := 'x' || a;
  b := (select name from items where id = a limit 1);
  a := count(*) from items;
  a := distinct 3;
end $$;

create function elements() returns void language plpgsql as $$
declare
  a integer[];
  b items;
  i integer := 1;
begin
  a[1] := 1;
  a[i + 1] := a[i];
  a[1][2] := 3;
  a[2:3] := array[1, 2];
  a[:] := '{1}';
  b.tags[i] := 'x';
  b.tags[1:2] = array['a', 'b'];
  a [ 1 ] := 2;
end $$;

create function fields() returns void language plpgsql as $$
<<main>>
declare
  r record;
  p pair;
  rows items[];
begin
  p.a := 1;
  p.b := 'x';
  main.p.a := 2;
  main.p := row(1, 'y');
  rows[1].name := 'n';
  rows[1].tags[2] := 't';
  r := p;
  r.a := 3;
  r.a.deeper := 4;
end $$;

create function parameters(integer, b integer) returns integer language plpgsql as $$
begin
  $1 := 3;
  b := $1;
  parameters.b := parameters.b + 1;
  return b;
end $$;

create function nothing_assigned() returns void language plpgsql as $$
declare
  a integer;
begin
  a := ;
end $$;

create function quoted_names() returns void language plpgsql as $$
declare
  "user" integer;
  "Mixed Case" integer[];
begin
  "user" := 1;
  "Mixed Case"[1] := 2;
end $$;

-- fails
create function unknown() returns void language plpgsql as $$
begin
  nothing := 1;
end $$;

-- fails
create function unknown_element() returns void language plpgsql as $$
begin
  nothing[1] := 1;
end $$;

-- fails
create function unknown_field() returns void language plpgsql as $$
begin
  some.thing := 1;
end $$;

-- fails
create function field_of_scalar() returns void language plpgsql as $$
declare
  a integer;
begin
  a.b := 1;
end $$;

-- fails
create function reserved_word_of_sql() returns void language plpgsql as $$
declare
  user text;
begin
  user := 'me';
end $$;

-- fails
create function function_word_of_sql() returns void language plpgsql as $$
declare
  left text;
begin
  left := 'me';
end $$;

-- fails
create function set_operation() returns void language plpgsql as $$
declare
  a integer;
begin
  a := 1 union select 2;
end $$;

-- fails
create function into_of_expression() returns void language plpgsql as $$
declare
  a integer;
begin
  a := 1 into a;
end $$;

-- fails
create function select_as_expression() returns void language plpgsql as $$
declare
  a integer;
begin
  a := select 1;
end $$;

-- fails
create function bad_value() returns void language plpgsql as $$
declare
  a integer;
begin
  a := 1 + * 2;
end $$;

-- fails
create function unfinished_value() returns void language plpgsql as $$
declare
  a integer;
begin
  a := 1 +   ;
end $$;

-- fails
create function bad_subscript() returns void language plpgsql as $$
declare
  a integer[];
begin
  a[1 +] := 3;
end $$;

-- fails
create function empty_subscript() returns void language plpgsql as $$
declare
  a integer[];
begin
  a[] := 3;
end $$;

-- fails
create function open_subscript() returns void language plpgsql as $$
declare
  a integer[];
begin
  a[1 := 3;
end $$;

-- fails
create function extra_parenthesis() returns void language plpgsql as $$
declare
  a integer;
begin
  a := (1));
end $$;

-- fails
create function no_operator() returns void language plpgsql as $$
declare
  a integer[];
begin
  a[1] 3;
end $$;

-- fails
create function only_element() returns void language plpgsql as $$
declare
  a integer[];
begin
  a[1] ;
end $$;

-- fails
create function only_field() returns void language plpgsql as $$
declare
  a pair;
begin
  a.b;
end $$;

-- fails
create function field_without_name() returns void language plpgsql as $$
declare
  a pair;
begin
  a.b. := 1;
end $$;

-- fails
create function end_of_body() returns void language plpgsql as $$
declare
  a integer;
begin
  a := 1$$;

-- fails
create function not_closed() returns void language plpgsql as $$
declare
  a integer;
begin
  a := (1 + 2;
end $$;

-- fails
create function other_operator() returns void language plpgsql as $$
declare
  a integer;
begin
  a += 1;
end $$;

-- fails
create function found_in_sql_only() returns void language plpgsql as $$
begin
  found := true;
  sqlerrm := 'x';
end $$;
