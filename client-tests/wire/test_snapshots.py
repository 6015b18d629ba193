"""A statement sees the tables as they were when it began, whatever others change meanwhile; nobody waits for readers."""
import threading
import time

import psycopg
import pytest

from wire import protocol

ROWS = 3000


@pytest.fixture
def accounts(gnomon):
    with gnomon.connect() as connection:
        connection.execute("create table accounts (id integer primary key, owner text, balance integer not null)")
        connection.execute("create index accounts_balance on accounts (balance)")
        numbers = ", ".join(f"({n}, 'owner {n}', 100)" for n in range(ROWS))
        connection.execute(f"insert into accounts values {numbers}")
    yield
    with gnomon.connect() as connection:
        connection.execute("drop table accounts")


QUERIES = [
    "select id, owner, balance from accounts order by id",
    "select id, owner, balance from accounts where id >= 0",
    "select a.id, b.owner, a.balance from accounts a join accounts b on a.id = b.id where a.balance >= 0",
    "select id, owner, balance from accounts where balance = 100",
]


class Paused:
    """A query of which the client has taken some rows only."""

    def __init__(self, connection, query: str):
        self.cursor = connection.cursor()
        self.rows = self.cursor.stream(query, size=1)
        self.seen = [next(self.rows)]

    def rest(self):
        self.seen.extend(self.rows)
        return sorted(self.seen)


@pytest.mark.parametrize("query", QUERIES)
def test_a_reader_that_waits_for_its_client_sees_nothing_of_what_others_do(gnomon, accounts, query):
    with gnomon.connect() as reader, gnomon.connect() as other:
        other.execute("update accounts set owner = repeat(owner, 150)")
        expected = sorted(other.execute(query).fetchall())
        assert len(expected) == ROWS
        # The answer is larger than what sockets and buffers hold: the statement stands still.
        paused = Paused(reader, query)
        other.execute("set statement_timeout = '60s'")
        other.execute("update accounts set balance = balance + 1 where id % 3 = 0")
        other.execute("update accounts set owner = 'nobody' where id % 5 = 0")
        other.execute("delete from accounts where id % 7 = 0")
        other.execute("update accounts set id = id + 100000 where id % 11 = 0")
        other.execute("insert into accounts select id + 1000000, owner, balance from accounts")
        other.execute("delete from accounts where id >= 1000000")
        with pytest.raises(psycopg.errors.UniqueViolation):
            other.execute("update accounts set id = 1")
        assert paused.rest() == expected
        after = dict(other.execute("select id, balance from accounts").fetchall())
        model = {n: 100 + (n % 3 == 0) for n in range(ROWS) if n % 7 != 0}
        assert after == {n + (100000 if n % 11 == 0 else 0): balance for n, balance in model.items()}


@pytest.mark.parametrize("mode", ["vm", "llvm"])
def test_sums_stay_while_amounts_move(gnomon, accounts, mode):
    ended = threading.Event()
    wrong = []
    counts = []

    def move():
        with gnomon.connect() as connection:
            for step in range(60):
                low = step * 37 % 2000
                connection.execute(f"update accounts set balance = balance + case when id % 2 = 0 then 7 else -7 end where id between {low} and {low + 499}")
                connection.execute(f"update accounts set id = id + {'10000' if step % 2 == 0 else '-10000'} where id % 10000 between 10 and 60")
                with pytest.raises(psycopg.errors.DivisionByZero):
                    connection.execute(f"update accounts set balance = balance / (id - {low + 5})")
        ended.set()

    def read(query: str):
        with gnomon.connect() as connection:
            gnomon.set_mode(connection.pgconn, mode)
            read_count = 0
            while not ended.is_set():
                read_count += 1
                found = connection.execute(query).fetchone()
                if found != (ROWS, ROWS * 100):
                    wrong.append((query, found))
                    return
            counts.append(read_count)

    readers = [threading.Thread(target=read, args=(query,)) for query in (
        "select count(*), sum(balance) from accounts",
        "select count(*), sum(balance) from accounts where id >= 0 and id < 1000000",
        "select count(*), sum(a.balance) from accounts a join accounts b on a.id = b.id",
    )]
    writer = threading.Thread(target=move)
    for thread in [*readers, writer]:
        thread.start()
    writer.join()
    ended.set()
    for thread in readers:
        thread.join()
    assert wrong == []
    assert len(counts) == 3 and min(counts) >= 2


def test_what_was_deleted_makes_room_once_nobody_reads_it(only_gnomon):
    with only_gnomon.connect() as reader, only_gnomon.connect() as other:
        other.execute("create table shrinking (id integer, s text)")
        try:
            fill = "insert into shrinking select a.n * 1000 + b.n, repeat('x', 400) from (values " + ", ".join(f"({n})" for n in range(20)) + ") as a (n), (values " + ", ".join(f"({n})" for n in range(1000)) + ") as b (n)"
            other.execute(fill)
            paused = Paused(reader, "select id, s from shrinking")
            frames = "select frames from gnomon_buffer where size_class = 0"
            before = other.execute(frames).fetchone()[0]
            other.execute("delete from shrinking where id % 100 <> 3")
            assert other.execute("select count(*), sum(id) from shrinking").fetchone() == (200, sum(range(3, 20000, 100)))
            assert other.execute(frames).fetchone()[0] >= before
            assert [row[0] for row in paused.rest()] == list(range(20000))
            # The reader leaves that to a thread.
            deadline = time.monotonic() + protocol.SECONDS_MAX
            while other.execute(frames).fetchone()[0] >= before - 50:
                assert time.monotonic() < deadline, "deleted rows still take as many pages"
                time.sleep(0.05)
            assert other.execute("select count(*), sum(id) from shrinking").fetchone() == (200, sum(range(3, 20000, 100)))
        finally:
            other.execute("drop table shrinking")
