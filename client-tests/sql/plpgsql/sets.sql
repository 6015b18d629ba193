-- file: message detail hint context objects notices
-- Functions that return sets: RETURN NEXT, RETURN QUERY, RETURNS TABLE, where they may stand.
create schema plt;
set search_path = plt, public;
create function numbers(n int) returns setof int language plpgsql as $$
begin
  for i in 1 .. n loop
    return next i * i;
  end loop;
end $$;
select * from numbers(3);
select * from numbers(0);
select numbers(2);
select numbers(2), 'x' as x;
select n from numbers(5) as n where n % 2 = 1 order by n desc;
select sum(numbers), count(*) from numbers(100);
select * from numbers(3) with ordinality;
select * from numbers(2) as a, numbers(2) as b order by 1, 2;
select * from rows from (numbers(2), numbers(3)) as t (a, b);
select g, n from generate_series(1, 3) g, numbers(g) n order by g, n;
select g, n from generate_series(0, 2) g left join lateral numbers(g) n on true order by g, n;
select numbers(g) from generate_series(1, 3) g;
select numbers(1), numbers(3);
select exists (select from numbers(0)), exists (select from numbers(1)), 4 in (select numbers(2));
select array(select numbers(4));
select * from numbers(10) limit 2;
select numbers(3) + 1;
select 1 where numbers(1) = 1;
select case when true then numbers(2) end;
create function next_casts() returns setof text language plpgsql as $$
begin
  return next 1;
  return next date '2020-01-01';
  return next null;
  return next 'x';
end $$;
select * from next_casts();
create function next_fails(a text) returns setof int language plpgsql as $$
begin
  return next 1;
  return next a;
end $$;
select * from next_fails('2');
select * from next_fails('x');
create function set_returns_early(n int) returns setof int language plpgsql as $$
begin
  return next 1;
  if n = 1 then
    return;
  end if;
  return next 2;
  return;
  return next 3;
end $$;
select * from set_returns_early(1);
select * from set_returns_early(2);
create function set_return_value() returns setof int language plpgsql as $$ begin return 1; end $$;
create function next_in_scalar() returns int language plpgsql as $$ begin return next 1; end $$;
create function query_in_scalar() returns int language plpgsql as $$ begin return query select 1; end $$;
create function with_table(n int) returns table (id int, name text) language plpgsql as $$
begin
  for i in 1 .. n loop
    id := i;
    name := 'n' || i;
    return next;
  end loop;
end $$;
select * from with_table(2);
select with_table(2);
select (with_table(2)).name;
select t.name, t.id from with_table(3) t where t.id > 1 order by t.id;
select * from with_table(1) as x (a, b);
create function with_table_query(n int) returns table (id int, name text) language plpgsql as $$
begin
  return query select g, 'q' || g from generate_series(1, n) g;
end $$;
select * from with_table_query(3);
select * from with_table_query(0);
create function out_set(n int, out a int, out b text) returns setof record language plpgsql as $$
begin
  a := 0;
  for i in 1 .. n loop
    a := a + i;
    b := repeat('*', i);
    return next;
  end loop;
end $$;
select * from out_set(3);
select out_set(2);
create function one_out_set(n int, out a int) returns setof int language plpgsql as $$
begin
  for i in 1 .. n loop
    a := i;
    return next;
  end loop;
end $$;
select * from one_out_set(3);
create function next_value_with_outs(out a int) returns setof int language plpgsql as $$ begin return next 1; end $$;
create table items (id int, name text, price numeric(6,2));
insert into items values (1, 'pen', 1.5), (2, 'ink', 7.25), (3, 'paper', null);
create function all_items() returns setof items language plpgsql as $$
declare
  r items%rowtype;
begin
  for r in select * from items order by id loop
    r.name := upper(r.name);
    return next r;
  end loop;
end $$;
select * from all_items();
select all_items();
select name from all_items() where price > 2;
create function items_by_record() returns setof items language plpgsql as $$
declare
  r record;
begin
  for r in select * from items order by id desc loop
    return next r;
  end loop;
end $$;
select * from items_by_record();
create function items_query(least_price numeric) returns setof items language plpgsql as $$
begin
  return query select * from items where price >= least_price;
end $$;
select * from items_query(1);
select * from items_query(100);
create function several_queries() returns setof int language plpgsql as $$
begin
  return query select id from items where id < 3 order by id;
  raise notice '%', found;
  return next 77;
  return query select id from items where id > 5;
  raise notice '%', found;
  return query values (8), (9);
  return query select 5 union all select 6;
end $$;
select * from several_queries();
create function query_row_count() returns setof int language plpgsql as $$
declare
  n int;
begin
  return query select generate_series(1, 3);
  get diagnostics n = row_count;
  return next n * 100;
  return query delete from items where id = 99 returning id;
  get diagnostics n = row_count;
  return next n;
end $$;
select * from query_row_count();
create function query_of_changes() returns setof items language plpgsql as $$
begin
  return query insert into items values (10, 'new', 1), (11, 'newer', 2) returning *;
  return query update items set price = price + 1 where id >= 10 returning *;
  return query delete from items where id >= 10 returning *;
