-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function context_in_sql() returns text language sql volatile as $$ select 1; select context(); $$
select context_in_sql();
