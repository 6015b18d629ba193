-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function pair_long() returns pair language plpgsql as $$ begin return row(1, 'x', 2); end $$
select pair_long();

-- behind: insert into with_check values (3)
create index by_half on rows_there (gcd_of(id, 4));
