-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/returns.sql that are taken, called.
create schema pc_returns;
set search_path = pc_returns, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function scalar_result(a integer, b text) returns text language plpgsql as $$
begin
  if a = 1 then return b; end if;
  if a = 2 then return 'x' || b; end if;
  if a = 3 then return null; end if;
  return (select name from items limit 1);
end $$;
select scalar_result(2, 'a');
select scalar_result(0, '1');
select scalar_result(null, null);
create function row_result() returns pair language plpgsql as $$
declare
  p pair;
  r record;
begin
  if false then return p; end if;
  if false then return r; end if;
  if false then return (1, 'x'); end if;
  return row(1, 'x')::pair;
end $$;
select row_result();
create function nothing() returns void language plpgsql as $$
begin
  return;
end $$;
select nothing();
create function rows_by_one() returns setof integer language plpgsql as $$
declare
  a integer;
begin
  return next 1;
  return next a;
  return next a + 1;
  return;
end $$;
select * from rows_by_one();
create function rows_of_records() returns setof items language plpgsql as $$
declare
  r items;
begin
  for r in select * from items loop
    return next r;
  end loop;
  return query select * from items;
  return query execute 'select * from items';
  return query execute 'select * from items where id = $1 and name = $2' using 1, 'x' || 'y';
  return query insert into items (id) values (1) returning *;
end $$;
select * from rows_of_records();
create function table_result(n integer) returns table (id integer, name text) language plpgsql as $$
begin
  id := n;
  name := 'x';
  return next;
  return query select 1, 'y';
end $$;
select table_result(2);
select table_result(0);
select table_result(null);
create function one_output(a integer, out b integer) language plpgsql as $$
begin
  b := a;
  return;
end $$;
select one_output(2);
select one_output(0);
select one_output(null);
create function outputs(a integer, out b integer, inout c text) language plpgsql as $$
begin
  b := a;
  c := c || b;
end $$;
select * from outputs(2, 'a');
select * from outputs(0, '1');
select * from outputs(null, null);
create function rows_of_outputs(out a integer, out b text) returns setof record language plpgsql as $$
begin
  a := 1;
  return next;
end $$;
select * from rows_of_outputs();
create procedure changes(a integer, inout b integer) language plpgsql as $$
begin
  b := a;
  return;
end $$;
call changes(2, 2);
call changes(0, 0);
call changes(null, null);
create function polymorphic(a anyelement) returns anyelement language plpgsql as $$
begin
  $0 := a;
  return $0;
end $$;
select polymorphic(1);
select polymorphic(2);
select polymorphic(null);
create function variable_called_next(next integer) returns integer language plpgsql as $$
begin
  return (next);
end $$;
select variable_called_next(2);
select variable_called_next(0);
select variable_called_next(null);
do $$
begin
  return;
end $$;
select variable_called_next(2);
select variable_called_next(0);
select variable_called_next(null);
