-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function reads_secret() returns int language plpgsql as $$ begin return (select a from secret); end $$
create function reads_secret_as_owner() returns text language plpgsql security definer as $$ begin return (select a from secret) || ' ' || current_user || ' ' || session_user; end $$;

-- behind: create function who() returns text language plpgsql as $$ begin return current_user; end $$
create function calls_who() returns text language plpgsql security definer as $$ begin return who() || ' ' || current_user; end $$;
create function definer_fails() returns int language plpgsql security definer as $$ begin return 1 / (select a - 42 from secret); end $$;

-- behind: create function sets_role() returns text language plpgsql as $$ begin set local role pj_user; return current_user; end $$
select sets_role(), current_user;
create function definer_sets_role() returns text language plpgsql security definer as $$ begin set local role pj_user; return current_user; end $$;
