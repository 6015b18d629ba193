-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function any_records(n int) returns setof record language plpgsql as $$
select any_records(1);

-- behind: select * from tree(2, 't')
create function poly_set(a anyarray) returns setof anyelement language plpgsql as $$
begin
  for i in reverse array_upper(a, 1) .. array_lower(a, 1) loop
    return next a[i];
  end loop;
end $$;

-- behind: create function set_of_arrays(n int) returns setof int[] language plpgsql as $$
select * from set_of_arrays(3);

-- behind: create function void_set() returns setof void language plpgsql as $$ begin return; end $$
select * from void_set();
select count(*) from void_set();
