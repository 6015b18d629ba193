-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: insert into with_check values (3)
create index by_half on rows_there (gcd_of(id, 4));
