-- Loops, and how they are left.

create function endless() returns integer language plpgsql as $$
declare
  n integer := 0;
begin
  loop
    n := n + 1;
    exit when n > 10;
    continue when n % 2 = 0;
    if n = 7 then
      exit;
    end if;
  end loop;
  <<named>>
  loop
    exit named;
  end loop named;
  while n > 0 loop
    n := n - 1;
  end loop;
  return n;
end $$;

create function ranges(low integer, high integer) returns integer language plpgsql as $$
declare
  total integer := 0;
begin
  for i in 1..10 loop total := total + i; end loop;
  for i in reverse 10 .. 1 loop total := total + i; end loop;
  for i in low + 1 .. (select high) by 2 loop
    total := total + i;
    for i in i..i + 2 loop
      total := total - i;
    end loop;
  end loop;
  for i in reverse high..low by 3 loop end loop;
  for total in 1..3 loop null; end loop;
  for "I" in 1..3 loop total := total + "I"; end loop;
  return total;
end $$;

create function queries() returns void language plpgsql as $$
declare
  r record;
  item items;
  a integer;
  b text;
begin
  for r in select * from items order by id loop
    a := r.id;
  end loop;
  for item in table items loop null; end loop;
  for a, b in select id, name from items loop
    b := b || a;
  end loop;
  for a in values (1), (2) loop null; end loop;
  for r in with x as (select 1 as y) select * from x loop null; end loop;
  for r in insert into items (id) values (1) returning id loop null; end loop;
  for r in (select 1) union (select 2) loop null; end loop;
  for r in explain select 1 loop null; end loop;
  for item.id, item.name in select 1, 'x' loop null; end loop;
end $$;

create function dynamic_queries(name text) returns void language plpgsql as $$
declare
  r record;
  a integer;
begin
  for r in execute 'select * from ' || quote_ident(name) loop null; end loop;
  for r in execute format('select * from %I where id = $1', name) using 1 loop null; end loop;
  for a in execute 'select $1 + $2' using 1, (2 + 3) loop null; end loop;
end $$;

create function bound_cursors() returns void language plpgsql as $$
declare
  c cursor for select * from items;
  d cursor (low integer, high integer) for select * from items where id between low and high;
begin
  for r in c loop
    perform r.id;
  end loop;
  for r in d(1, 2) loop null; end loop;
  for r in d(high := 3, low := 2) loop null; end loop;
  for c in c loop null; end loop;
end $$;

create function arrays(list integer[]) returns integer language plpgsql as $$
declare
  x integer;
  y integer[];
  a integer;
  b integer;
begin
  foreach x in array list loop null; end loop;
  foreach y slice 1 in array array[[1, 2], [3, 4]] loop null; end loop;
  <<each>>
  foreach x in array (select array_agg(id) from items) loop
    continue each when x = 2;
    exit each;
  end loop each;
  foreach a, b in array array[row(1, 2)] loop null; end loop;
  return x;
end $$;

create function labels() returns void language plpgsql as $$
<<block>>
begin
  <<one>>
  for i in 1..3 loop
    <<two>>
    while true loop
      continue one when i = 2;
      exit two;
      begin
        exit one when i = 3;
      end;
      exit block;
    end loop;
    exit labels when i = 5;
  end loop one;
end $$;

create function word_reverse(reverse integer) returns void language plpgsql as $$
begin
  for i in reverse 3..1 loop null; end loop;
end $$;

-- fails
create function exit_outside() returns void language plpgsql as $$
begin
  exit;
end $$;

-- fails
create function exit_of_unnamed_block() returns void language plpgsql as $$
begin
  begin
    exit when true;
  end;
end $$;

-- fails
create function continue_outside() returns void language plpgsql as $$
begin
  continue;
end $$;

-- fails
create function exit_without_label() returns void language plpgsql as $$
begin
  loop
    exit nowhere when true;
  end loop;
end $$;

-- fails
create function continue_of_block() returns void language plpgsql as $$
<<block>>
begin
  loop
    continue block;
  end loop;
end $$;

-- fails
create function exit_of_other_loop() returns void language plpgsql as $$
begin
  <<first>>
  loop
    exit;
  end loop;
  loop
    exit first;
  end loop;
