-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create procedure isolation_too_late() language plpgsql as $$ begin set transaction isolation level repeatable read; end $$
call isolation_too_late();
