-- file: message detail hint context objects notices
-- INSTEAD OF triggers, cascades of foreign keys, triggers within triggers, constraint triggers, catalogs.
create schema pwo;
set search_path = pwo, public;
create table t (id int primary key, v int);
insert into t values (1, 10), (80, 1), (81, 2);
create table log (at serial, line text);
create function no_trigger() returns int language plpgsql as $$ begin return 1; end $$;
create view w as select id, v, v * 2 as twice from t where id >= 80;
create function instead_of() returns trigger language plpgsql as $$
begin
  raise notice '% % % old % new %', tg_when, tg_op, tg_table_name, case when tg_op <> 'INSERT' then old end, case when tg_op <> 'DELETE' then new end;
  if tg_op = 'INSERT' then
    insert into t values (new.id, new.v);
    new.twice := new.v * 2;
    return new;
  elsif tg_op = 'UPDATE' then
    update t set v = new.v where id = old.id;
    return new;
  else
    if old.id = 81 then return null; end if;
    delete from t where id = old.id;
    return old;
  end if;
end $$;
create trigger instead instead of insert or update or delete on w for each row execute function instead_of();
insert into w values (90, 5) returning *;
update w set v = v + 100 where id = 90 returning id, v, twice;
delete from w where id in (80, 81) returning id;
select * from t order by id;
insert into w (id, v) values (1, 1) on conflict do nothing;
drop trigger instead on w;
insert into w (id, v) values (91, 6);
create table parent (id int primary key, name text);
create table child (id int primary key, parent_id int references parent on delete cascade on update cascade, name text);
create function cascade_tell() returns trigger language plpgsql as $$
begin
  insert into log (line) values (format('%s %s %s old %s new %s', tg_table_name, tg_when, tg_op, case when tg_op <> 'INSERT' then old.id end, case when tg_op <> 'DELETE' then new.id end));
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger p before insert or update or delete on parent for each row execute function cascade_tell();
create trigger c before insert or update or delete on child for each row execute function cascade_tell();
insert into parent values (1, 'one'), (2, 'two');
insert into child values (10, 1, 'a'), (11, 1, 'b'), (20, 2, 'c');
update parent set id = 5 where id = 1;
delete from parent where id = 5;
select line from log order by at;
select * from child order by id;
truncate log;
create function refuses_delete() returns trigger language plpgsql as $$ begin raise exception 'child % stays', old.id; end $$;
create trigger d before delete on child for each row execute function refuses_delete();
delete from parent where id = 2;
select count(*) from parent;
drop trigger d on child;
create function depth() returns trigger language plpgsql as $$
begin
  raise notice 'depth % id %', pg_trigger_depth(), new.id;
  if new.id < 103 then
    insert into t values (new.id + 1, 0);
  end if;
  return new;
end $$;
create trigger deep after insert on t for each row execute function depth();
insert into t values (100, 0);
select id from t where id >= 100 order by id;
select pg_trigger_depth();
drop trigger deep on t;
create function changes_own_row() returns trigger language plpgsql as $$ begin if pg_trigger_depth() < 3 then update t set v = new.v + 1 where id = new.id; end if; return new; end $$;
create trigger own before update on t for each row execute function changes_own_row();
update t set v = 1 where id = 100;
drop trigger own on t;
create trigger own after update on t for each row execute function changes_own_row();
update t set v = 5 where id = 100;
select v from t where id = 100;
drop trigger own on t;
create constraint trigger checked after insert or update on t deferrable initially deferred for each row execute function no_trigger();
create function sum_is_even() returns trigger language plpgsql as $$
begin
  if (select sum(v) from t) % 2 <> 0 then
    raise exception 'the sum is odd';
  end if;
  return null;
end $$;
delete from t;
create constraint trigger checked after insert or update on t deferrable initially deferred for each row execute function sum_is_even();
insert into t values (1, 1);
begin;
insert into t values (1, 1);
select count(*) from t;
insert into t values (2, 3);
commit;
begin;
update t set v = 2 where id = 1;
commit;
select * from t order by id;
begin;
set constraints checked immediate;
update t set v = 2 where id = 1;
rollback;
drop trigger checked on t;
create function trigger_commits() returns trigger language plpgsql as $$ begin commit; return new; end $$;
create trigger commits before insert on t for each row execute function trigger_commits();
insert into t values (500, 1);
drop trigger commits on t;
create function event() returns trigger language plpgsql as $$
declare
  k int := 0;
begin
  foreach k in array tg_argv::int[] loop
    raise notice 'argument %', k;
  end loop;
  return new;
end $$;
create trigger args before insert on t for each row execute function event(1, '2', 3);
insert into t values (600, 1);
select tgname, tgnargs, tgenabled from pg_trigger where tgrelid = 't'::regclass order by tgname;
select pg_get_triggerdef(oid) from pg_trigger where tgname = 'args';
drop trigger args on t;
select event_manipulation, event_object_table, action_timing, action_orientation, action_statement from information_schema.triggers where trigger_schema = 'pwo' order by trigger_name, event_manipulation;
drop table parent cascade;
drop function cascade_tell();
drop table child;
drop function cascade_tell();
