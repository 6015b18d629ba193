-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select * from t order by id
select adds(5);

-- behind: create procedure call_into_record() language plpgsql as $$
call call_into_record();

-- behind: create procedure savepoint_inside() language plpgsql as $$ begin savepoint a; end $$
call savepoint_inside();

-- behind: create procedure begin_inside() language plpgsql as $$ begin start transaction; end $$
call begin_inside();

-- behind: create procedure commit_in_loop_over_changes() language plpgsql as $$
call commit_in_loop_over_changes();

-- behind: create procedure commit_with_open_cursor() language plpgsql as $$
call commit_with_open_cursor();

-- behind: create procedure isolation_too_late() language plpgsql as $$ begin set transaction isolation level repeatable read; end $$
call isolation_too_late();

-- behind: call variadic_one(0, variadic array[5])
create procedure by_sql(k int, w text) language sql as $$ insert into t values (k, w); insert into t values (k + 1, w); $$;
