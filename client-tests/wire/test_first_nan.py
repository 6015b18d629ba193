"""The first NaN that is written to a numeric of fixed precision, while others wait for the row or are at work."""
import threading

import pytest


@pytest.fixture
def table(gnomon, postgres):
    for server in (gnomon, postgres):
        with server.connect() as connection:
            connection.execute("drop table if exists first_nan; create table first_nan (a integer primary key, n numeric(10,2))")
            connection.execute("insert into first_nan select g, g from generate_series(1, 2000) g")
    yield
    for server in (gnomon, postgres):
        with server.connect() as connection:
            connection.execute("drop table first_nan")


def after_waiting(server, statement: str, outcome: str) -> list:
    """What the statement, which waits for a row that becomes NaN, comes to."""
    with server.connect() as writer, server.connect() as waiting:
        for _ in range(6):
            waiting.execute("select n + 1 from first_nan where a = 2", prepare=True)
        writer.autocommit = False
        writer.execute("update first_nan set n = 'NaN' where a = 1")
        answers = []

        def wait():
            cursor = waiting.execute(statement, prepare=True)
            answers.extend(cursor.fetchall() if cursor.description else [])

        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        getattr(writer, outcome)()
        thread.join()
        answers += waiting.execute("select a, n, n * 2 from first_nan where a < 3 order by a").fetchall()
        return [tuple(str(value) for value in row) for row in answers]


@pytest.mark.parametrize("outcome", ["commit", "rollback"])
@pytest.mark.parametrize("statement", [
    "update first_nan set n = n + 1 where a = 1 returning n, n * 2",
    "update first_nan set n = n + 1 where a < 3 and n > 0 returning a, n",
    "delete from first_nan where n * 2 > 1 and a = 1 returning n + 1",
    "select n, n - 1 from first_nan where a = 1 for update",
    "insert into first_nan values (1, 7) on conflict (a) do update set n = first_nan.n + excluded.n returning n + 1",
    "merge into first_nan using (values (1, 5.25)) v (a, x) on first_nan.a = v.a when matched and n < 100 then update set n = n + x "
    "when matched then update set n = -1",
])
def test_who_waits_for_it_sees_it(gnomon, postgres, table, statement, outcome):
    answers = []
    for server in (gnomon, postgres):
        answers.append(after_waiting(server, statement, outcome))
    assert answers[0] == answers[1]


def test_readers_see_sums_before_or_after_it(gnomon, table):
    """Plans are kept; each sum is that of a snapshot."""
    total = 2000 * 2001 // 2
    failures, stop = [], threading.Event()

    def read():
        with gnomon.connect() as connection:
            while not stop.is_set():
                plain, doubled, greatest = connection.execute("select sum(n), sum(n * 2), max(n) from first_nan", prepare=True).fetchone()
                is_nan = greatest.is_nan()
                if (plain.is_nan(), doubled.is_nan()) != (is_nan, is_nan) or not is_nan and (plain, doubled) != (total, 2 * total):
                    failures.append((plain, doubled, greatest))
                if is_nan:
                    return

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    with gnomon.connect() as writer:
        writer.execute("select pg_sleep(0.2)")
        writer.execute("update first_nan set n = 'NaN' where a = 1000")
    for thread in threads:
        thread.join(20)
    stop.set()
    assert not failures
