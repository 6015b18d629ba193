"""pg_stat_activity, pg_locks, gnomon_transactions and gnomon_wal: what sessions do, hold and wait for, and what is kept for them."""
import datetime
import ipaddress
import time

import psycopg
import pytest

WAIT_SECONDS_MAX = 60


@pytest.fixture
def connection(only_gnomon):
    with only_gnomon.connect() as connection:
        yield connection


def eventually(connection, query: str, parameters=()):
    """The rows of a query, as soon as there are some."""
    end = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < end:
        if rows := connection.execute(query, parameters).fetchall():
            return rows
        time.sleep(0.01)
    raise AssertionError(f"no rows: {query}")


@pytest.mark.parametrize("view", ["pg_stat_activity", "pg_locks", "pg_stat_gssapi", "pg_stat_ssl"])
def test_columns_are_postgresqls(postgres, connection, view):
    with postgres.connect() as reference:
        theirs = reference.execute(f"select * from {view}").description
    ours = connection.execute(f"select * from pg_catalog.{view}").description
    assert [column.name for column in ours] == [column.name for column in theirs]
    assert [column.type_code for column in ours] == [column.type_code for column in theirs]


def states(server, connection):
    """What the other session shows at each of some points, as (state, query, whether in a transaction, whether it has an id)."""
    seen = []
    with server.connect() as watcher:
        pid = connection.execute("select pg_backend_pid()").fetchone()[0]

        def look():
            row = watcher.execute("select state, query, xact_start is not null, backend_xid is not null, state_change >= query_start, usename, datname, backend_type from pg_stat_activity where pid = %s", [pid]).fetchone()
            seen.append(row)

        look()
        connection.execute("create table watched (id integer)")
        look()
        connection.execute("begin")
        look()
        connection.execute("select 1")
        look()
        connection.execute("insert into watched values (1)")
        look()
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("select 1 / 0")
        look()
        connection.execute("rollback")
        look()
        connection.execute("select %s::integer", [5])
        look()
        connection.execute("drop table watched")
    return seen


def test_states_are_postgresqls(postgres, only_gnomon):
    found = []
    for server in (postgres, only_gnomon):
        with server.connect() as connection:
            found.append(states(server, connection))
    assert found[1] == found[0]
    assert [row[0] for row in found[1]] == ["idle", "idle", *["idle in transaction"] * 3, "idle in transaction (aborted)", "idle", "idle"]


def test_who_is_idle_waits_for_its_client(only_gnomon, connection):
    with only_gnomon.connect() as other:
        rows = eventually(connection, "select state, wait_event_type from pg_stat_activity where pid = %s and wait_event = 'ClientRead'", [other.info.backend_pid])
        assert rows == [("idle", "Client")]


def test_own_row_is_active_and_times_are_near(connection):
    [row] = connection.execute("select state, query, backend_start, query_start, xact_start, client_addr, application_name, pid from pg_stat_activity where pid = pg_backend_pid()").fetchall()
    assert row[0] == "active" and row[1].startswith("select state, query") and row[5] == ipaddress.ip_address("127.0.0.1")
    now = datetime.datetime.now(datetime.UTC)
    assert all(abs(now - moment) < datetime.timedelta(minutes=10) for moment in row[2:5])
    assert row[7] == connection.info.backend_pid
    connection.execute("set application_name = 'watcher'")
    assert connection.execute("select application_name from pg_stat_activity where pid = pg_backend_pid()").fetchone() == ("watcher",)
    long = "select query from pg_stat_activity where pid = pg_backend_pid() -- " + "ä" * 1000
    [shown] = connection.execute(long).fetchone()
    assert long.startswith(shown) and 1022 <= len(shown.encode()) <= 1023


def test_threads_of_the_server_are_shown(connection):
    rows = connection.execute("select backend_type, pid, state, wait_event_type from pg_stat_activity where backend_type <> 'client backend' order by 1").fetchall()
    assert {row[0] for row in rows} >= {"checkpointer", "garbage collector", "page provider", "walwriter"}
    assert all(row[1:3] == (None, None) and row[3] in ("Activity", "IO", None) for row in rows)


