-- file: message detail hint context objects notices
-- LOOP, WHILE, FOR over ranges and queries, EXIT and CONTINUE. FOREACH is in arrays.sql, cursors in cursors.sql.
create schema pll;
set search_path = pll, public;
create function plain_loop(n int) returns int language plpgsql as $$
declare
  i int := 0;
begin
  loop
    i := i + 1;
    exit when i >= n;
  end loop;
  return i;
end $$;
select plain_loop(0), plain_loop(5), plain_loop(1000);
create function loop_with_if(n int) returns int language plpgsql as $$
declare
  i int := 0;
  s int := 0;
begin
  loop
    i := i + 1;
    if i > n then
      exit;
    end if;
    if i % 2 = 0 then
      continue;
    end if;
    s := s + i;
  end loop;
  return s;
end $$;
select loop_with_if(0), loop_with_if(10), loop_with_if(null::int) from (select 1) x where false;
select loop_with_if(0), loop_with_if(10);
create function loop_returns(n int) returns int language plpgsql as $$
begin
  loop
    n := n * 2;
    if n > 100 then return n; end if;
  end loop;
end $$;
select loop_returns(1), loop_returns(99), loop_returns(1000);
create function while_loop(n int) returns int language plpgsql as $$
declare
  steps int := 0;
begin
  while n > 1 loop
    if n % 2 = 0 then n := n / 2; else n := 3 * n + 1; end if;
    steps := steps + 1;
  end loop;
  return steps;
end $$;
select while_loop(1), while_loop(6), while_loop(27), while_loop(null);
create function while_null() returns int language plpgsql as $$
declare
  c boolean;
  n int := 0;
begin
  while c loop n := n + 1; end loop;
  while n < 3 and c is null loop n := n + 1; end loop;
  return n;
end $$;
select while_null();
create function while_fails(n int) returns int language plpgsql as $$
declare
  t int := 0;
begin
  while 10 / n > 0 loop
    n := n - 1;
    t := t + 1;
  end loop;
  return t;
