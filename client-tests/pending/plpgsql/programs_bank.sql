-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: insert into accounts values (5, 'Eve', 100, 'GBP')
select transfer(5, 1, 5);
