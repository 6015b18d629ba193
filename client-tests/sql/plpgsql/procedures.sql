-- file: message detail hint context objects notices
-- Procedures: CALL, INOUT, COMMIT and ROLLBACK, where they are refused.
create schema plo;
set search_path = plo, public;
create table t (id int primary key, v text);
create procedure nothing() language plpgsql as $$ begin end $$;
call nothing();
create procedure adds(k int, w text default 'default') language plpgsql as $$ begin insert into t values (k, w); end $$;
call adds(1, 'one');
call adds(2);
call adds(w => 'named', k => 3);
call adds(1);
call adds('x');
call adds();
call nosuch();
select * from t order by id;
select adds(5);
create function a_function() returns int language plpgsql as $$ begin return 1; end $$;
call a_function();
create procedure inouts(inout a int, inout b text, c int) language plpgsql as $$
begin
  a := a * c;
  b := b || c;
end $$;
call inouts(2, 'x', 5);
call inouts(null, null, 5);
call inouts(a => 1, b => 'y', c => 2);
create procedure outs(a int, out b int, out c text) language plpgsql as $$
begin
  b := a + 1;
  c := 'c' || a;
end $$;
call outs(1, null, null);
call outs(1, 1 / 0, 'ignored');
call outs(1);
create procedure one_inout(inout a numeric) language plpgsql as $$ begin a := a / 3; end $$;
call one_inout(1);
create procedure unset_out(out a int) language plpgsql as $$ begin end $$;
call unset_out(5);
create procedure returns_early(inout a int) language plpgsql as $$
begin
  if a > 0 then
    a := 100;
    return;
  end if;
  a := -100;
end $$;
call returns_early(1);
call returns_early(0);
create procedure return_value() language plpgsql as $$ begin return 5; end $$;
create procedure return_next() language plpgsql as $$ begin return next 5; end $$;
create procedure raises(a int) language plpgsql as $$ begin raise notice 'got %', a; raise exception 'failed with %', a; end $$;
call raises(3);
create procedure calls_others(inout total int) language plpgsql as $$
declare
  x int := 2;
  y text := 'a';
begin
  call adds(10, 'from procedure');
  call inouts(x, y, 3);
  call outs(x, total, y);
  total := total + length(y);
  raise notice '% % %', x, y, total;
end $$;
call calls_others(0);
select * from t where id = 10;
create procedure call_with_expression() language plpgsql as $$ declare x int := 1; begin call one_inout(x + 1); end $$;
call call_with_expression();
create procedure call_with_constant() language plpgsql as $$ declare c constant numeric := 1; begin call one_inout(c); end $$;
call call_with_constant();
create procedure call_converts() language plpgsql as $$
declare
  x int := 10;
  y text := '7';
begin
  call one_inout(x);
  raise notice '%', x;
end $$;
call call_converts();
create function function_calls() returns text language plpgsql as $$
declare
  x int := 2;
  y text := 'f';
begin
  call inouts(x, y, 4);
  return x || y;
end $$;
select function_calls();
create procedure call_into_record() language plpgsql as $$
declare
  r record;
  a t;
begin
  a.id := 5;
  a.v := 'v';
  call inouts(a.id, a.v, 2);
  raise notice '%', a;
end $$;
call call_into_record();
create procedure recursive(n int, inout r int) language plpgsql as $$
begin
  if n > 0 then
    r := r + n;
    call recursive(n - 1, r);
  end if;
end $$;
call recursive(10, 0);
create procedure commits(n int) language plpgsql as $$
begin
  for i in 1 .. n loop
    insert into t values (100 + i, 'loop');
    if i % 2 = 0 then
      commit;
    else
      rollback;
    end if;
  end loop;
end $$;
call commits(6);
select id from t where id > 100 order by id;
call commits(7);
select id from t where id > 100 order by id;
delete from t;
call commits(5);
select id from t where id > 100 order by id;
begin;
call commits(2);
rollback;
begin;
call adds(200, 'in transaction');
select * from t where id = 200;
rollback;
select * from t where id = 200;
create procedure commit_then_fail() language plpgsql as $$
begin
  insert into t values (300, 'kept');
  commit;
  insert into t values (301, 'lost');
  perform 1 / 0;
end $$;
call commit_then_fail();
select id from t where id >= 300 order by id;
create function function_commits() returns int language plpgsql as $$ begin commit; return 1; end $$;
select function_commits();
create function function_rolls_back() returns int language plpgsql as $$ begin rollback; return 1; end $$;
select function_rolls_back();
create procedure only_commits() language plpgsql as $$ begin commit; end $$;
create function function_calls_committing() returns int language plpgsql as $$ begin call only_commits(); return 1; end $$;
select function_calls_committing();
create procedure procedure_calls_function() language plpgsql as $$ begin perform function_commits(); end $$;
call procedure_calls_function();
create procedure nested_commits() language plpgsql as $$
begin
  insert into t values (400, 'a');
  call only_commits();
  insert into t values (401, 'b');
  rollback;
  insert into t values (402, 'c');
end $$;
call nested_commits();
select id from t where id >= 400 order by id;
create procedure commit_in_block() language plpgsql as $$
begin
  begin
    insert into t values (500, 'a');
    commit;
  exception when others then
    raise notice 'caught % %', sqlstate, sqlerrm;
  end;
end $$;
call commit_in_block();
select id from t where id >= 500 order by id;
create procedure rollback_in_block() language plpgsql as $$
begin
  begin
    rollback;
  exception when invalid_transaction_termination then
    raise notice 'caught % %', sqlstate, sqlerrm;
  end;
