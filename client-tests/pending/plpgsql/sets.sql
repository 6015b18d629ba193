-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function any_records(n int) returns setof record language plpgsql as $$
select any_records(1);
