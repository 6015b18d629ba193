"""What any client was told is there after a crash, although commits of a pipeline are seen before they are stable."""
import random
import threading

import psycopg
import pytest

import servers
from crash.torture import CrashServer, work_until_killed

WINDOW = 16
# Syncs take long, so that there is much to be seen that is not stable; and then somewhere the end.
SLOW = "wal.round_begun~15"
PLACES = [
    "", "wal.written:20", "wal.synced:25", "wal.torn:15", "transaction.commit_logged:150", "transaction.commit_stable:200", "transaction.committed:250", "",
]  # fmt: skip


@pytest.fixture
def server():
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    made = CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="16MB")
    yield made
    if made.running():
        made.kill()
    made.remove()


class Teller(threading.Thread):
    """Does one thing again and again until the server goes away, and knows the largest number that it was told."""

    def __init__(self, dsn: str, stop: threading.Event):
        super().__init__()
        self.dsn, self.stop, self.told = dsn, stop, 0
        self.failure = None

    def run(self):
        try:
            with psycopg.connect(self.dsn, autocommit=True) as connection:
                connection.add_notice_handler(lambda notice: self.hear(int(notice.message_primary)))
                while not self.stop.is_set():
                    self.turn(connection)
        except psycopg.OperationalError:
            pass
        except Exception as failure:
            self.failure = failure

    def hear(self, number):
        self.told = max(self.told, number or 0)

    def turn(self, connection):
        raise NotImplementedError


class Pipeline(Teller):
    """Inserts numbers in rising order, several transactions ahead of the answers."""

    table, next = "numbers", 1

    def __init__(self, dsn, stop, first):
        super().__init__(dsn, stop)
        self.next = first

    def send(self, pgconn):
        pgconn.send_query_params(f"insert into {self.table} values ({self.next})".encode(), None)
        pgconn.pipeline_sync()
        self.next += 1

    def turn(self, connection):
        pgconn = connection.pgconn
        pgconn.enter_pipeline_mode()
        in_flight = 0
        while not self.stop.is_set():
            while in_flight < WINDOW:
                self.send(pgconn)
                in_flight += 1
            pgconn.flush()
            # Some of the window, so that the session is always about to find something.
            for _ in range(random.randint(1, WINDOW)):
                self.receive(pgconn)
                in_flight -= 1
                self.hear(self.next - 1 - in_flight)

    def receive(self, pgconn):
        while True:
            result = pgconn.get_result()
            if result is None:
                continue
            if result.status == psycopg.pq.ExecStatus.PIPELINE_SYNC:
                return
            if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
                raise psycopg.OperationalError(result.error_message.decode())


class Reader(Teller):
    """As one statement; its snapshot is as old as it may be."""

    def turn(self, connection):
        self.hear(connection.execute("select max(n) from numbers").fetchone()[0])


class Repeatable(Teller):
    def turn(self, connection):
        with connection.transaction():
            connection.execute("set transaction isolation level repeatable read")
            self.hear(connection.execute("select max(n) from numbers").fetchone()[0])


class Copier(Teller):
    """Writes what it has seen, in a transaction of its own that is waited for."""

    def turn(self, connection):
        self.hear(connection.execute("insert into copies select max(n) from numbers returning n").fetchone()[0])


class ReaderThatWrites(Teller):
    """Has written, so it sees the latest; is told in the middle of its transaction, which never commits."""

    def turn(self, connection):
        with connection.transaction(force_rollback=True):
            connection.execute("insert into copies values (0)")
            self.hear(connection.execute("select max(n) from numbers").fetchone()[0])


class Careless(Teller):
    """Does not wait for its own commits; what it was told of others' is stable all the same."""

    def turn(self, connection):
        connection.execute("set synchronous_commit = off")
        self.hear(connection.execute("insert into careless select max(n) from numbers returning n").fetchone()[0])


class Procedure(Teller):
    """Commits on its way, and says so; what it has said is a number that it committed."""

    def turn(self, connection):
        connection.execute("call step(20)")


def check(server, tellers):
    with server.connect() as connection:
        numbers = [row[0] for row in connection.execute("select n from numbers order by n")]
        assert numbers == list(range(1, len(numbers) + 1))
        steps = [row[0] for row in connection.execute("select n from steps order by n")]
        assert steps == list(range(1, len(steps) + 1))
        for teller in tellers:
            assert teller.failure is None, f"{type(teller).__name__}: {teller.failure}"
            there = steps if isinstance(teller, Procedure) else numbers
            assert teller.told <= len(there), f"{type(teller).__name__} was told of {teller.told}"
        return len(numbers)


@pytest.mark.parametrize("logs", [1, 3])
def test_nobody_was_told_of_what_is_lost(server, logs):
    server.more_options = ["--wal-logs", str(logs)]
    server.launch()
    assert server.wait_until_ready()
    with server.connect() as connection:
        for table in ("numbers", "copies", "careless", "steps"):
            connection.execute(f"create table {table} (n bigint)")
        connection.execute(
            "create procedure step(times integer) language plpgsql as $$ declare at bigint := (select coalesce(max(n), 0) from steps); begin"
            " for i in 1..times loop at := at + 1; insert into steps values (at); commit; raise notice '%', at; end loop; end $$"
        )
    first, told = 1, dict.fromkeys(("Pipeline", "Reader", "Repeatable", "Copier", "ReaderThatWrites", "Careless", "Procedure"), 0)
    for place in PLACES:
        server.kill()
        server.launch(f"{SLOW},{place}" if place else SLOW)
        tellers = []
        if server.wait_until_ready():
            stop = threading.Event()
            dsn = server.dsn()
            tellers = [Pipeline(dsn, stop, first)]
            tellers += [each(dsn, stop) for each in (Reader, Repeatable, Copier, ReaderThatWrites, Careless, Procedure)]
            work_until_killed(server, tellers, stop, place, 1.5)
        server.kill()
        assert server.sanitizer_reports() == ""
        server.launch()
        assert server.wait_until_ready()
        first = check(server, tellers) + 1
        for teller in tellers:
            told[type(teller).__name__] = max(told[type(teller).__name__], teller.told)
    # Each was told something.
    assert min(told.values()) > 0, told


def test_commits_of_a_pipeline_share_syncs(server):
    server.launch("wal.round_begun~5")
    assert server.wait_until_ready()
    with server.connect() as connection:
        connection.execute("create table numbers (n bigint)")
        flushes = "select sum(flushes) from gnomon_wal where log is null"
        before = connection.execute(flushes).fetchone()[0]
        pipeline = Pipeline(server.dsn(), threading.Event(), 1)
        with psycopg.connect(server.dsn(), autocommit=True) as sender:
            sender.pgconn.enter_pipeline_mode()
            for _ in range(10 * WINDOW):
                pipeline.send(sender.pgconn)
            sender.pgconn.flush()
            for _ in range(10 * WINDOW):
                pipeline.receive(sender.pgconn)
        assert connection.execute("select count(*), max(n) from numbers").fetchone() == (10 * WINDOW, 10 * WINDOW)
        assert connection.execute(flushes).fetchone()[0] - before < 5 * WINDOW
