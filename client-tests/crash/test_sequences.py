"""A value of a sequence that was given to a client is never given again, wherever the server is killed."""
import threading

import psycopg
import pytest

import servers
from crash.torture import CrashServer, work_until_killed

CLIENTS = 3
SECONDS_MAX = 120
# At random, around what is written ahead, and at places of the log.
PLACES = [
    "", "sequence.logging:1", "sequence.logging:4", "sequence.logged:1", "sequence.logged:5", "transaction.commit_logged:70", "wal.round_begun:40", "wal.torn:30",
    "wal.written:50",
]  # fmt: skip
STATEMENTS = [
    "select nextval('plain')",
    "insert into tickets (v) values (1)",
    "insert into tickets (v) select g from (values (1), (2), (3)) as rows (g)",
    "begin; insert into tickets (v) values (2); rollback",
    "select nextval('cached')",
]


@pytest.fixture
def server():
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    made = CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="16MB")
    yield made
    if made.running():
        made.kill()
    made.remove()


def take(dsn: str, number: int, stop: threading.Event, given: list):
    """Takes values until the server goes away; those that were acknowledged, with their sequences."""
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            turn = number
            while not stop.is_set():
                statement = STATEMENTS[turn % len(STATEMENTS)]
                turn += 1
                if statement.startswith("begin"):
                    for part in statement.split("; "):
                        connection.execute(part)
                    continue
                cursor = connection.execute(statement)
                if cursor.description is not None:
                    given.append(("cached" if "cached" in statement else "plain", cursor.fetchone()[0]))
                else:
                    given.append(("tickets_id_seq", connection.execute("select currval('tickets_id_seq')").fetchone()[0]))
    except psycopg.OperationalError:
        pass


def check(server, given: dict[str, set[int]], inserted: set[int]):
    with server.connect() as connection:
        assert connection.execute("select id, count(*) from tickets group by id having count(*) > 1").fetchall() == []
        ids = {row[0] for row in connection.execute("select id from tickets")}
        assert inserted <= ids
        for sequence, values in given.items():
            following = [connection.execute("select nextval(%s)", [sequence]).fetchone()[0] for _ in range(40)]
            assert len(set(following)) == len(following)
            assert not values & set(following)
            assert not values or min(following) > max(values)
            values.update(following)


def test_no_value_is_given_twice(server):
    given, inserted = {"plain": set(), "cached": set(), "tickets_id_seq": set()}, set()
    server.launch()
    assert server.wait_until_ready()
    with server.connect() as connection:
        connection.execute("create sequence plain")
        connection.execute("create sequence cached cache 7")
        connection.execute("create table tickets (id bigserial, v integer)")
    for place in PLACES:
        server.kill()
        server.launch(place)
        taken = [[] for _ in range(CLIENTS)]
        if server.wait_until_ready():
            stop = threading.Event()
            threads = [threading.Thread(target=take, args=(server.dsn(), number, stop, taken[number])) for number in range(CLIENTS)]
            work_until_killed(server, threads, stop, place, 1)
        server.kill()
        assert server.sanitizer_reports() == ""
        for sequence, value in (pair for each in taken for pair in each):
            assert value not in given[sequence], f"{sequence} gave {value} again"
            given[sequence].add(value)
        inserted.update(value for each in taken for sequence, value in each if sequence == "tickets_id_seq")
        server.launch()
        assert server.wait_until_ready()
        check(server, given, inserted)
    # A clean restart skips nothing.
    with server.connect() as connection:
        before = connection.execute("select nextval('plain')").fetchone()[0]
    server.process.terminate()
    assert server.process.wait(SECONDS_MAX) == 0
    server.launch()
    assert server.wait_until_ready()
    with server.connect() as connection:
        assert connection.execute("select nextval('plain')").fetchone()[0] == before + 1
