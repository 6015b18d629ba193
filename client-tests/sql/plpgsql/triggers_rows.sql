-- file: message detail hint context objects notices
-- Row triggers: BEFORE and AFTER, NEW and OLD, TG_ variables, what they return. WHEN, UPDATE OF, order and effects are in triggers_more.sql.
create schema pv;
set search_path = pv, public;
create table t (id int primary key, name text, n numeric(6,2) default 0, changed int default 0);
create table log (at serial, line text);
create function tell() returns trigger language plpgsql as $$
begin
  insert into log (line) values (concat_ws(' ', tg_name, tg_when, tg_level, tg_op, tg_table_schema, tg_table_name, tg_relname, tg_nargs, tg_argv[0], tg_argv[1], coalesce(tg_argv[2], 'none')));
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger a_before before insert or update or delete on t for each row execute function tell('one', 'two');
create trigger a_after after insert or update or delete on t for each row execute function tell();
insert into t values (1, 'a');
update t set name = 'b' where id = 1;
delete from t where id = 1;
select line from log order by at;
truncate log;
drop trigger a_before on t;
drop trigger a_after on t;
drop trigger a_after on t;
drop trigger if exists a_after on t;
create function new_changed() returns trigger language plpgsql as $$
begin
  new.name := upper(new.name);
  new.n := coalesce(new.n, 0) + 1;
  if tg_op = 'UPDATE' then
    new.changed := old.changed + 1;
  end if;
  return new;
end $$;
create trigger changes before insert or update on t for each row execute function new_changed();
insert into t values (1, 'a', 5), (2, 'b', null);
insert into t (id) values (3) returning *;
update t set name = name || 'x' returning id, name, n, changed;
select * from t order by id;
insert into t values (1, 'dup', 1) on conflict (id) do update set name = excluded.name || '!' returning *;
update t set n = 9999 where id = 2;
update t set n = 'x' where id = 2;
select * from t order by id;
drop trigger changes on t;
create function skips() returns trigger language plpgsql as $$
begin
  if new.id % 2 = 0 then
    return null;
  end if;
  return new;
end $$;
create trigger skip before insert or update on t for each row execute function skips();
delete from t;
insert into t select g, 'g' || g from generate_series(1, 5) g;
insert into t values (10, 'no') returning *;
update t set name = 'u';
update t set id = id + 1 where id = 1;
select * from t order by id;
drop trigger skip on t;
create function skips_delete() returns trigger language plpgsql as $$
begin
  if old.id = 3 then return null; end if;
  raise notice 'deleting %', old;
  return old;
end $$;
create trigger skip_delete before delete on t for each row execute function skips_delete();
delete from t returning id;
select id from t order by id;
drop trigger skip_delete on t;
create function replaces_row() returns trigger language plpgsql as $$
begin
  return row(new.id * 100, 'replaced', 1, 1)::t;
end $$;
create trigger replace before insert on t for each row execute function replaces_row();
insert into t values (7, 'x') returning *;
drop trigger replace on t;
create function returns_record() returns trigger language plpgsql as $$
declare
  r record;
begin
  select new.id + 1000 as id, 'rec'::text as name, 2.5::numeric(6,2) as n, 5 as changed into r;
  return r;
end $$;
create trigger record before insert on t for each row execute function returns_record();
insert into t values (8, 'x') returning *;
drop trigger record on t;
create function returns_short_record() returns trigger language plpgsql as $$
declare
  r record;
begin
  select 1 as id into r;
  return r;
end $$;
create trigger record before insert on t for each row execute function returns_short_record();
insert into t values (9, 'x') returning *;
drop trigger record on t;
create function returns_scalar() returns trigger language plpgsql as $$ begin return 5; end $$;
create trigger scalar before insert on t for each row execute function returns_scalar();
insert into t values (9, 'x');
drop trigger scalar on t;
create function returns_nothing() returns trigger language plpgsql as $$ begin end $$;
create trigger nothing before insert on t for each row execute function returns_nothing();
insert into t values (9, 'x');
drop trigger nothing on t;
create function new_in_delete() returns trigger language plpgsql as $$ begin raise notice '% %', old, new; return new; end $$;
create trigger news before delete on t for each row execute function new_in_delete();
delete from t where id = 3;
select id from t order by id;
drop trigger news on t;
create function old_in_insert() returns trigger language plpgsql as $$ begin raise notice '% %', new.id, old; return new; end $$;
create trigger olds before insert on t for each row execute function old_in_insert();
insert into t values (11, 'x');
drop trigger olds on t;
create function old_field_in_insert() returns trigger language plpgsql as $$ begin raise notice '%', old.id; return new; end $$;
create trigger olds before insert on t for each row execute function old_field_in_insert();
insert into t values (12, 'x');
drop trigger olds on t;
delete from t;
