"""Inverted indexes after restarts, clean and not, and while others change the table: nothing is lost, `gnomon verify` finds nothing."""
import random
import subprocess
import threading

import psycopg
import pytest

SECONDS_MAX = 240
SETUP = """
create table docs (id integer primary key, d jsonb, a integer[]);
insert into docs select g, jsonb_build_object('n', g % 50, 'tags', jsonb_build_array('t' || g % 9, 'u' || g % 4)), array[g % 20, g % 30] from generate_series(1, 4000) g;
create index docs_d on docs using gin (d) with (fastupdate = off, gin_pending_list_limit = 64);
create index docs_path on docs using gin (d jsonb_path_ops, a);
create index docs_tags on docs using gin ((d -> 'tags')) where id > 1000;
insert into docs values (5001, null, null), (5002, '{}', '{}');
update docs set d = d || '{"changed": true}' where d @> '{"n": 7}';
delete from docs where a @> '{3, 13}';
"""
QUERIES = [
    "select count(*), sum(id) from docs where d @> '{\"changed\": true}'",
    "select count(*), sum(id) from docs where d @> '{\"tags\": [\"t3\", \"u1\"]}'",
    "select count(*), sum(id) from docs where d ?| array['changed', 'none']",
    "select count(*), sum(id) from docs where a && '{5, 6}'",
    "select count(*), sum(id) from docs where a @> '{3, 13}'",
    "select count(*), sum(id) from docs where d -> 'tags' ? 't5' and id > 1000",
    "select count(*), sum(id) from docs where d @> '{\"bulk\": 1}'",
]
CATALOG = "select indexname, indexdef from pg_indexes where tablename = 'docs' order by 1"


def answers(server, with_index=True):
    """Without: by an expression that no index has."""
    with server.connect() as connection:
        queries = QUERIES if with_index else [
            query.replace("where d", "where (d || '{}')").replace("where a", "where (a || '{}'::integer[])") for query in QUERIES]
        return [connection.execute(query).fetchall() for query in queries]


def verify(server):
    checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("is_clean", [True, False])
def test_inverted_indexes_are_whole_after_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        connection.execute(SETUP)
    with server.connect() as connection:
        connection.execute("begin bulk write")
        connection.execute("insert into docs select g, '{\"bulk\": 1}', array[g % 40] from generate_series(6000, 7000) g")
        connection.execute("update docs set a = a || 5 where a @> '{12}'")
        connection.execute("commit")
        connection.execute("begin bulk write")
        connection.execute("update docs set d = d || '{\"bulk\": 2}'")
        connection.execute("rollback")
    open_transaction = server.connect()
    open_transaction.execute("begin; update docs set d = '{\"unfinished\": 1}', a = '{5}' where id % 3 = 0")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        open_transaction.execute("create unique index on docs using gin (a)")
    before, catalog = answers(server), server.connect().execute(CATALOG).fetchall()
    assert before == answers(server, with_index=False)
    if is_clean:
        open_transaction.close()
        assert server.stop() == 0
        verify(server)
    else:
        server.kill()
    server.start()
    assert answers(server) == before
    assert answers(server, with_index=False) == before
    with server.connect() as connection:
        assert connection.execute(CATALOG).fetchall() == catalog
        assert connection.execute("select count(*) from docs where d ? 'unfinished'").fetchone() == (0,)
        connection.execute("alter table docs alter column id type bigint")
        connection.execute("vacuum docs")
        connection.execute("reindex table docs")
    assert answers(server) == before
    assert server.stop() == 0
    verify(server)


def test_writers_that_are_killed_leave_whole_indexes(server):
    """Several write at once, some rolling back, when the server is killed; three times."""
    server.start()
    with server.connect() as connection:
        connection.execute(SETUP)
    for round_number in range(3):
        def write(seed):
            draw = random.Random(seed)
            try:
                with server.connect() as connection:
                    for _ in range(10_000):
                        number = draw.randrange(4000)
                        connection.execute("begin")
                        connection.execute(
                            "update docs set d = jsonb_build_object('n', %s::int, 'tags', jsonb_build_array('t' || %s::int % 9)), a = array[%s::int % 20, 5] where id between %s and %s",
                            [number, number, number, number, number + draw.randrange(5)])
                        connection.execute("delete from docs where id = %s", [draw.randrange(4000)])
                        connection.execute("insert into docs values (%s, '{\"n\": 1, \"changed\": true}', '{5, 6}') on conflict do nothing", [draw.randrange(4000)])
                        connection.execute("rollback" if draw.randrange(4) == 0 else "commit")
            except psycopg.Error:
                pass
        writers = [threading.Thread(target=write, args=(round_number * 10 + number,)) for number in range(3)]
        for writer in writers:
            writer.start()
        writers[0].join(timeout=4)
        server.kill()
        for writer in writers:
            writer.join()
        server.start()
        assert answers(server) == answers(server, with_index=False)
        assert server.stop() == 0
        verify(server)
        server.start()
