-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: set plpgsql.print_strict_params = off
select strict_params(5);

-- behind: set plpgsql.extra_warnings = 'shadowed_variables'
create function shadows(a int) returns int language plpgsql as $$ declare a int := 1; begin return a; end $$;

-- behind: set plpgsql.extra_errors = 'shadowed_variables'
create function shadows_more(a int) returns int language plpgsql as $$ declare a int := 1; begin return a; end $$;

-- behind: create function many_rows() returns text language plpgsql as $$ declare r text; begin select b into r from t; return r; end $$
select many_rows();

-- behind: create function few_targets() returns text language plpgsql as $$ declare r int; begin select a, b into r from t limit 1; return r; end $$
select few_targets();

-- behind: create function many_rows_error() returns text language plpgsql as $$ declare r text; begin select b into r from t; return r; end $$
select many_rows_error();

-- behind: create function few_targets_error() returns text language plpgsql as $$ declare r int; begin select a, b into r from t limit 1; return r; end $$
select few_targets_error();

-- behind: select not_checked()
create function not_checked_type() returns int language plpgsql as $$ declare a nosuch_type; begin return 1; end $$;