def test_waits_for_rows_tables_and_advisory_locks_are_shown(only_gnomon, connection):
    connection.execute("create table fought (id integer primary key, v integer)")
    connection.execute("insert into fought values (1, 1)")
    cases = [
        ("update fought set v = 2 where id = 1", "update fought set v = 3 where id = 1", "transactionid", "ShareLock"),
        ("lock by select", "truncate fought", "relation", "AccessExclusiveLock"),
        ("select pg_advisory_xact_lock(4711)", "select pg_advisory_lock(4711)", "advisory", "ExclusiveLock"),
        ("select pg_advisory_xact_lock(-1, 12)", "select pg_advisory_lock_shared(-1, 12)", "advisory", "ShareLock"),
    ]
    try:
        for held, waiting, kind, mode in cases:
            with only_gnomon.connect() as holder, only_gnomon.connect() as waiter:
                holder.execute("begin")
                holder.execute("select * from fought" if held == "lock by select" else held)
                pid = waiter.info.backend_pid
                waiter.pgconn.send_query(waiting.encode())
                rows = eventually(connection, "select state, query, wait_event_type, wait_event from pg_stat_activity where pid = %s and wait_event_type = 'Lock'", [pid])
                assert rows == [("active", waiting, "Lock", kind)]
                locks = connection.execute("select locktype, mode, waitstart is not null, relation, transactionid::text, classid, objid, objsubid from pg_locks where pid = %s and not granted", [pid]).fetchall()
                [lock] = locks
                assert lock[:3] == (kind, mode, True)
                on = "locktype = %s and granted and coalesce(relation, 0) = %s and coalesce(transactionid::text, '') = %s and coalesce(objid, 0) = %s"
                holders = connection.execute(f"select pid, mode, waitstart from pg_locks where {on}", [kind, lock[3] or 0, lock[4] or '', lock[6] or 0]).fetchall()
                assert (holder.info.backend_pid in {row[0] for row in holders}) and all(row[2] is None for row in holders), holders
                if kind == "advisory":
                    assert lock[5:] == ((0, 4711, 1) if mode == "ExclusiveLock" else (4294967295, 12, 2))
                holder.execute("rollback")
                result = waiter.pgconn.get_result()
                assert result.error_message == "" or result.error_message == b""
                assert waiter.pgconn.get_result() is None
        # What the last session took for itself goes when the server has seen it leave.
        assert eventually(connection, "select count(*) from pg_locks where not granted or locktype = 'advisory' having count(*) = 0", []) == [(0,)]
    finally:
        connection.execute("drop table fought")


def test_sessions_are_cancelled_and_ended_by_others(only_gnomon, connection):
    with only_gnomon.connect() as holder, only_gnomon.connect() as waiter:
        holder.execute("select pg_advisory_lock(99)")
        pid = waiter.info.backend_pid
        waiter.pgconn.send_query(b"select pg_advisory_lock(99)")
        eventually(connection, "select 1 from pg_stat_activity where pid = %s and wait_event = 'advisory'", [pid])
        assert connection.execute("select pg_cancel_backend(%s)", [pid]).fetchone() == (True,)
        assert waiter.pgconn.get_result().error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"57014"
        assert waiter.pgconn.get_result() is None
        assert waiter.execute("select 1").fetchone() == (1,)
        assert connection.execute("select pg_cancel_backend(%s)", [pid]).fetchone() == (True,), "who is idle goes on"
        assert waiter.execute("select 1").fetchone() == (1,)
        holder_pid = holder.info.backend_pid
        assert connection.execute("select pg_terminate_backend(%s, 60000)", [holder_pid]).fetchone() == (True,)
        assert connection.execute("select count(*) from pg_stat_activity where pid = %s", [holder_pid]).fetchone() == (0,)
        with pytest.raises(psycopg.errors.AdminShutdown):
            holder.execute("select 1")
        assert waiter.execute("select pg_try_advisory_lock(99)").fetchone() == (True,), "its locks went with it"
    with pytest.raises(psycopg.errors.AdminShutdown):
        with only_gnomon.connect() as own:
            own.execute("select pg_terminate_backend(pg_backend_pid())")


def test_transactions_that_hold_others_back_are_counted(only_gnomon, connection):
    query = "select snapshots, last_commit - oldest_snapshot, active, retained, version_bytes, version_maps from gnomon_transactions"
    connection.execute("create table kept (id integer, v integer)")
    try:
        connection.execute("insert into kept values (1, 1), (2, 2)")
        before = connection.execute(query).fetchone()
        assert before[0] >= 1, "this statement's own"
        with only_gnomon.connect() as reader, only_gnomon.connect() as writer:
            reader.execute("begin isolation level repeatable read")
            reader.execute("select * from kept")
            for _ in range(5):
                connection.execute("update kept set v = v + 1")
            writer.execute("begin")
            writer.execute("insert into kept values (3, 3)")
            held = connection.execute(query).fetchone()
            assert held[0] > before[0] and held[1] >= 5 and held[2] == before[2] + 1 and held[3] >= 5
            assert held[4] >= before[4] + 6 * 512 and held[5] >= 1
            writer.execute("rollback")
        connection.execute("update kept set v = v + 1")
        after = eventually(connection, query + " where retained <= 1 and active = 0")
        assert after[0][1] <= 1
    finally:
        connection.execute("drop table kept")


def test_log_is_counted(connection):
    query = "select last_gsn, appended_bytes, records, written_bytes, flushes, commits_waited, disk_bytes, stable_gsn, checkpoints, released_gsn from gnomon_wal where log is null"
    connection.execute("create table logged (id integer)")
    try:
        before = connection.execute(query).fetchone()
        for number in range(10):
            connection.execute("insert into logged values (%s)", [number])
        after = connection.execute(query).fetchone()
        assert all(new > old for new, old in zip(after[:6], before[:6]))
        assert after[5] >= before[5] + 10, "each commit has waited"
        assert after[6] >= 1 << 20 and before[0] <= after[7] <= after[0]
        logs = connection.execute("select log, appended_bytes, stable_bytes, records, flushes from gnomon_wal where log is not null order by log").fetchall()
        assert [row[0] for row in logs] == list(range(len(logs))) and logs
        assert sum(row[1] for row in logs) >= after[1] and all(row[2] <= row[1] and row[4] is None for row in logs)
        connection.execute("checkpoint")
        checked = connection.execute(query).fetchone()
        assert checked[8] == after[8] + 1 and checked[9] >= after[9]
    finally:
        connection.execute("drop table logged")