end $$;
select * from query_of_changes();
select count(*) from items;
create function query_wrong_type() returns setof int language plpgsql as $$ begin return query select 'x'::text; end $$;
select * from query_wrong_type();
create function query_other_number() returns setof int language plpgsql as $$ begin return query select 1::bigint; end $$;
select * from query_other_number();
create function query_too_many() returns setof int language plpgsql as $$ begin return query select 1, 2; end $$;
select * from query_too_many();
create function query_too_few() returns table (a int, b int) language plpgsql as $$ begin return query select 1; end $$;
select * from query_too_few();
create function query_no_rows_command() returns setof int language plpgsql as $$ begin return query insert into items values (50, 'x', 1); end $$;
select * from query_no_rows_command();
create function query_fails(d int) returns setof int language plpgsql as $$ begin return query select 10 / (g - d) from generate_series(1, 3) g; end $$;
select * from query_fails(5);
select * from query_fails(2);
create function query_varchar() returns table (v varchar(3), n numeric(4,1)) language plpgsql as $$ begin return query select 'ab'::varchar, 1.25::numeric; end $$;
select * from query_varchar();
create function query_execute(tbl text, low int) returns setof items language plpgsql as $$
begin
  return query execute format('select * from %I where id >= $1 order by id', tbl) using low;
  raise notice '%', found;
end $$;
select * from query_execute('items', 2);
select * from query_execute('items', 20);
select * from query_execute('nosuch', 2);
select * from query_execute(null, 2);
create function query_execute_wrong() returns setof items language plpgsql as $$ begin return query execute 'select 1'; end $$;
select * from query_execute_wrong();
create function query_execute_null() returns setof int language plpgsql as $$ declare q text; begin return query execute q; end $$;
select * from query_execute_null();
create function any_records(n int) returns setof record language plpgsql as $$
begin
  if n = 1 then
    return query select id, name from items order by id;
  else
    return next row(1, 'one'::text);
    return next row(2, 'two'::text);
  end if;
end $$;
select any_records(1);
create function conflict_with_columns() returns table (id int, name text) language plpgsql as $$
begin
  return query select id, name from items;
end $$;
select * from conflict_with_columns();
create function conflict_resolved() returns table (id int, name text) language plpgsql as $$
#variable_conflict use_column
begin
  return query select id, name from items order by id;
end $$;
select * from conflict_resolved();
create function conflict_qualified() returns table (id int, name text) language plpgsql as $$
begin
  return query select i.id, i.name from items i order by i.id;
end $$;
select * from conflict_qualified();
create function fibonacci(n int) returns table (k int, f bigint) language plpgsql as $$
declare
  a bigint := 0;
  b bigint := 1;
begin
  for i in 1 .. n loop
    k := i;
    f := a;
    return next;
    select b, a + b into a, b;
  end loop;
end $$;
select * from fibonacci(10);
select max(f) from fibonacci(80);
create function primes(n int) returns setof int language plpgsql as $$
declare
  prime boolean;
begin
  for i in 2 .. n loop
    prime := true;
    for j in 2 .. floor(sqrt(i))::int loop
      if i % j = 0 then
        prime := false;
        exit;
      end if;
    end loop;
    if prime then return next i; end if;
  end loop;
end $$;
select string_agg(primes::text, ',') from primes(50);
select count(*), max(primes) from primes(2000);
create function tree(depth int, label text) returns setof text language plpgsql as $$
begin
  return next label;
  if depth > 0 then
    return query select * from tree(depth - 1, label || 'l');
    return query select * from tree(depth - 1, label || 'r');
  end if;
end $$;
select * from tree(2, 't');
create function poly_set(a anyarray) returns setof anyelement language plpgsql as $$
begin
  for i in reverse array_upper(a, 1) .. array_lower(a, 1) loop
    return next a[i];
  end loop;
end $$;
select * from poly_set(array[1, 2, 3]);
select * from poly_set(array['a', 'b']);
create function set_of_arrays(n int) returns setof int[] language plpgsql as $$
declare
  a int[] := '{}';
begin
  for i in 1 .. n loop
    a := a || i;
    return next a;
  end loop;
end $$;
select * from set_of_arrays(3);
create function strict_set(n int) returns setof int language plpgsql strict as $$ begin return next n; end $$;
select * from strict_set(null);
select strict_set(null);
select count(*) from strict_set(1);
create function fails_late() returns setof int language plpgsql as $$
begin
  return next 1;
  raise exception 'late';
end $$;
select * from fails_late() limit 1;
select * from fails_late();
create function void_set() returns setof void language plpgsql as $$ begin return; end $$;
select count(*) from void_set();
select * from void_set();
create function writes(n int) returns setof int language plpgsql as $$
begin
  for i in 1 .. n loop
    insert into items values (100 + i, 'written', i);
    return next (select count(*)::int from items);
  end loop;
end $$;
select * from writes(2);
select count(*) from items;
select (select count(*) from writes(1)), (select count(*) from items where id > 100);
delete from items where id > 100;
insert into items select 200 + n, 'from set', n from numbers(3) n;
select * from items where id > 200 order by id;
create view squares as select * from numbers(4) as n;
select * from squares where n > 4 order by n;
create table copied as select * from with_table(3);
select * from copied order by id;
select i.id, n from items i join numbers(3) n on i.id = n order by 1;
select * from (select numbers(3) as n) s where n > 1 order by n;
with w as (select * from with_table(3)) select a.id, b.name from w a join w b on a.id = b.id + 1 order by 1;
create function large_set(n int) returns table (a int, b text) language plpgsql as $$
begin
  for i in 1 .. n loop
    a := i;
    b := 'row ' || i;
    return next;
  end loop;
end $$;
select count(*), sum(a), max(length(b)) from large_set(20000);
