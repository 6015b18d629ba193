-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/loops.sql that are taken, called.
create schema pc_loops;
set search_path = pc_loops, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
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
select endless();
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
select ranges(2, 2);
select ranges(0, 0);
select ranges(null, null);
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
select queries();
create function dynamic_queries(name text) returns void language plpgsql as $$
declare
  r record;
  a integer;
begin
  for r in execute 'select * from ' || quote_ident(name) loop null; end loop;
  for r in execute format('select * from %I where id = $1', name) using 1 loop null; end loop;
  for a in execute 'select $1 + $2' using 1, (2 + 3) loop null; end loop;
end $$;
select dynamic_queries('a');
select dynamic_queries('1');
select dynamic_queries(null);
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
select bound_cursors();
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
select arrays('{1,2}');
select arrays('{}');
select arrays(null);
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
select labels();
create function word_reverse(reverse integer) returns void language plpgsql as $$
begin
  for i in reverse 3..1 loop null; end loop;
end $$;
select word_reverse(2);
select word_reverse(0);
select word_reverse(null);
