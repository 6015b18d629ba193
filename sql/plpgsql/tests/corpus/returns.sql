-- RETURN in routines of all kinds.

create function scalar_result(a integer, b text) returns text language plpgsql as $$
begin
  if a = 1 then return b; end if;
  if a = 2 then return 'x' || b; end if;
  if a = 3 then return null; end if;
  return (select name from items limit 1);
end $$;

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

create function nothing() returns void language plpgsql as $$
begin
  return;
end $$;

create function rows_by_one() returns setof integer language plpgsql as $$
declare
  a integer;
begin
  return next 1;
  return next a;
  return next a + 1;
  return;
end $$;

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

create function table_result(n integer) returns table (id integer, name text) language plpgsql as $$
begin
  id := n;
  name := 'x';
  return next;
  return query select 1, 'y';
end $$;

create function one_output(a integer, out b integer) language plpgsql as $$
begin
  b := a;
  return;
end $$;

create function outputs(a integer, out b integer, inout c text) language plpgsql as $$
begin
  b := a;
  c := c || b;
end $$;

create function rows_of_outputs(out a integer, out b text) returns setof record language plpgsql as $$
begin
  a := 1;
  return next;
end $$;

create procedure changes(a integer, inout b integer) language plpgsql as $$
begin
  b := a;
  return;
end $$;

create function polymorphic(a anyelement) returns anyelement language plpgsql as $$
begin
  $0 := a;
  return $0;
end $$;

create function variable_called_next(next integer) returns integer language plpgsql as $$
begin
  return (next);
end $$;

do $$
begin
  return;
end $$;

-- fails
create function value_of_void() returns void language plpgsql as $$
begin
  return 1;
end $$;

-- fails
create function value_of_set() returns setof integer language plpgsql as $$
begin
  return 1;
end $$;

-- fails
create function value_beside_output(out a integer) language plpgsql as $$
begin
  return 1;
end $$;

-- fails
create procedure value_of_procedure() language plpgsql as $$
begin
  return 1;
end $$;

-- fails
create procedure value_of_procedure_with_output(inout a integer) language plpgsql as $$
begin
  return a;
end $$;

-- fails
do $$
begin
  return 1;
end $$;

-- fails
create function no_value() returns integer language plpgsql as $$
begin
  return;
end $$;

-- fails
create function next_of_one() returns integer language plpgsql as $$
begin
  return next 1;
end $$;

-- fails
create function query_of_one() returns integer language plpgsql as $$
begin
  return query select 1;
end $$;

-- fails
create function next_with_outputs(out a integer) returns setof integer language plpgsql as $$
begin
  return next a;
end $$;

-- fails
create function next_without_value() returns setof integer language plpgsql as $$
begin
  return next;
end $$;

-- fails
create function query_missing() returns setof integer language plpgsql as $$
begin
  return query;
end $$;

-- fails
create function query_with_error() returns setof integer language plpgsql as $$
begin
  return query select from where;
end $$;

-- fails
create function dynamic_query_missing() returns setof integer language plpgsql as $$
begin
  return query execute;
end $$;

-- fails
create function argument_missing() returns setof integer language plpgsql as $$
begin
  return query execute 'x' using 1, ;
end $$;

-- fails
create function unfinished() returns integer language plpgsql as $$
begin
  return$$;

-- fails
create function variable_called_next_is_a_keyword(next integer) returns integer language plpgsql as $$
begin
  return next;
end $$;
