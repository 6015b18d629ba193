-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function strict_params_many(a int, b text, c date, d boolean) returns text language plpgsql as $$
select strict_params_many(1, 'x', '2020-01-01', false);
select strict_params_many(20, null, null, null);
