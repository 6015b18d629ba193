-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of transactions in procedures.
create schema pmt;
set search_path = pmt, public;
create table test1 (a int);
create table test2 (x int);
create procedure transaction_test1() language plpgsql as $$
BEGIN
    FOR i IN 0..9 LOOP
        INSERT INTO test1 (a) VALUES (i);
        IF i % 2 = 0 THEN
            COMMIT;
        ELSE
            ROLLBACK;
        END IF;
    END LOOP;
END;
$$;
call transaction_test1();
select * from test1 order by a;
insert into test2 select generate_series(1, 30);
create procedure transaction_test2() language plpgsql as $$
DECLARE
    r RECORD;
BEGIN
    FOR r IN SELECT * FROM test2 ORDER BY x LOOP
        INSERT INTO test1 (a) VALUES (r.x + 100);
        COMMIT;
    END LOOP;
END;
$$;
call transaction_test2();
select count(*), max(a) from test1;
begin;
call transaction_test1();
rollback;
create function commits() returns int language plpgsql as $$ begin commit; return 1; end $$;
select commits();
create procedure commits_inside_exception() language plpgsql as $$
begin
  begin
    insert into test1 values (1000);
    commit;
  exception when division_by_zero then null;
  end;
end $$;
call commits_inside_exception();
create procedure rolls_back_inside_exception() language plpgsql as $$ begin begin rollback; exception when division_by_zero then null; end; end $$;
call rolls_back_inside_exception();
create procedure commits_in_handler() language plpgsql as $$
begin
  begin
    insert into test1 values (2000);
    perform 1 / 0;
  exception when division_by_zero then
    insert into test1 values (2001);
    commit;
  end;
  insert into test1 values (2002);
  rollback;
end $$;
call commits_in_handler();
select a from test1 where a >= 1000 order by a;
create procedure chains() language plpgsql as $$
begin
  set transaction isolation level repeatable read;
end $$;
call chains();
create procedure chains_after() language plpgsql as $$
begin
  commit;
  set transaction isolation level repeatable read;
  raise notice '%', current_setting('transaction_isolation');
  insert into test1 values (3000);
  commit and chain;
  raise notice '%', current_setting('transaction_isolation');
  rollback and chain;
  raise notice '%', current_setting('transaction_isolation');
  commit;
  raise notice '%', current_setting('transaction_isolation');
end $$;
call chains_after();
create procedure set_too_late() language plpgsql as $$
begin
  commit;
  perform 1;
  set transaction isolation level repeatable read;
end $$;
call set_too_late();
do $$ begin insert into test1 values (4000); commit; insert into test1 values (4001); rollback; end $$;
select a from test1 where a >= 3000 order by a;
create procedure calls_others(n int) language plpgsql as $$
begin
  insert into test1 values (n);
  if n < 5003 then call calls_others(n + 1); end if;
  rollback;
  insert into test1 values (n + 100);
  commit;
end $$;
call calls_others(5000);
select a from test1 where a >= 5000 order by a;
create function calls_procedure() returns int language plpgsql as $$ begin call transaction_test1(); return 1; end $$;
select calls_procedure();
create procedure with_setting() language plpgsql set work_mem = '1MB' as $$ begin commit; end $$;
call with_setting();
create procedure with_definer() language plpgsql security definer as $$ begin commit; end $$;
call with_definer();
create procedure savepoints() language plpgsql as $$ begin savepoint a; end $$;
call savepoints();
create procedure begins() language plpgsql as $$ begin start transaction; end $$;
call begins();
create procedure dynamic_commit() language plpgsql as $$ begin execute 'commit'; end $$;
call dynamic_commit();
create procedure loop_writes() language plpgsql as $$
declare r record;
begin
  for r in update test2 set x = x + 1 returning x loop
    commit;
  end loop;
end $$;
call loop_writes();
create procedure loop_rolls_back() language plpgsql as $$
declare
  n int := 0;
begin
  for r in select x from test2 order by x loop end loop;
end $$;
create procedure loop_rolls_back() language plpgsql as $$
declare
  r record;
  n int := 0;
begin
  for r in select x from test2 where x <= 4 order by x loop
    insert into test1 values (6000 + r.x);
    rollback;
    n := n + r.x;
  end loop;
  insert into test1 values (6100 + n);
  commit;
end $$;
call loop_rolls_back();
select a from test1 where a >= 6000 order by a;
create procedure cursor_across() language plpgsql as $$
declare
  c cursor for select x from test2 order by x;
  v int;
begin
  open c;
  fetch c into v;
  commit;
  fetch c into v;
end $$;
call cursor_across();
create procedure for_cursor_across(inout s int) language plpgsql as $$
declare
  c cursor for select x from test2 where x < 6 order by x;
begin
  for r in c loop
    s := s + r.x;
    commit;
  end loop;
end $$;
call for_cursor_across(100);
create procedure failing() language plpgsql as $$
begin
  insert into test1 values (7000);
  commit;
  insert into test1 values (7001);
  perform 1 / 0;
end $$;
call failing();
select a from test1 where a >= 7000 order by a;
create procedure transaction_ids(out same boolean, out other boolean) language plpgsql as $$
declare
  a timestamptz := transaction_timestamp();
begin
  same := a = now();
  perform pg_sleep(0.002);
  commit;
  other := now() > a;
end $$;
call transaction_ids(null, null);
