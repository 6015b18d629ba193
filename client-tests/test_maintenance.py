"""What VACUUM does and says, and how it gets along with others; its tags and options are compared in sql/maintenance/."""
import contextlib
import threading
import time

import pytest

SECONDS_MAX = 60


@pytest.fixture
def table(only_gnomon):
    with only_gnomon.connect() as connection:
        connection.execute("create table swept (id integer primary key, v integer)")
        connection.execute("insert into swept select a.size_class * 100 + b.size_class * 15 + c.size_class, 0 from gnomon_buffer a, gnomon_buffer b, gnomon_buffer c where b.size_class < 6 and (b.size_class < 5 or c.size_class < 10)")
        yield connection
        connection.execute("drop table swept")


@contextlib.contextmanager
def notices_of(connection):
    seen = []
    handler = lambda notice: seen.append((notice.severity_nonlocalized, notice.sqlstate, notice.message_primary))  # noqa: E731
    connection.add_notice_handler(handler)
    yield seen
    connection.remove_notice_handler(handler)


def said(connection, statement: str) -> list:
    with notices_of(connection) as seen:
        connection.execute(statement)
    return seen


def removed(notices) -> int:
    [text] = [text for _, _, text in notices if text.startswith("finished vacuuming")]
    return int(text.split(": ")[1].split(" ")[0])


def test_vacuum_takes_out_what_nobody_sees(only_gnomon, table):
    count = table.execute("select count(*) from swept").fetchone()[0]
    table.execute("delete from swept where id < 7")
    with only_gnomon.connect() as reader:
        reader.execute("begin isolation level repeatable read")
        assert reader.execute("select count(*) from swept").fetchone() == (count - 7,)
        table.execute("delete from swept where id < 10")
        notices = said(table, "vacuum verbose swept")
        assert [each[:2] for each in notices] == [("INFO", "00000")] * 2
        assert notices[0][2] == 'vacuuming "postgres.public.swept"'
        assert removed(notices) == 0, "the leaf still has what the reader sees"
        assert reader.execute("select count(*) from swept").fetchone() == (count - 7,)
    assert removed(said(table, "vacuum (verbose) swept")) == 10
    assert removed(said(table, "vacuum (verbose, full) swept")) == 0
    assert table.execute("select count(*), min(id) from swept").fetchone() == (count - 10, 10)
    assert table.execute("select count(*) from swept where id = 5").fetchone() == (0,)
    assert said(table, "analyze verbose swept") == [("INFO", "00000", 'analyzing "public.swept"')]
    table.execute("set client_min_messages = error")
    assert len(said(table, "vacuum (verbose, analyze) swept")) == 3, "what is asked for is said"


def test_vacuum_waits_for_who_has_the_table_or_passes_it_over(postgres, only_gnomon):
    outcomes = []
    for server in (postgres, only_gnomon):
        found = []
        with server.connect() as connection, server.connect() as other:
            connection.execute("create table held (id integer)")
            other.execute("begin")
            other.execute("select * from held")
            for statement in ("vacuum (skip_locked) held", "vacuum (skip_locked, full) held", "vacuum (skip_locked, analyze, full) held", "analyze (skip_locked) held"):
                found.append(said(connection, statement))
            connection.execute("set lock_timeout = 50")
            for statement in ("vacuum full held", "vacuum held"):
                try:
                    connection.execute(statement)
                    found.append("done")
                except Exception as error:
                    found.append(error.sqlstate)
            other.execute("rollback")
            other.execute("begin")
            other.execute("analyze held")
            for statement in ("vacuum (skip_locked) held", "analyze (skip_locked) held"):
                found.append(said(connection, statement))
            other.execute("rollback")
            connection.execute("vacuum full held")
            connection.execute("drop table held")
        outcomes.append(found)
    assert outcomes[1] == outcomes[0]
    assert [("WARNING", "55P03", 'skipping vacuum of "held" --- lock not available')] in outcomes[0]


def waits(connection) -> bool:
    """Whether somebody waits for a lock; asked until somebody does, or for long."""
    deadline = time.monotonic() + SECONDS_MAX
    while time.monotonic() < deadline:
        if connection.execute("select count(*) from pg_locks where not granted").fetchone()[0] > 0:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("statement", ["analyze first, second", "analyze"])
def test_analyze_holds_one_table_at_a_time(postgres, only_gnomon, statement):
    for server in (postgres, only_gnomon):
        with server.connect() as holder, server.connect() as connection, server.connect() as other:
            connection.execute("create table first (id integer); create table second (id integer)")
            holder.execute("begin")
            holder.execute("analyze second")
            analysing = threading.Thread(target=connection.execute, args=(statement,))
            analysing.start()
            assert waits(other)
            other.execute("set lock_timeout = '10s'")
            other.execute("vacuum first")
            other.execute("truncate first")
            holder.execute("rollback")
            analysing.join()
            connection.execute("begin")
            connection.execute("analyze first, second")
            [(severity, state, _)] = said(other, "vacuum (skip_locked) first")
            assert (severity, state) == ("WARNING", "55P03"), "a block keeps them all"
            connection.execute("rollback")
            connection.execute("drop table first, second")
