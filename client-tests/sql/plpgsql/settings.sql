-- file: message detail hint context objects notices
-- plpgsql.print_strict_params, plpgsql.check_asserts, plpgsql.extra_warnings and extra_errors.
create schema pse;
set search_path = pse, public;
create table t (a int, b text);
insert into t values (1, 'x'), (2, 'y');
do 'begin end';
set plpgsql.print_strict_params = on;
create function strict_params(k int) returns text language plpgsql as $$ declare r text; begin select b into strict r from t where a >= k; return r; end $$;
select strict_params(2);
create function strict_params_off(k int) returns text language plpgsql as $$
#print_strict_params off
declare r text; begin select b into strict r from t where a >= k; return r; end $$;
select strict_params_off(5);
set plpgsql.print_strict_params = off;
create or replace function strict_params(k int) returns text language plpgsql as $$ declare r text; begin select b into strict r from t where a >= k; return r; end $$;
select strict_params(5);
create function asserts() returns text language plpgsql as $$ begin assert 1 = 2, 'no'; return 'not checked'; end $$;
select asserts();
set plpgsql.check_asserts = off;
reset plpgsql.check_asserts;
select asserts();
set plpgsql.extra_warnings = 'shadowed_variables';
select shadows(5);
set plpgsql.extra_warnings = 'none';
set plpgsql.extra_errors = 'shadowed_variables';
set plpgsql.extra_errors = 'none';
set plpgsql.extra_warnings = 'too_many_rows';
create function many_rows() returns text language plpgsql as $$ declare r text; begin select b into r from t; return r; end $$;
set plpgsql.extra_warnings = 'strict_multi_assignment';
create function few_targets() returns text language plpgsql as $$ declare r int; begin select a, b into r from t limit 1; return r; end $$;
set plpgsql.extra_errors = 'all';
set plpgsql.extra_warnings = 'none';
create function many_rows_error() returns text language plpgsql as $$ declare r text; begin select b into r from t; return r; end $$;
create function few_targets_error() returns text language plpgsql as $$ declare r int; begin select a, b into r from t limit 1; return r; end $$;
reset plpgsql.extra_errors;
reset plpgsql.extra_warnings;
set check_function_bodies = off;
select not_checked();
select not_checked_type();
create type nosuch_type as (q int);
select not_checked_type();
reset check_function_bodies;
create function checked() returns int language plpgsql as $$ begin this is nothing; end $$;
