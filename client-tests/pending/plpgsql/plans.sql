-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function called(a int) returns text language plpgsql as $$ begin return 'int again ' || a; end $$
select calls(1);
