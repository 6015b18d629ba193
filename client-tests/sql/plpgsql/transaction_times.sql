-- file: message context
-- A transaction that a procedure begins has a time of its own; loops over changes end no transaction.
create table loop_changes (x integer);
insert into loop_changes values (1), (2);
create procedure own_times() language plpgsql as $$
declare s1 timestamptz; t1 timestamptz; s2 timestamptz; t2 timestamptz; t3 timestamptz;
begin
  s1 := statement_timestamp(); t1 := transaction_timestamp();
  perform pg_sleep(0.001);
  commit;
  s2 := statement_timestamp(); t2 := now();
  perform pg_sleep(0.001);
  rollback;
  t3 := now();
  raise notice 's1 = t1 %, s2 = s1 %, t2 > t1 %, t3 > t2 %', s1 = t1, s2 = s1, t2 > t1, t3 > t2;
end $$;
call own_times();
do $$
declare r record;
begin
  for r in update loop_changes set x = x * 2 returning x loop
    rollback;
  end loop;
end $$;
do $$
declare r record;
begin
  for r in update loop_changes set x = x * 2 returning x loop
    commit;
  end loop;
end $$;
select * from loop_changes order by x;
drop procedure own_times;
drop table loop_changes;
