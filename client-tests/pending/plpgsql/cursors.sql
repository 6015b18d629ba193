-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function loop_closed_within() returns text language plpgsql as $$
select loop_closed_within();
