-- file: message detail hint context objects notices
-- Row triggers: errors, WHEN, UPDATE OF, their order, changes to other tables, enabling and renaming, COPY.
create schema pvm;
set search_path = pvm, public;
create table t (id int primary key, name text, n numeric(6,2) default 0, changed int default 0);
create table log (at serial, line text);
create function tell() returns trigger language plpgsql as $$
begin
  insert into log (line) values (concat_ws(' ', tg_name, tg_when, tg_level, tg_op, tg_table_schema, tg_table_name, tg_relname, tg_nargs, tg_argv[0], tg_argv[1], coalesce(tg_argv[2], 'none')));
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create function checks() returns trigger language plpgsql as $$
begin
  if new.n < 0 then
    raise exception 'n of % is negative: %', new.id, new.n using errcode = 'check_violation', column = 'n', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger check_n before insert or update of n on t for each row execute function checks();
insert into t values (1, 'fine', 1), (2, 'bad', -1);
select count(*) from t;
insert into t values (1, 'fine', 1);
update t set n = n - 5;
update t set name = 'not looked at', id = 2;
select * from t;
drop trigger check_n on t;
create trigger when_large before update on t for each row when (old.n < new.n and new.name is not null) execute function tell('larger');
update t set n = n + 1;
update t set n = n - 1;
update t set n = n + 1, name = null;
select line from log order by at;
truncate log;
drop trigger when_large on t;
create trigger when_changed after update on t for each row when (old is distinct from new) execute function tell('changed');
update t set name = 'now' where name is null;
update t set name = 'now';
select line from log order by at;
truncate log;
drop trigger when_changed on t;
create trigger of_columns before update of name, n on t for each row execute function tell('of');
update t set changed = 5;
update t set name = name;
update t set changed = 6, n = 1;
select line from log order by at;
truncate log;
drop trigger of_columns on t;
create trigger b_second before insert on t for each row execute function tell('b');
create trigger a_first before insert on t for each row execute function tell('a');
create trigger "C third" before insert on t for each row execute function tell('c');
insert into t values (20, 'order');
select line from log order by at;
truncate log;
drop trigger "C third" on t;
drop trigger b_second on t;
drop trigger a_first on t;
create function appends() returns trigger language plpgsql as $$ begin new.name := new.name || tg_argv[0]; return new; end $$;
create trigger x1 before insert on t for each row execute function appends('-first');
create trigger x2 before insert on t for each row when (new.name like '%first') execute function appends('-second');
insert into t values (21, 'row') returning name;
drop trigger x1 on t;
insert into t values (22, 'row') returning name;
drop trigger x2 on t;
create function after_sees_all() returns trigger language plpgsql as $$
begin
  insert into log (line) select 'row ' || new.id || ' sees ' || count(*) from t where id > 100;
  return null;
end $$;
create trigger sees after insert on t for each row execute function after_sees_all();
insert into t select g from generate_series(101, 103) g;
select line from log order by at;
truncate log;
drop trigger sees on t;
create trigger sees before insert on t for each row execute function after_sees_all();
insert into t select g from generate_series(104, 105) g;
select line from log order by at;
truncate log;
drop trigger sees on t;
create function after_result_ignored() returns trigger language plpgsql as $$ begin new.name := 'ignored'; return new; end $$;
create trigger ignored after insert on t for each row execute function after_result_ignored();
insert into t values (110, 'stays') returning name;
select name from t where id = 110;
drop trigger ignored on t;
create function fails_after() returns trigger language plpgsql as $$ begin raise exception 'after % of %', tg_op, new.id using hint = 'no'; end $$;
create trigger fails after insert on t for each row execute function fails_after();
insert into t values (111, 'x');
select count(*) from t where id = 111;
drop trigger fails on t;
create function divides() returns trigger language plpgsql as $$ begin new.n := 10 / new.id; return new; end $$;
create trigger divide before insert on t for each row execute function divides();
insert into t values (0, 'x');
insert into t values (-5, 'x') returning n;
create function inserts_zero(k int) returns text language plpgsql as $$
begin
  insert into t values (k, 'by function');
  return 'inserted';
exception when division_by_zero then
  return 'caught';
end $$;
select inserts_zero(0), inserts_zero(-2);
create function inserts_uncaught(k int) returns text language plpgsql as $$ begin insert into t values (k, 'by function'); return 'inserted'; end $$;
select inserts_uncaught(0);
drop trigger divide on t;
create function updates_other() returns trigger language plpgsql as $$
begin
  update totals set total = total + coalesce(new.n, 0) - coalesce(old.n, 0), rows = rows + (tg_op = 'INSERT')::int - (tg_op = 'DELETE')::int;
  return null;
end $$;
create table totals (total numeric, rows int);
insert into totals values (0, 0);
delete from t;
create trigger keep_totals after insert or update or delete on t for each row execute function updates_other();
insert into t values (1, 'a', 10), (2, 'b', 20), (3, 'c', 5);
select * from totals;
update t set n = n * 2 where id <> 3;
delete from t where id = 1;
select * from totals;
begin;
delete from t;
select * from totals;
rollback;
select * from totals;
alter table t disable trigger keep_totals;
insert into t values (50, 'silent', 1000);
select * from totals;
alter table t enable trigger keep_totals;
delete from t where id = 50;
select * from totals;
alter table t disable trigger all;
delete from t;
select * from totals;
alter table t enable trigger all;
alter trigger keep_totals on t rename to totals_kept;
insert into t values (60, 'x', 1);
select * from totals;
drop trigger keep_totals on t;
drop trigger totals_kept on t;
copy t (id, name) from stdin;
200	copied
\.
create trigger copied before insert on t for each row execute function appends('-copied');
copy t (id, name) from stdin;
201	one
202	two
\.
select id, name from t where id > 200 order by id;
