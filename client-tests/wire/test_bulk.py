"""Bulk transactions: how they are asked for, what they refuse, and that readers and writers beside them see what they should."""
import threading

import psycopg
import pytest

import servers
from wire import protocol

ROWS = 4000


def numbers(count: int) -> str:
    return ", ".join(f"({n})" for n in range(count))


@pytest.fixture
def load(gnomon):
    if not getattr(gnomon, "is_gnomon", True):
        pytest.skip("PostgreSQL has no bulk transactions")
    with gnomon.connect() as connection:
        connection.execute("create table load (id integer primary key, v integer check (v >= 0), s text)")
        connection.execute(f"insert into load select a.n * 100 + b.n, 1, 'row' from (values {numbers(ROWS // 100)}) as a (n), "
                           f"(values {numbers(100)}) as b (n)")
    yield
    with gnomon.connect() as connection:
        connection.execute("drop table load")


def state(connection):
    return connection.execute("select count(*), sum(v), min(id), max(id) from load").fetchone()


BEGINNINGS = [
    "begin bulk write",
    "BEGIN TRANSACTION BULK WRITE",
    "begin work isolation level repeatable read, bulk write",
    "start transaction /* BULK WRITE */ bulk -- write\n write",
    "begin; set transaction bulk write",
    "begin; set local transaction bulk write",
    "begin; set local bulk_write = on",
    "begin read only; set transaction bulk write",
]


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_transaction_that_is_begun_so_is_the_only_writer(gnomon, load, beginning):
    with gnomon.connect() as bulk, gnomon.connect() as other:
        for statement in beginning.split(";"):
            bulk.execute(statement)
        bulk.execute("update load set v = v + 1")
        bulk.execute("delete from load where id % 2 = 0")
        bulk.execute(f"insert into load values ({ROWS}, 7, 'new')")
        assert state(other) == (ROWS, ROWS, 0, ROWS - 1)
        assert state(bulk) == (ROWS // 2 + 1, ROWS + 7, 1, ROWS)
        other.execute("set lock_timeout = 50")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("insert into load values (-1, 1, 'other')")
        bulk.execute("commit")
        assert state(other) == (ROWS // 2 + 1, ROWS + 7, 1, ROWS)
        other.execute("insert into load values (-1, 1, 'other')")
        assert state(other) == (ROWS // 2 + 2, ROWS + 8, -1, ROWS)


ORDINARY = [
    "select 'begin bulk write'",
    "select 1 as bulk -- write",
    "select 1 as \"bulk\", 'write'",
    "begin read write",
    "begin bulk write, read only",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_others_are_not(gnomon, load, text):
    with gnomon.connect() as connection, gnomon.connect() as other:
        connection.execute("begin")
        connection.execute("rollback")
        connection.execute(text)
        if text.startswith("select"):
            connection.execute("begin")
        if "read only" in text:
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                connection.execute("delete from load")
        else:
            connection.execute("update load set v = 2 where id = 1")
        other.execute("set lock_timeout = 1000")
        other.execute("update load set v = 3 where id = 2")
        connection.execute("rollback")


@pytest.mark.parametrize("text", ["bulk write", "begin bulk", "begin write bulk", "set bulk write", "begin read bulk write"])
def test_what_is_no_mode_is_a_syntax_error(gnomon, load, text):
    with gnomon.connect() as connection:
        with pytest.raises(psycopg.errors.SyntaxError):
            connection.execute(text)


def test_it_is_said_before_the_transaction_has_done_anything(gnomon, load):
    with gnomon.connect() as connection:
        connection.execute("begin")
        connection.execute("select count(*) from load")
        with pytest.raises(psycopg.errors.ActiveSqlTransaction, match="must be called before any query"):
            connection.execute("set transaction bulk write")
        connection.execute("rollback")
        connection.execute("begin")
        connection.execute("savepoint a")
        with pytest.raises(psycopg.errors.ActiveSqlTransaction, match="subtransaction"):
            connection.execute("set transaction bulk write")
        connection.execute("rollback")
        connection.execute("begin bulk write")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="SAVEPOINT in a bulk transaction"):
            connection.execute("savepoint a")
        connection.execute("rollback")


def test_constraints_hold_and_a_failure_leaves_nothing(gnomon, load):
    failures = [
        (psycopg.errors.UniqueViolation, "insert into load values (4, 1, 'twice')"),
        (psycopg.errors.CheckViolation, "update load set v = v - 2 where id > 100"),
        (psycopg.errors.NotNullViolation, "insert into load values (null, 1, 'none')"),
        (psycopg.errors.UniqueViolation, f"update load set id = id + 1 where id < {ROWS - 1}"),
        (psycopg.errors.DivisionByZero, f"insert into load select id + {ROWS}, 1 / (id - 3001), '' from load"),
    ]
    with gnomon.connect() as connection:
        for failure, statement in failures:
            connection.execute("begin bulk write")
            connection.execute(f"insert into load select id + {2 * ROWS}, v, s from load")
            connection.execute("delete from load where id % 3 = 0")
            with pytest.raises(failure):
                connection.execute(statement)
            with pytest.raises(psycopg.errors.InFailedSqlTransaction):
                connection.execute("select 1")
            connection.execute("commit")
            assert state(connection) == (ROWS, ROWS, 0, ROWS - 1)
        # A key that it deleted is free, also for itself.
        connection.execute("begin bulk write")
        connection.execute("delete from load where id = 5")
        connection.execute("insert into load values (5, 9, 'again')")
        connection.execute("commit")
        assert connection.execute("select v, s from load where id = 5").fetchall() == [(9, "again")]


def test_a_reader_keeps_its_snapshot_and_the_next_bulk_transaction_waits_for_it(gnomon, load):
    with gnomon.connect() as reader, gnomon.connect() as bulk:
        reader.execute("begin isolation level repeatable read")
        before = state(reader)
        bulk.execute("set bulk_write = on")
        bulk.execute("update load set v = v + 1 where id < 1000")
        assert state(reader) == before
        assert reader.execute("select v from load where id = 7").fetchone() == (1,)
        assert bulk.execute("select v from load where id = 7").fetchone() == (2,)
        bulk.execute("set lock_timeout = 50")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            bulk.execute("update load set v = v + 1")
        assert state(reader) == before
        reader.execute("commit")
        bulk.execute("update load set v = v + 1")
        assert state(reader) == (ROWS, 2 * ROWS + 1000, 0, ROWS - 1)


def test_a_snapshot_from_before_cannot_change_what_it_changed(gnomon, load):
    with gnomon.connect() as writer, gnomon.connect() as bulk:
        writer.execute("begin isolation level repeatable read")
        state(writer)
        bulk.execute("begin bulk write")
        bulk.execute("update load set v = 5 where id = 3")
        bulk.execute("commit")
        with pytest.raises(psycopg.errors.SerializationFailure):
            writer.execute("update load set v = 6 where id = 3")
        writer.execute("rollback")


def test_a_writer_that_waited_sees_what_it_waited_for(gnomon, load):
    with gnomon.connect() as bulk, gnomon.connect() as writer:
        bulk.execute("begin bulk write")
        bulk.execute("update load set v = v + 1")
        thread = threading.Thread(target=lambda: writer.execute("update load set v = v * 10 where id = 3"))
        thread.start()
        bulk.execute("commit")
        thread.join()
        assert writer.execute("select v from load where id = 3").fetchone() == (20,)


def test_a_chained_transaction_is_one_too(gnomon, load):
    with gnomon.connect() as bulk, gnomon.connect() as other:
        other.execute("set lock_timeout = 50")
        bulk.execute("begin bulk write")
        bulk.execute("commit and chain")
        bulk.execute("delete from load where id = 1")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("delete from load where id = 2")
        bulk.execute("rollback")
        other.execute("delete from load where id = 2")


def copy_rows(connection, first: int, count: int):
    with connection.cursor() as cursor, cursor.copy("copy load from stdin") as copy:
        for row in range(first, first + count):
            copy.write_row((row, 1, "copied"))


@pytest.mark.parametrize("is_alone", [True, False])
def test_a_large_copy_becomes_one_if_nobody_else_writes(gnomon, load, is_alone):
    """Its rows are gone or there as a whole, before and behind the point where it became one."""
    with gnomon.connect() as loading, gnomon.connect() as other, gnomon.connect() as reader:
        loading.execute("set auto_bulk_rows = 20000")
        other.execute("set lock_timeout = 50")
        if not is_alone:
            other.execute("begin")
            other.execute("delete from load where id = 1")
        with loading.cursor() as cursor, cursor.copy("copy load from stdin") as copy:
            for row in range(ROWS, ROWS + 60000):
                copy.write_row((row, 1, "copied"))
            assert state(reader)[0] == ROWS
        if not is_alone:
            other.execute("rollback")
        assert state(reader) == (ROWS + 60000, ROWS + 60000, 0, ROWS + 59999)
        with pytest.raises(psycopg.errors.UniqueViolation):
            with loading.cursor() as cursor, cursor.copy("copy load from stdin") as copy:
                for row in range(ROWS + 60000, ROWS + 120000):
                    copy.write_row((row, 1, "copied"))
                copy.write_row((17, 1, "twice"))
        assert state(reader) == (ROWS + 60000, ROWS + 60000, 0, ROWS + 59999)


LARGE = [
    ("update load set v = v + 1 where id < 2000", 2000),
    ("delete from load where id >= 2000", 2000),
    (f"insert into load select id + {ROWS}, v, s from load", ROWS),
]


@pytest.mark.parametrize("statement, rows", LARGE)
@pytest.mark.parametrize("setting, in_block, is_bulk", [(1000, False, True), (1000, True, False), (0, False, False), (100000, False, False)])
def test_large_statements_become_one(gnomon, load, statement, rows, setting, in_block, is_bulk):
    """Told by whether the next bulk transaction has to wait for a reader with an older snapshot."""
    with gnomon.connect() as connection, gnomon.connect() as reader, gnomon.connect() as other:
        reader.execute("begin isolation level repeatable read")
        before = state(reader)
        connection.execute(f"set auto_bulk_rows = {setting}")
        if in_block:
            connection.execute("begin")
        assert connection.execute(statement).rowcount == rows
        if in_block:
            connection.execute("commit")
        assert state(reader) == before
        other.execute("set lock_timeout = 50")
        other.execute("begin bulk write")
        if is_bulk:
            with pytest.raises(psycopg.errors.LockNotAvailable):
                other.execute("update load set v = 0 where id = 1")
        else:
            other.execute("update load set v = 0 where id = 1")
        other.execute("rollback")
        after = state(connection)
        assert after != before
        reader.execute("commit")
        assert state(reader) == after


def test_a_portal_does_not_go_on_behind_a_change_of_its_own_bulk_transaction(gnomon, load):
    with protocol.Client(gnomon.port) as client:
        client.start()
        client.send(protocol.query("begin bulk write"))
        client.until_ready()
        client.send(protocol.query("delete from load where id = 0"))
        client.until_ready()
        client.send(protocol.parse("select id from load") + protocol.bind(portal="p") + protocol.execute("p", 2) + protocol.sync())
        assert len(protocol.rows_of(client.until_ready())) == 2
        client.send(protocol.execute("p", 2) + protocol.sync())
        assert len(protocol.rows_of(client.until_ready())) == 2
        client.send(protocol.query("delete from load where id = 10"))
        client.until_ready()
        client.send(protocol.execute("p", 2) + protocol.sync())
        assert protocol.sqlstates(client.until_ready()) == ["0A000"]
        client.send(protocol.query("rollback"))
        client.until_ready()


def test_a_bulk_transaction_may_take_ten_times_the_version_memory_and_an_ordinary_one_is_told_how(new_bulk_server):
    limit_mb = 4
    changes = 8 * ["update load set v = v + 1, s = s || 'y'"]
    server = new_bulk_server().start()
    with server.connect() as connection, server.connect() as other:
        connection.execute("create table load (id integer, v integer, s text)")
        connection.execute(f"insert into load select a.n * 200 + b.n, 1, repeat('x', 100) from (values {numbers(200)}) as a (n), "
                           f"(values {numbers(200)}) as b (n)")
        connection.execute("begin")
        for change in changes:
            connection.execute(change)
        assert other.execute("select version_bytes from gnomon_transactions").fetchone()[0] > 10 * limit_mb * 2**20
        connection.execute("rollback")
    server.stop()
    server.more_options = ["--version-memory-limit", f"{limit_mb}MB"]
    server.start()
    with server.connect() as connection, server.connect() as other:
        connection.execute("begin")
        with pytest.raises(psycopg.errors.OutOfMemory) as failure:
            for change in changes:
                connection.execute(change)
        assert "SET TRANSACTION BULK WRITE" in failure.value.diag.message_hint
        connection.execute("rollback")
        assert connection.execute("select count(*), sum(v), max(length(s)) from load").fetchone() == (40000, 40000, 100)
        connection.execute("begin bulk write")
        for change in changes:
            connection.execute(change)
            assert other.execute("select version_bytes from gnomon_transactions").fetchone() == (0,)
        connection.execute("commit")
        assert connection.execute("select count(*), sum(v), max(length(s)) from load").fetchone() == (40000, 360000, 108)


@pytest.fixture
def new_bulk_server():
    made = []

    def make(*options: str):
        server = servers.new_gnomon()
        if not server.is_gnomon:
            server.remove()
            pytest.skip("PostgreSQL plays Gnomon's part")
        command = server.command
        server.command = lambda: [*command(), *options]
        made.append(server)
        return server

    yield make
    for server in made:
        server.remove()


def test_a_killed_server_has_all_of_it_or_nothing(new_bulk_server):
    server = new_bulk_server().start()
    with server.connect() as connection:
        connection.execute("create table load (id integer primary key, v integer, s text)")
        connection.execute(f"insert into load select a.n * 200 + b.n, 1, 'row' from (values {numbers(200)}) as a (n), "
                           f"(values {numbers(200)}) as b (n)")
        connection.execute("begin bulk write")
        connection.execute("update load set v = v + 1 where id % 2 = 0")
        connection.execute("delete from load where id % 5 = 0")
        connection.execute("commit")
        expected = state(connection)
    lost = server.connect()
    lost.execute("begin bulk write")
    lost.execute("insert into load select id + 100000, v, s from load")
    lost.execute("update load set v = v + 1 where id % 3 = 0")
    lost.execute("delete from load where id % 7 = 0")
    server.kill()
    lost.close()
    server.start()
    with server.connect() as connection:
        assert state(connection) == expected
        connection.execute("begin bulk write")
        connection.execute("update load set v = v + 1")
        with server.connect() as reader:
            assert state(reader) == expected
        connection.execute("commit")
        assert state(connection) == (expected[0], expected[0] + expected[1], expected[2], expected[3])
        assert connection.execute("select count(*) from load where id >= 0").fetchone() == (expected[0],)
    assert server.stop() == 0, server.log()