end $$;
select while_fails(20), while_fails(11);
select while_fails(3);
create function range(a int, b int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in a .. b loop
    t := t || i || ',';
  end loop;
  return t;
end $$;
select range(1, 5), range(3, 3), range(3, 2), range(-2, 1);
select range(null, 5);
select range(1, null);
select range(2147483645, 2147483647);
select range(-2147483648, -2147483647);
create function range_reverse(a int, b int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in reverse a .. b loop
    t := t || i || ',';
  end loop;
  return t;
end $$;
select range_reverse(5, 1), range_reverse(3, 3), range_reverse(1, 5), range_reverse(-2147483646, -2147483648);
select range_reverse(null, 1);
create function range_by(a int, b int, c int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in a .. b by c loop
    t := t || i || ',';
  end loop;
  return t;
end $$;
select range_by(1, 10, 3), range_by(1, 10, 100), range_by(0, 10, 5), range_by(2147483640, 2147483647, 5);
select range_by(1, 10, 0);
select range_by(1, 10, -1);
select range_by(1, 10, null);
create function range_reverse_by(a int, b int, c int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in reverse a .. b by c loop
    t := t || i || ',';
  end loop;
  return t;
end $$;
select range_reverse_by(10, 1, 3), range_reverse_by(10, 0, 5), range_reverse_by(1, 10, 2);
select range_reverse_by(10, 1, 0);
create function range_of_expressions(n int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in n - 1 .. n * 2 by n - 1 loop
    n := 100;
    t := t || i || ',';
  end loop;
  return t || n;
end $$;
select range_of_expressions(3), range_of_expressions(5);
create function range_variable_assigned() returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in 1 .. 5 loop
    t := t || i;
    i := i * 10;
    t := t || '/' || i || ' ';
  end loop;
  return t;
end $$;
select range_variable_assigned();
create function range_hides_variable() returns text language plpgsql as $$
declare
  i int := 77;
  n int := 0;
begin
  for i in 1 .. 3 loop
    n := n + i;
  end loop;
  return i || ' ' || n;
end $$;
select range_hides_variable();
create function range_from_text(a text, b numeric) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in a .. b loop
    t := t || i || ',';
  end loop;
  return t;
end $$;
select range_from_text('1', 3.4), range_from_text('2', 3.5);
select range_from_text('x', 3);
select range_from_text('1', 1e10);
create function range_by_query() returns int language plpgsql as $$
declare
  t int := 0;
begin
  for i in (select min(a) from (values (3), (5)) as v (a)) .. (select max(a) from (values (3), (5)) as v (a)) loop
    t := t * 10 + i;
  end loop;
  return t;
end $$;
select range_by_query();
create function nested_ranges(n int) returns text language plpgsql as $$
declare
  t text := '';
begin
  for i in 1 .. n loop
    for j in i .. n loop
      continue when (i + j) % 2 = 1;
      t := t || i || j || ' ';
    end loop;
  end loop;
  return t;
end $$;
select nested_ranges(4), nested_ranges(0);
create function labelled_exit(n int) returns text language plpgsql as $$
declare
  t text := '';
begin
  <<rows>>
  for i in 1 .. 5 loop
    <<cells>>
    for j in 1 .. 5 loop
      exit rows when i * j > n;
      continue rows when j > i;
      exit cells when j = 3;
      t := t || i || j || ' ';
    end loop cells;
    t := t || '; ';
  end loop rows;
  return t;
end $$;
select labelled_exit(3), labelled_exit(6), labelled_exit(100);
create function exit_outer_from_while() returns int language plpgsql as $$
declare
  i int := 0;
  j int;
begin
  <<outer_loop>>
  while true loop
    i := i + 1;
    j := 0;
    loop
      j := j + 1;
      exit outer_loop when i * j = 42;
      exit when j > 10;
    end loop;
  end loop;
  return i * 100 + j;
end $$;
select exit_outer_from_while();
create function loop_variable_by_label() returns text language plpgsql as $$
declare
  t text := '';
begin
  <<a>>
  for i in 1 .. 2 loop
    <<b>>
    for i in 5 .. 6 loop
      t := t || a.i || b.i || i || ' ';
    end loop;
  end loop;
  return t;
end $$;
select loop_variable_by_label();
create function exit_without_loop() returns int language plpgsql as $$ begin exit; return 1; end $$;
create function continue_of_block() returns int language plpgsql as $$ begin <<b>> begin continue b; end; return 1; end $$;
create function exit_of_unknown_label() returns int language plpgsql as $$ begin loop exit nosuch; end loop; return 1; end $$;
create table items (id int, name text, price numeric(6,2));
insert into items values (1, 'pen', 1.50), (2, 'ink', 7.25), (3, 'paper', 4), (4, null, null);
create function over_query() returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in select * from items order by id loop
    t := t || r.id || coalesce(r.name, '-') || coalesce(r.price::text, '-') || ' ';
  end loop;
  return t;
end $$;
select over_query();
create function over_query_row() returns text language plpgsql as $$
declare
  r items%rowtype;
  t text := '';
begin
  for r in select * from items where price > 2 order by price desc loop
    t := t || r.name || ' ';
    r.price := r.price * 2;
    t := t || r.price || ' ';
  end loop;
  return t;
end $$;
select over_query_row();
create function over_query_scalars() returns text language plpgsql as $$
declare
  i int;
  n text;
  t text := '';
begin
  for i, n in select id, name from items order by id desc loop
    t := t || i || coalesce(n, '-') || ' ';
  end loop;
  return t || i || coalesce(n, '?');
end $$;
select over_query_scalars();
create function over_query_one_scalar(low numeric) returns numeric language plpgsql as $$
declare
  p numeric;
  s numeric := 0;
begin
  for p in select price from items where price >= low loop
    s := s + p;
  end loop;
  return s;
end $$;
select over_query_one_scalar(0), over_query_one_scalar(4), over_query_one_scalar(100), over_query_one_scalar(null);
create function after_the_query_loop(k int) returns text language plpgsql as $$
declare
  r record;
  t text;
begin
  for r in select id, name from items where id <= k order by id loop
    null;
  end loop;
  t := found::text;
  if found then t := t || r.id || coalesce(r.name, '-'); end if;
  return t;
end $$;
select after_the_query_loop(2), after_the_query_loop(0), after_the_query_loop(9);
create function record_after_empty_loop() returns text language plpgsql as $$
declare
  r record;
begin
  for r in select id, name from items where false loop
    null;
  end loop;
  return coalesce(r.name, 'nothing there');
end $$;
select record_after_empty_loop();
create function found_after_loops() returns text language plpgsql as $$
declare
  t text := '';
  r record;
begin
  for i in 1 .. 0 loop null; end loop;
  t := t || found;
  for i in 1 .. 1 loop null; end loop;
  t := t || found;
  for r in select 1 where false loop null; end loop;
  t := t || found;
  for r in select 1 loop null; end loop;
  t := t || found;
  perform 1 where false;
  while not found loop perform 1; end loop;
  t := t || found;
  return t;
end $$;
select found_after_loops();
create function found_within_loop() returns text language plpgsql as $$
declare
  t text := '';
  r record;
begin
  for r in select id from items order by id loop
    perform 1 from items where id = r.id and name is null;
    t := t || found || ' ';
  end loop;
  return t || found;
end $$;
select found_within_loop();
create function exit_from_query(k int) returns text language plpgsql as $$
declare
  r record;
  n int := 0;
begin
  for r in select * from items order by id loop
    n := n + 1;
    continue when r.id = 2;
    exit when r.id = k;
    n := n + 100;
  end loop;
  return n || ' ' || r.id || ' ' || found;
end $$;
select exit_from_query(1), exit_from_query(3), exit_from_query(7);
create function return_from_query(k numeric) returns text language plpgsql as $$
declare
  r record;
begin
  for r in select * from items order by id loop
    if r.price > k then return r.name; end if;
  end loop;
  return 'none';
end $$;
select return_from_query(1), return_from_query(5), return_from_query(50);
create function query_changes_its_table() returns text language plpgsql as $$
declare
  r record;
  n int := 0;
begin
  for r in select * from items order by id loop
    insert into items values (r.id + 100, r.name, r.price);
    n := n + 1;
  end loop;
  delete from items where id > 100;
  return n;
end $$;
select query_changes_its_table();
select * from items order by id;
create function query_with_variables(low int, high int) returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in select id * low as x from items where id between low and high order by 1 loop
    low := 1000;
    high := 0;
    t := t || r.x || ',';
  end loop;
  return t || low;
end $$;
select query_with_variables(2, 4), query_with_variables(1, 2);
create function nested_queries() returns text language plpgsql as $$
declare
  a record;
  b record;
  t text := '';
begin
  for a in select id from items where id < 3 order by id loop
    for b in select id from items where id > a.id order by id desc loop
      t := t || a.id || b.id || ' ';
    end loop;
  end loop;
  return t;
end $$;
select nested_queries();
create function over_values() returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in values (1, 'a'), (2, 'b') loop
    t := t || r.column1 || r.column2;
  end loop;
  for r in with w as (select g from generate_series(1, 3) g) select g * g as sq from w order by g loop
    t := t || r.sq;
  end loop;
  return t;
end $$;
select over_values();
create function over_changes() returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in update items set price = price + 1 where id = 1 returning id, price loop
    t := t || r.id || ':' || r.price || ' ';
  end loop;
  for r in insert into items values (10, 'x', 1), (11, 'y', 2) returning name loop
    t := t || r.name || ' ';
  end loop;
  for r in delete from items where id >= 10 returning id loop
    t := t || r.id || ' ';
  end loop;
  return t || found;
end $$;
select over_changes();
select * from items order by id;
create function over_explain() returns boolean language plpgsql as $$
declare
  r record;
  n int := 0;
begin
  for r in explain (costs off) select 1 loop
    n := n + 1;
  end loop;
  return n > 0;
end $$;
select over_explain();
create function over_a_command() returns int language plpgsql as $$
declare
  r record;
begin
  for r in create table over_made (a int) loop
    null;
  end loop;
  return 1;
end $$;
select over_a_command();
create function over_execute(k int, col text) returns text language plpgsql as $$
declare
  r record;
  v text;
  t text := '';
begin
  for r in execute format('select id, %I::text as v from items where id >= $1 order by id', col) using k loop
    t := t || r.id || '=' || coalesce(r.v::text, '-') || ' ';
  end loop;
  for v in execute 'select ' || quote_ident(col) || ' from items order by id desc' loop
    t := t || coalesce(v, '-') || ' ';
  end loop;
  return t;
end $$;
select over_execute(3, 'name'), over_execute(4, 'price'), over_execute(2, 'id');
select over_execute(1, 'nosuch');
create function over_execute_null() returns int language plpgsql as $$
declare
  r record;
  q text;
begin
  for r in execute q loop null; end loop;
  return 1;
end $$;
select over_execute_null();
create function query_fails(d int) returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in select 10 / (id - d) as x from items order by id loop
    t := t || r.x || ' ';
  end loop;
  return t;
end $$;
select query_fails(0), query_fails(9);
select query_fails(3);
create function body_fails(d int) returns text language plpgsql as $$
declare
  r record;
  t text := '';
begin
  for r in select id from items order by id loop
    t := t || 10 / (r.id - d) || ' ';
  end loop;
  return t;
end $$;
select body_fails(9);
select body_fails(2);
create function scalar_target_fails() returns text language plpgsql as $$
declare
  i int;
begin
  for i in select name from items order by name loop
    null;
  end loop;
  return 'no';
end $$;
select scalar_target_fails();
create function too_few_targets() returns text language plpgsql as $$
declare
  i int;
  t text := '';
begin
  for i in select id, name, price from items order by id loop
    t := t || i;
  end loop;
  return t;
end $$;
select too_few_targets();
create function too_many_targets() returns text language plpgsql as $$
declare
  i int;
  n text := 'before';
  p numeric;
  t text := '';
begin
  for i, n, p in select id from items order by id loop
    t := t || i || coalesce(n, 'null');
  end loop;
  return t;
end $$;
select too_many_targets();
create function many_rows(n int) returns bigint language plpgsql as $$
declare
  r record;
  s bigint := 0;
begin
  for r in select g, g * 2 as h from generate_series(1, n) g loop
    s := s + r.h - r.g;
  end loop;
  return s;
end $$;
select many_rows(10), many_rows(100000);
create function sum_of_loops(n int) returns bigint language plpgsql as $$
declare
  s bigint := 0;
begin
  for i in 1 .. n loop
    for j in 1 .. n loop
      s := s + i * j;
    end loop;
  end loop;
  return s;
end $$;
select sum_of_loops(3), sum_of_loops(300);
