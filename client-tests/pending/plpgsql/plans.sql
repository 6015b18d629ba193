-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select reads(2)
select reads_column(2);

-- behind: alter table t alter column v type varchar(3) using left(v, 3)
select reads_column(2);

-- behind: drop table t
drop table t cascade;

-- behind: create function called(a int) returns text language plpgsql as $$ begin return 'int again ' || a; end $$
select calls(1);

-- behind: alter type pair rename attribute a to z
select uses_type(4);

-- behind: create function drops_in_use() returns text language plpgsql as $$
select drops_in_use();
