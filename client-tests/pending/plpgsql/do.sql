-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: do $$ begin select 1; end $$
do $$ declare a int := 1 / 0; begin end $$;
