-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function fields() returns void language plpgsql as $$
select fields();
