-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select reads_missing()
create function with_clause() returns text language plpgsql set datestyle = 'SQL, DMY' set my.value = 'clause' as $$
begin
  return date '2020-02-01' || ' ' || current_setting('my.value');
end $$;

-- behind: select current_setting('my.value', true)
create function with_clause_calls() returns text language plpgsql set my.value = 'outer' as $$
begin
  return with_clause() || ' ' || current_setting('my.value');
end $$;

-- behind: select with_clause_calls()
create function with_clause_fails() returns text language plpgsql set my.value = 'failing' as $$ begin perform 1 / 0; return 'x'; end $$;

-- behind: select current_setting('my.value', true)
create function with_path() returns text language plpgsql set search_path = pb as $$ begin return current_schemas(false)::text; end $$;

-- behind: select current_schemas(false)
create function with_clause_sets() returns text language plpgsql set my.value = 'clause' as $$
begin
  set local my.value = 'changed';
  set my.other = 'session';
  return current_setting('my.value');
end $$;

-- behind: select current_setting('my.value', true), current_setting('my.other')
create function bad_clause() returns int language plpgsql set nosuch_setting = 5 as $$ begin return 1; end $$;
create function bad_value() returns int language plpgsql set work_mem = 'x' as $$ begin return 1; end $$;
