"""Indexes that call functions of users: after restarts, clean and not, after their functions have changed, and what cannot be in them."""
import subprocess

import psycopg
import pytest

SECONDS_MAX = 240
SETUP = """
create schema tools;
create function tools.inner_fold(t text) returns text language sql as 'select lower(trim(t))';
create function tools.folded(t text) returns text language sql immutable strict as 'select tools.inner_fold(t)';
create function is_active(status text) returns boolean language sql immutable as 'select status in (''new'', ''open'')';
create type tools.mood as enum ('sad', 'happy');
create function tools.mood_of(m tools.mood) returns integer language sql immutable as $$ select case when m = 'happy' then 1 else 0 end $$;
create table people (id integer primary key, name text not null, status text, mood tools.mood);
insert into people select g, ' Name ' || g % 900, (array['new', 'open', 'done'])[g % 3 + 1], (array['sad', 'happy'])[g % 2 + 1]::tools.mood from generate_series(1, 3000) g;
create index people_folded on people (tools.folded(name));
create unique index people_active on people (id) where is_active(status);
create index people_mood on people (tools.mood_of(mood), id);
create index people_words on people using gin (string_to_array(tools.folded(name), ' '));
create table keys (id integer, k text);
create unique index keys_k on keys (tools.folded(k));
insert into keys values (1, 'One'), (2, 'two');
create table by_key (id integer, k text) partition by list (tools.folded(k));
create table by_key_a partition of by_key for values in ('a');
create table by_key_b partition of by_key default;
insert into by_key values (1, ' A '), (2, 'b');
update people set name = 'Changed' where id % 10 = 0;
delete from people where id % 11 = 0;
"""
QUERIES = {
    "select count(*), sum(id) from people where tools.folded(name) = 'changed'": "people_folded",
    "select count(*), sum(id) from people where tools.folded(name) = 'name 77'": "people_folded",
    "select count(*), sum(id) from people where lower(trim(name)) = 'name 77'": None,
    "select id from people where is_active(status) and id between 50 and 60 order by id": None,
    "select id from people where tools.mood_of(mood) = 1 and id < 20 order by id": None,
    "select count(*), sum(id) from people where string_to_array(tools.folded(name), ' ') @> '{77}'": "people_words",
    "select * from keys where tools.folded(k) = 'two'": None,
    "select tableoid::regclass, * from by_key order by id": None,
}
SESSION_SETUP = """
create table t (a text, d timestamp, n integer);
create function code(a text) returns text language plpgsql immutable as 'begin return a; end';
create function reads(a text) returns bigint language sql immutable as 'select count(*) from t';
create function defined(a text) returns text language sql immutable security definer as 'select a';
create function with_setting(a text) returns text language sql immutable set search_path = public as 'select a';
create function dated(d timestamp) returns text language sql immutable as 'select d::text';
create function dayed(d timestamp) returns text language sql immutable as $$ select to_char(d, 'YYYY-MM-DD') $$;
create function listed(a text[]) returns text language sql immutable as $$ select array_to_string(a, ',') $$;
create function joined(a text, n integer) returns text language sql immutable as $$ select concat(a, '/', n) || format('%s', a) $$;
create function joined_date(d date) returns text language sql immutable as $$ select concat(d, 'x') $$;
create function timed(a text) returns boolean language sql immutable as 'select now() > ''2000-01-01''';
create function by_user(a text) returns boolean language sql immutable as 'select a = current_user';
create schema elsewhere;
create domain tested as text check (code(value) <> 'bad');
create domain short as text check (length(value) < 5);
create function elsewhere.helper(a text) returns text language sql immutable as 'select a';
"""
CATALOG = "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1"


def answers(server):
    with server.connect() as connection:
        found = [connection.execute(query).fetchall() for query in [*QUERIES, CATALOG]]
        for query, index in QUERIES.items():
            plan = "\n".join(row[0] for row in connection.execute("explain " + query))
            assert index is None or f"using {index}" in plan, plan
        return found


def verify(server):
    checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def refused(connection, statement, code):
    with pytest.raises(psycopg.Error) as raised:
        connection.execute(statement)
    assert raised.value.sqlstate == code, raised.value


@pytest.mark.parametrize("is_clean", [True, False])
def test_indexes_are_whole_after_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        connection.execute(SETUP)
        connection.execute("begin bulk write")
        connection.execute("insert into people select g, 'Bulk ' || g, 'new', 'sad' from generate_series(10000, 12000) g")
        connection.execute("commit")
        connection.execute("begin bulk write")
        connection.execute("update people set name = 'Undone' where id > 10500")
        connection.execute("rollback")
    unfinished = server.connect()
    unfinished.execute("begin; update people set name = 'Unfinished' where id % 7 = 0; insert into people values (20000, 'Unfinished', 'new', 'sad')")
    before = answers(server)
    assert before[0] == [(273, 409920)]
    if is_clean:
        unfinished.close()
        assert server.stop() == 0
        verify(server)
    else:
        server.kill()
    server.start()
    assert answers(server) == before
    with server.connect() as connection:
        assert connection.execute("select count(*) from people where tools.folded(name) in ('unfinished', 'undone')").fetchone() == (0,)
        assert connection.execute("select count(*) from people where tools.folded(name) = 'bulk 11000'").fetchone() == (1,)
        refused(connection, "insert into keys values (3, ' TWO ')", "23505")
        connection.execute("insert into by_key values (3, 'A'), (4, 'c')")
        assert connection.execute("select tableoid::regclass::text from by_key where tools.folded(k) = 'a' order by id").fetchall() == [("by_key_a",)] * 2
        connection.execute("vacuum people")
        connection.execute("delete from by_key where id > 2")
    assert answers(server) == before
    assert server.stop() == 0
    verify(server)
    server.start()
    assert answers(server) == before
    assert server.stop() == 0


