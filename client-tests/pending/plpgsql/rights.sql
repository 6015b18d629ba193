-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function sets_role() returns text language plpgsql as $$ begin set local role pj_user; return current_user; end $$
select sets_role(), current_user;
