-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create or replace function by_setting(a int) returns bigint language plpgsql as $$ declare n bigint; begin select count(*) into n from t where a = 1; return n; end $$
set plpgsql.variable_conflict = nosuch;

-- behind: create table keyed (a int primary key, b text)
select upsert_conflict(1, 'x');

-- behind: create function field_beats_nothing() returns text language plpgsql as $$
select field_beats_nothing();
