-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function execute_select_into() returns void language plpgsql as $$ begin execute 'select 1 into made_so'; end $$
select execute_select_into();
