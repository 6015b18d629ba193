-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function element_too_long() returns text language plpgsql as $$ declare v varchar(3)[]; begin v[1] := 'abcd'; return v; end $$
select element_too_long();
