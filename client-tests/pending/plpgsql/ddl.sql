-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select current_setting('my.value', true), current_setting('my.other')
create function bad_value() returns int language plpgsql set work_mem = 'x' as $$ begin return 1; end $$;
