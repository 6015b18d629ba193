"""Triggers after restarts, clean and not."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create table log (at serial, line text);
create table t (id integer primary key, v integer, note text);
create function tell() returns trigger language plpgsql as $$
begin
  insert into log (line) values (concat_ws(' ', tg_name, tg_when, tg_level, tg_op, tg_argv[0], new.id));
  return new;
end $$;
create function keeps() returns trigger language plpgsql as $$ begin return null; end $$;
create function even() returns trigger language plpgsql as $$
begin
  if (select sum(v) from t) % 2 <> 0 then raise exception 'odd'; end if;
  return null;
end $$;
create trigger b_row before insert or update of v, note on t for each row when (new.v > 0) execute function tell('it''s', 2);
create trigger a_statement after insert on t referencing new table as fresh execute function tell();
create trigger z_off before delete on t for each row execute function keeps();
create constraint trigger c_even after insert or update on t deferrable initially deferred for each row execute function even();
create trigger gone before delete on t for each row execute function keeps();
drop trigger gone on t;
create trigger old_name before truncate on t execute function keeps();
alter trigger old_name on t rename to new_name;
alter table t disable trigger z_off;
comment on trigger b_row on t is 'said';
create view w as select id, v from t;
create trigger instead instead of insert on w for each row execute function tell();
create table parts (k integer, v integer) partition by list (k);
create table parts_one partition of parts for values in (1);
create trigger of_parts before insert on parts for each row execute function tell();
create table parts_two partition of parts for values in (2);
alter table t rename column v to value;
alter table t rename column value to v;
"""
QUERIES = [
    "select tgrelid::regclass, tgname, tgtype, tgenabled, tgnargs, tgargs, tgattr, tgdeferrable, tginitdeferred, tgoldtable, tgnewtable, tgparentid <> 0 from pg_trigger order by 1, 2",
    "select tgname, pg_get_triggerdef(oid) from pg_trigger order by tgrelid, tgname",
    "select obj_description(oid, 'pg_trigger') from pg_trigger where tgname = 'b_row'",
    "select conname, contype, condeferrable from pg_constraint where contype = 't'",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_triggers_are_there_after_a_restart(server, is_clean):
    require_same_after_restart(server, [SETUP], "create trigger unfinished before insert on t for each row execute function keeps()", QUERIES, is_clean)
    with server.connect() as connection:
        assert connection.execute("select count(*) from pg_trigger where tgname in ('unfinished', 'gone', 'old_name')").fetchall() == [(0,)]
        connection.execute("insert into t values (1, 2), (2, 0)")
        assert connection.execute("select line from log order by at").fetchall() == [
            ("b_row BEFORE ROW INSERT it's 1",), ("a_statement AFTER STATEMENT INSERT",)]
        with pytest.raises(Exception, match="odd"):
            connection.execute("insert into t values (3, 1)")
        assert connection.execute("select id from t order by id").fetchall() == [(1,), (2,)]
        connection.execute("delete from t where id = 2")
        assert connection.execute("select id from t").fetchall() == [(1,)]
        connection.execute("create trigger later before insert on t for each row execute function keeps()")
        connection.execute("insert into t values (9, 9)")
        assert connection.execute("select id from t").fetchall() == [(1,)]
        assert connection.execute("select count(distinct oid) = count(*) from pg_trigger").fetchall() == [(True,)]
        with pytest.raises(Exception, match="because other objects depend on it"):
            connection.execute("drop function keeps()")
        connection.execute("drop function keeps() cascade")
        connection.execute("insert into t values (9, 8)")
        assert connection.execute("select id from t order by id").fetchall() == [(1,), (9,)]
