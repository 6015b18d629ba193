"""ALTER TABLE beside other sessions, prepared statements and open portals."""
import threading

import psycopg
import pytest

import servers


@pytest.fixture
def table(gnomon):
    with gnomon.connect() as connection:
        connection.execute("create table shape (id integer primary key, v integer not null)")
        connection.execute("insert into shape values " + ", ".join(f"({n}, {n})" for n in range(3000)))
    yield
    with gnomon.connect() as connection:
        connection.execute("drop table if exists shape")


def test_prepared_statements_are_planned_anew(gnomon, table):
    with gnomon.connect() as connection, gnomon.connect() as other:
        count = "select count(*), sum(v) from shape where id >= %s"
        star = "select * from shape where id = %s"
        insert = "insert into shape (id, v) values (%s, %s)"
        for query, parameters in ((count, [10]), (star, [5]), (insert, [5000, 1])):
            connection.execute(query, parameters, prepare=True)
        other.execute("alter table shape add w integer default 9")
        assert connection.execute(count, [5000], prepare=True).fetchone() == (1, 1)
        connection.execute(insert, [5001, 2], prepare=True)
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="cached plan must not change result type"):
            connection.execute(star, [5], prepare=True)
        other.execute("alter table shape drop w")
        assert connection.execute(star, [5001], prepare=True).fetchone() == (5001, 2)
        other.execute("alter table shape rename v to u")
        with pytest.raises(psycopg.errors.UndefinedColumn):
            connection.execute(count, [10], prepare=True)
        other.execute("alter table shape rename u to v")
        assert connection.execute(count, [5000], prepare=True).fetchone() == (2, 3)


def test_waits_for_a_statement_that_reads_and_can_be_cancelled(gnomon, table):
    with gnomon.connect() as reader, gnomon.connect() as changer:

        def read():
            with pytest.raises(psycopg.errors.QueryCanceled):
                reader.execute("select count(*) from shape a, shape b, shape c where a.v + b.v + c.v < 0")

        slow = threading.Thread(target=read)
        slow.start()
        try:
            changer.execute("set statement_timeout = 300")
            # Until the reader has begun, nobody is in the way.
            for _ in range(1000):
                try:
                    changer.execute("alter table shape add if not exists w integer default 1")
                    changer.execute("alter table shape drop w")
                except psycopg.errors.QueryCanceled:
                    break
            else:
                pytest.fail("ALTER TABLE never waited")
        finally:
            reader.cancel()
            slow.join()
        servers.end_statement_timeout(changer)
        assert changer.execute("select id, v from shape where id = 3").fetchone() == (3, 3)
        changer.execute("alter table shape add if not exists w integer default 1")
        assert changer.execute("select count(*), sum(w) from shape").fetchone() == (3000, 3000)


def test_readers_and_writers_see_one_shape_or_the_other(gnomon, table):
    failures = []
    ended = threading.Event()

    def guarded(work):
        try:
            with gnomon.connect() as connection:
                connection.prepare_threshold = None
                while not ended.is_set():
                    work(connection)
        except Exception as failure:  # handed on to the test
            failures.append(failure)

    def read(connection):
        row = connection.execute("select * from shape where id = 7").fetchone()
        assert row in ((7, 7), (7, 7, "added by alter table")), row

    def write(connection):
        connection.execute("update shape set v = v + 1 where id >= 100")
        connection.execute("insert into shape (id, v) values (100000, 1)")
        connection.execute("delete from shape where id = 100000")

    threads = [threading.Thread(target=guarded, args=[work]) for work in (read, read, write)]
    for thread in threads:
        thread.start()
    try:
        with gnomon.connect() as connection:
            for _ in range(25):
                connection.execute("alter table shape add w text not null default 'added by alter table'")
                connection.execute("alter table shape drop w")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not failures, failures[0]
    with gnomon.connect() as connection:
        count, low, high = connection.execute("select count(*), min(v - id), max(v - id) from shape where id >= 100").fetchone()
        assert count == 2900 and low == high


def test_many_columns_come_and_go(gnomon, table):
    with gnomon.connect() as connection:
        connection.execute("alter table shape " + ", ".join(f"add c{n} integer default {n}" for n in range(1598)))
        with pytest.raises(psycopg.errors.TooManyColumns):
            connection.execute("alter table shape add one_more integer")
        assert connection.execute("select c0 + c1597, count(*) from shape group by c0, c1597").fetchone() == (1597, 3000)
        connection.execute("update shape set c5 = -1 where id = 9")
        assert connection.execute("select c4, c5, c6 from shape where id = 9").fetchone() == (4, -1, 6)
        connection.execute("insert into shape (id, v) values (9000, 0)")
        assert connection.execute("select sum(c1597) from shape").fetchone() == (3001 * 1597,)
        connection.execute("alter table shape " + ", ".join(f"drop c{n}" for n in range(1598)))
        assert connection.execute("select * from shape where id = 9").fetchone() == (9, 9)
        with pytest.raises(psycopg.errors.TooManyColumns):
            connection.execute("alter table shape add one_more integer")