def test_indexes_follow_their_functions(server):
    server.start()
    with server.connect() as connection:
        connection.execute(SETUP + "drop table by_key")
        find = "select count(*) from people where tools.folded(name) = %s"
        reverse = "create or replace function tools.inner_fold(t text) returns text language sql as 'select reverse(lower(trim(t)))'"
        assert connection.execute(find, ("changed",)).fetchone()[0] > 0
        connection.execute("begin; " + reverse)
        assert connection.execute(find, ("degnahc",)).fetchone()[0] > 0
        connection.execute("rollback")
        assert connection.execute(find, ("degnahc",)).fetchone()[0] == 0
        assert connection.execute(find, ("changed",)).fetchone()[0] > 0
        connection.execute(reverse)
        assert connection.execute(find, ("changed",)).fetchone()[0] == 0
        assert connection.execute(find, ("degnahc",)).fetchone()[0] > 0
        refused(connection, "insert into keys values (3, ' TWO ')", "23505")
        # Keys that would no longer differ.
        refused(connection, "create or replace function tools.folded(t text) returns text language sql immutable strict as 'select length(t)::text'", "23505")
        connection.execute("insert into keys values (3, 'Three')")
        # What bodies call stays.
        refused(connection, "drop function tools.inner_fold(text)", "2BP01")
        refused(connection, "alter function tools.inner_fold(text) rename to other_fold", "0A000")
        refused(connection, "alter schema tools rename to other_tools", "0A000")
        refused(connection, "alter type tools.mood rename value 'happy' to 'glad'", "0A000")
        connection.execute("alter type tools.mood rename to other_mood")
        refused(connection, "create or replace function tools.folded(t text) returns text language plpgsql immutable as 'begin return t; end'", "0A000")
        refused(connection, "alter function tools.folded(text) set search_path = public", "0A000")
        connection.execute("alter function tools.folded(text) rename to fold")
        assert connection.execute("select indexdef from pg_indexes where indexname = 'keys_k'").fetchone() == ("CREATE UNIQUE INDEX keys_k ON public.keys USING btree (tools.fold(k))",)
        connection.execute("alter function tools.fold(text) rename to folded")
        assert connection.execute(find, ("degnahc",)).fetchone()[0] > 0
        connection.execute("drop function tools.inner_fold(text) cascade")
        assert connection.execute("select indexname from pg_indexes where indexname like 'people_%' or indexname = 'keys_k' order by 1").fetchall() == [("people_active",), ("people_mood",), ("people_pkey",)]
    assert server.stop() == 0
    verify(server)
    server.start()
    with server.connect() as connection:
        assert connection.execute("select id from people where is_active(status) and id between 50 and 60 order by id").fetchall() != []
    assert server.stop() == 0


def test_what_has_to_know_the_session_is_refused(server):
    server.start()
    with server.connect() as connection:
        connection.execute(SESSION_SETUP)
        for call in ("code(a)", "reads(a)", "defined(a)", "with_setting(a)", "dated(d)", "joined_date(d::date)", "timed(a)", "by_user(a)"):
            refused(connection, f"create index on t ({call})", "0A000")
            refused(connection, f"create index on t (n) where {call} is null", "0A000")
        refused(connection, "create table p (a text) partition by list (code(a))", "0A000")
        refused(connection, "create index on t ((a::tested))", "0A000")
        connection.execute("create index t_short on t ((a::short))")
        refused(connection, "alter domain short add check (code(value) <> 'bad')", "0A000")
        refused(connection, "insert into t values ('too long', null, null)", "23514")
        connection.execute("set search_path = public, elsewhere")
        connection.execute("create function calls_elsewhere(a text) returns text language sql immutable as 'select helper(a)'")
        refused(connection, "create index on t (calls_elsewhere(a))", "0A000")
        for call in ("dayed(d)", "listed(array[a])", "joined(a, n)"):
            connection.execute(f"create index on t ({call})")
        connection.execute("insert into t values ('x', '2024-05-06', 7), (null, null, null)")
        assert connection.execute("select n from t where dayed(d) = '2024-05-06' and joined(a, n) = 'x/7x' and listed(array[a]) = 'x'").fetchall() == [(7,)]
    assert server.stop() == 0
    verify(server)

