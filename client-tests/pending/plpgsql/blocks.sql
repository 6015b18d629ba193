-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function percent_type_length() returns text language plpgsql as $$
select percent_type_length();