end $$;

-- fails
create function exit_with_words() returns void language plpgsql as $$
begin
  loop
    exit now please;
  end loop;
end $$;

-- fails
create function wrong_loop_label() returns void language plpgsql as $$
begin
  <<one>>
  loop
    exit;
  end loop two;
end $$;

-- fails
create function label_of_unlabelled_loop() returns void language plpgsql as $$
begin
  for i in 1..2 loop
    null;
  end loop i;
end $$;

-- fails
create function scalar_is_unknown() returns void language plpgsql as $$
begin
  for r in select 1 loop
    null;
  end loop;
end $$;

-- fails
create function scalar_is_unknown_dynamically() returns void language plpgsql as $$
begin
  for r in execute 'select 1' loop
    null;
  end loop;
end $$;

-- fails
create function second_is_unknown() returns void language plpgsql as $$
declare
  a integer;
begin
  for a, b in select 1, 2 loop null; end loop;
end $$;

-- fails
create function first_is_unknown() returns void language plpgsql as $$
declare
  a integer;
begin
  for b, a in select 1, 2 loop null; end loop;
end $$;

-- fails
create function list_with_record() returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  for a, r in select 1, 2 loop null; end loop;
end $$;

-- fails
create function list_over_range() returns void language plpgsql as $$
declare
  a integer;
  b integer;
begin
  for a, b in 1..2 loop null; end loop;
end $$;

-- fails
create function list_over_cursor() returns void language plpgsql as $$
declare
  a integer;
  b integer;
  c cursor for select 1;
begin
  for a, b in c loop null; end loop;
end $$;

-- fails
create function unbound_cursor() returns void language plpgsql as $$
declare
  c refcursor;
begin
  for r in c loop null; end loop;
end $$;

-- fails
create function cursor_with_too_few() returns void language plpgsql as $$
declare
  c cursor (a integer, b integer) for select a, b;
begin
  for r in c(1) loop null; end loop;
end $$;

-- fails
create function reverse_query() returns void language plpgsql as $$
declare
  a integer;
begin
  for a in reverse select 1 loop null; end loop;
end $$;

-- fails
create function range_without_end() returns void language plpgsql as $$
begin
  for i in 1.. loop null; end loop;
end $$;

-- fails
create function range_without_begin() returns void language plpgsql as $$
begin
  for i in ..2 loop null; end loop;
end $$;

-- fails
create function bad_step() returns void language plpgsql as $$
begin
  for i in 1..2 by loop null; end loop;
end $$;

-- fails
create function bad_query() returns void language plpgsql as $$
declare
  r record;
begin
  for r in selec 1 loop null; end loop;
end $$;

-- fails
create function constant_as_target() returns void language plpgsql as $$
declare
  a constant integer := 1;
begin
  for a in select 1 loop null; end loop;
end $$;

-- fails
create function keyword_as_loop_variable() returns void language plpgsql as $$
begin
  for next in 1..2 loop null; end loop;
end $$;

-- fails
create function names_as_loop_variable() returns void language plpgsql as $$
begin
  for a.b in 1..2 loop null; end loop;
end $$;

-- fails
create function foreach_of_unknown() returns void language plpgsql as $$
begin
  foreach x in array array[1] loop null; end loop;
end $$;

-- fails
create function foreach_without_array() returns void language plpgsql as $$
declare
  x integer;
begin
  foreach x in list loop null; end loop;
end $$;

-- fails
create function foreach_with_bad_slice() returns void language plpgsql as $$
declare
  x integer[];
begin
  foreach x slice one in array array[1] loop null; end loop;
end $$;

-- fails
create function while_without_condition() returns void language plpgsql as $$
begin
  while loop null; end loop;
end $$;

-- fails
create function loop_not_closed() returns void language plpgsql as $$
begin
  loop
    null;
  end;
end $$;

-- fails
create function no_in() returns void language plpgsql as $$
begin
  for i from 1 loop null; end loop;
end $$;

-- fails
create function loop_word_missing() returns void language plpgsql as $$
begin
  while true null; end loop;
end $$;
