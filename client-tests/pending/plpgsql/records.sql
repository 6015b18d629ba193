-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function record_expanded() returns text language plpgsql as $$
select record_expanded();
