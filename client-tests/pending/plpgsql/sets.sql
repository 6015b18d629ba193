-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function any_records(n int) returns setof record language plpgsql as $$
select any_records(1);

-- behind: create function set_of_arrays(n int) returns setof int[] language plpgsql as $$
select * from set_of_arrays(3);

-- behind: create function void_set() returns setof void language plpgsql as $$ begin return; end $$
select * from void_set();
select count(*) from void_set();
