-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: set plpgsql.check_asserts = off
select asserted(0), assert_fails(0);
