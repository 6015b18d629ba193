-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function scalar_target_fails() returns text language plpgsql as $$
select scalar_target_fails();