end $$;
call rollback_in_block();
create procedure commit_in_handler() language plpgsql as $$
begin
  begin
    insert into t values (510, 'undone');
    perform 1 / 0;
  exception when division_by_zero then
    insert into t values (511, 'kept');
    commit;
  end;
  insert into t values (512, 'rolled back');
  rollback;
end $$;
call commit_in_handler();
select id from t where id >= 510 order by id;
create procedure commit_after_block() language plpgsql as $$
declare
  n int := 0;
begin
  for i in 1 .. 4 loop
    begin
      insert into t values (520 + i % 3, 'x');
      n := n + 1;
    exception when unique_violation then
      raise notice 'twice %', i;
    end;
    commit;
  end loop;
  raise notice '%', n;
end $$;
call commit_after_block();
select id from t where id >= 520 order by id;
create procedure commit_by_execute() language plpgsql as $$ begin execute 'commit'; end $$;
call commit_by_execute();
create procedure call_by_execute(inout a int) language plpgsql as $$ begin execute 'call inouts($1, ''x'', 2)' into a using a; end $$;
call call_by_execute(4);
create procedure savepoint_inside() language plpgsql as $$ begin savepoint a; end $$;
call savepoint_inside();
create procedure begin_inside() language plpgsql as $$ begin start transaction; end $$;
call begin_inside();
create procedure commit_in_loop_over_query() language plpgsql as $$
declare
  r record;
begin
  for r in select g from generate_series(1, 4) g order by g loop
    insert into t values (600 + r.g, 'q');
    if r.g % 2 = 0 then commit; end if;
  end loop;
  rollback;
end $$;
call commit_in_loop_over_query();
select id from t where id >= 600 order by id;
create procedure rollback_in_loop_over_query() language plpgsql as $$
declare
  r record;
begin
  for r in select id from t where id >= 600 order by id loop
    delete from t where id = r.id;
    if r.id = 603 then commit; else rollback; end if;
  end loop;
end $$;
call rollback_in_loop_over_query();
select id from t where id >= 600 order by id;
create procedure commit_in_loop_over_changes() language plpgsql as $$
declare
  r record;
begin
  for r in update t set v = 'u' where id >= 600 returning id loop
    commit;
  end loop;
end $$;
call commit_in_loop_over_changes();
create procedure commit_with_open_cursor() language plpgsql as $$
declare
  c cursor for select id from t where id >= 600 order by id;
  i int;
begin
  open c;
  fetch c into i;
  commit;
  fetch c into i;
  raise notice '%', i;
end $$;
call commit_with_open_cursor();
create procedure variables_after_rollback() language plpgsql as $$
declare
  a int := 1;
  b text := 'long text ' || repeat('x', 100);
  r t;
  arr int[] := '{1,2}';
begin
  insert into t values (700, 'x') returning * into r;
  a := 2;
  rollback;
  raise notice '% % % % %', a, length(b), r, arr, (select count(*) from t where id = 700);
  arr[3] := 5;
  commit;
  raise notice '%', arr;
end $$;
call variables_after_rollback();
create procedure and_chain() language plpgsql as $$
begin
  commit;
  set transaction isolation level repeatable read;
  raise notice '%', current_setting('transaction_isolation');
  commit and chain;
  raise notice '%', current_setting('transaction_isolation');
  rollback and no chain;
  set transaction isolation level read committed;
  raise notice '%', current_setting('transaction_isolation');
end $$;
call and_chain();
create procedure isolation_too_late() language plpgsql as $$ begin set transaction isolation level repeatable read; end $$;
call isolation_too_late();
create procedure set_local() language plpgsql as $$
begin
  set local work_mem = '1MB';
  raise notice '%', current_setting('work_mem');
  commit;
  raise notice '%', current_setting('work_mem') <> '1MB';
end $$;
call set_local();
create procedure with_set(inout a text) language plpgsql set work_mem = '2MB' as $$ begin a := current_setting('work_mem'); end $$;
call with_set('');
create procedure with_set_commits() language plpgsql set work_mem = '2MB' as $$ begin commit; end $$;
call with_set_commits();
create procedure definer_commits() language plpgsql security definer as $$ begin commit; end $$;
call definer_commits();
create procedure over(a int) language plpgsql as $$ begin raise notice 'int'; end $$;
create procedure over(a text) language plpgsql as $$ begin raise notice 'text'; end $$;
call "over"(1);
call "over"('x');
call "over"('x'::text);
create procedure variadic_one(inout n int, variadic a int[]) language plpgsql as $$ begin n := n + coalesce(array_length(a, 1), 0); end $$;
call variadic_one(0, 1, 2, 3);
call variadic_one(0, variadic array[5]);
create procedure by_sql(k int, w text) language sql as $$ insert into t values (k, w); insert into t values (k + 1, w); $$;
call by_sql(800, 'sql');
select id from t where id >= 800 order by id;
create procedure calls_sql() language plpgsql as $$ begin call by_sql(810, 'x'); call by_sql(810, 'x'); end $$;
call calls_sql();
drop procedure adds;
drop procedure "over";
drop procedure "over"(int);
drop function nothing();
drop procedure a_function();
drop routine nothing();
call nothing();
create procedure poly(inout a anyelement, inout b anyarray) language plpgsql as $$ begin b := b || a; a := b[1]; end $$;
call poly(3, array[1, 2]);
call poly('x'::text, array['a']);
create procedure call_subquery(inout a int) language plpgsql as $$ begin a := a * 2; end $$;
call call_subquery((select 21));
call call_subquery(length('abc') + 1);
do $$ declare x int := 4; begin call call_subquery(x); raise notice '%', x; end $$;
delete from t;
do $$ begin call commits(2); end $$;
select count(*) from t where id in (101, 102);
