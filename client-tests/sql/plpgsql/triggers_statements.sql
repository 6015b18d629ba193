-- file: message detail hint context objects notices
-- Statement triggers, transition tables, TRUNCATE, definitions that are refused.
create schema pw;
set search_path = pw, public;
create table t (id int primary key, v int);
create table log (at serial, line text);
create function tell() returns trigger language plpgsql as $$
begin
  insert into log (line) values (concat_ws(' ', tg_name, tg_when, tg_level, tg_op, tg_argv[0]));
  return null;
end $$;
create trigger before_statement before insert or update or delete or truncate on t for each statement execute function tell('x');
create trigger after_statement after insert or update or delete or truncate on t execute function tell();
create trigger before_row before insert or update or delete on t for each row execute function tell();
insert into t values (1, 1), (2, 2);
select line from log order by at;
select count(*) from t;
drop trigger before_row on t;
truncate log;
create trigger after_row after insert or update or delete on t for each row execute function tell();
insert into t values (1, 1), (2, 2);
update t set v = v + 1;
update t set v = 5 where false;
delete from t where id = 2;
delete from t where false;
truncate t;
insert into t select 1, 1 where false;
insert into t values (1, 1) on conflict (id) do update set v = 9;
insert into t values (1, 1) on conflict (id) do update set v = 9;
select line from log order by at;
truncate log;
drop trigger before_statement on t;
drop trigger after_statement on t;
drop trigger after_row on t;
create function statement_new() returns trigger language plpgsql as $$ begin raise notice '% %', old, new; return null; end $$;
create trigger st after insert on t execute function statement_new();
insert into t values (3, 3);
drop trigger st on t;
create function statement_returns_row() returns trigger language plpgsql as $$ begin return row(1, 2)::t; end $$;
create trigger st before insert on t for each statement execute function statement_returns_row();
insert into t values (4, 4);
drop trigger st on t;
create function statement_counts() returns trigger language plpgsql as $$
declare
  n int;
begin
  select count(*) into n from t;
  raise notice '% % %: % rows', tg_when, tg_op, tg_level, n;
  return null;
end $$;
create trigger c1 before insert or delete on t execute function statement_counts();
create trigger c2 after insert or delete on t execute function statement_counts();
insert into t select g, g from generate_series(10, 14) g;
delete from t where id >= 10;
drop trigger c1 on t;
drop trigger c2 on t;
create function statement_refuses() returns trigger language plpgsql as $$ begin raise exception 'no % on %', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege'; end $$;
create trigger refuse before delete or truncate on t for each statement execute function statement_refuses();
delete from t where false;
truncate t;
drop trigger refuse on t;
delete from t;
create function with_new_table() returns trigger language plpgsql as $$
declare
  r record;
begin
  for r in select * from added order by id loop
    raise notice 'added %', r;
  end loop;
  insert into log (line) select 'sum ' || coalesce(sum(v), 0) || ' of ' || count(*) from added;
  return null;
end $$;
create trigger transition after insert on t referencing new table as added for each statement execute function with_new_table();
insert into t values (1, 10), (2, 20);
insert into t select 5, 5 where false;
insert into t values (3, 30) returning id;
select line from log order by at;
truncate log;
create function with_both_tables() returns trigger language plpgsql as $$
declare
  r record;
begin
  for r in select o.id, o.v as old_v, n.v as new_v from old_rows o join new_rows n using (id) where o.v is distinct from n.v order by 1 loop
    raise notice '%: % -> %', r.id, r.old_v, r.new_v;
  end loop;
  return null;
end $$;
create trigger transition_update after update on t referencing old table as old_rows new table as new_rows for each statement execute function with_both_tables();
update t set v = v * 2 where id < 3;
update t set v = v;
create function with_old_table() returns trigger language plpgsql as $$
begin
  raise notice 'gone %', (select array_agg(id order by id) from gone);
  return null;
end $$;
create trigger transition_delete after delete on t referencing old table as gone for each statement execute function with_old_table();
delete from t where id > 1;
delete from t where id > 1;
create trigger bad_transition before insert on t referencing new table as x for each statement execute function tell();
create trigger bad_transition after insert on t referencing old table as x for each statement execute function tell();
create trigger bad_transition after insert or update on t referencing new table as x for each statement execute function tell();
create trigger bad_transition after update of v on t referencing new table as x for each statement execute function tell();
create trigger bad_when before insert on t for each statement when (new.id > 1) execute function tell();
create trigger bad_when before insert on t for each row when (old.id > 1) execute function tell();
create trigger bad_when before delete on t for each row when (new.id > 1) execute function tell();
create trigger bad_when before delete on t for each row when (old.nosuch > 1) execute function tell();
create trigger bad_when before delete on t for each row when (exists (select 1)) execute function tell();
create trigger bad_function before delete on t for each row execute function nosuch();
create function no_trigger() returns int language plpgsql as $$ begin return 1; end $$;
create trigger bad_function before delete on t for each row execute function no_trigger();
create trigger bad_event before insert or insert on t for each row execute function tell();
create trigger bad_level before truncate on t for each row execute function tell();
create trigger instead instead of insert on t for each row execute function tell();
create trigger on_nothing before insert on nosuch for each row execute function tell();
create trigger transition after delete on t for each row execute function tell();
create or replace trigger transition after delete on t for each row execute function tell('replaced');
insert into t values (70, 7);
delete from t where id = 70;
select line from log order by at;
truncate log;
select tell();
create function trigger_with_arguments(a int) returns trigger language plpgsql as $$ begin return new; end $$;
drop function tell();
create function row_transition() returns trigger language plpgsql as $$ begin raise notice 'row % of %', new.id, (select count(*) from fresh); return null; end $$;
create trigger rows_with_table after insert on t referencing new table as fresh for each row execute function row_transition();
insert into t values (80, 1), (81, 2);
drop trigger rows_with_table on t;
