-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function routine_inside() returns void language plpgsql as $$
select routine_inside();
