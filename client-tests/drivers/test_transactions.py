"""Transactions as psycopg and psql make them: contexts that nest, autocommit off, pipelines, psql's own modes."""
import threading

import psycopg
import pytest

ROWS = [(1, 10), (2, 20), (3, 30)]


@pytest.fixture
def rows(gnomon):
    """What another connection sees in the table."""
    with gnomon.connect() as connection:
        connection.execute("create table driver_rows (id integer primary key, v integer)")
        connection.execute("insert into driver_rows values (1, 10), (2, 20), (3, 30)")
        yield lambda: connection.execute("select id, v from driver_rows order by id").fetchall()
        connection.execute("drop table driver_rows")


@pytest.fixture
def connection(gnomon, rows):
    with gnomon.connect() as made:
        yield made


@pytest.fixture
def manual(gnomon, rows):
    """A connection as psycopg makes it unless told otherwise: the first statement begins a transaction."""
    made = psycopg.connect(gnomon.dsn())
    yield made
    made.close()


def status(connection) -> str:
    return connection.info.transaction_status.name


def test_a_context_commits_or_rolls_back(connection, rows):
    with connection.transaction():
        connection.execute("insert into driver_rows values (4, 40)")
        assert status(connection) == "INTRANS" and rows() == ROWS
    assert status(connection) == "IDLE" and rows() == [*ROWS, (4, 40)]
    with pytest.raises(ValueError), connection.transaction():
        connection.execute("delete from driver_rows")
        raise ValueError
    assert status(connection) == "IDLE" and rows() == [*ROWS, (4, 40)]
    with connection.transaction(force_rollback=True):
        connection.execute("delete from driver_rows")
    with connection.transaction():
        connection.execute("update driver_rows set v = 41 where id = 4")
        raise psycopg.Rollback
    assert rows() == [*ROWS, (4, 40)]


def test_nested_contexts_are_savepoints(connection, rows):
    with connection.transaction():
        connection.execute("insert into driver_rows values (4, 40)")
        with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
            connection.execute("insert into driver_rows values (5, 50)")
            connection.execute("insert into driver_rows values (4, 41)")
        assert status(connection) == "INTRANS"
        with connection.transaction("named"):
            connection.execute("insert into driver_rows values (6, 60)")
            with connection.transaction() as inner:
                connection.execute("update driver_rows set v = v + 1")
                raise psycopg.Rollback(inner)
            with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction("named"):
                connection.execute("delete from driver_rows where id < 3")
                connection.execute("select 1/0")
        with connection.transaction(force_rollback=True):
            connection.execute("delete from driver_rows")
        assert connection.execute("select id from driver_rows order by id").fetchall() == [(1,), (2,), (3,), (4,), (6,)]
        assert rows() == ROWS
    assert rows() == [*ROWS, (4, 40), (6, 60)]


def test_an_error_of_the_inner_context_reaches_the_outer(connection, rows):
    with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction():
        connection.execute("insert into driver_rows values (4, 40)")
        with connection.transaction():
            connection.execute("insert into driver_rows values (5, 50)")
            with connection.transaction():
                connection.execute("select 1/0")
    assert status(connection) == "IDLE" and rows() == ROWS


def test_autocommit_off(manual, rows):
    assert status(manual) == "IDLE"
    manual.execute("insert into driver_rows values (4, 40)")
    assert status(manual) == "INTRANS" and rows() == ROWS
    manual.rollback()
    assert status(manual) == "IDLE" and rows() == ROWS
    manual.execute("insert into driver_rows values (5, 50)")
    manual.commit()
    assert rows() == [*ROWS, (5, 50)]
    with pytest.raises(psycopg.errors.UniqueViolation):
        manual.execute("insert into driver_rows values (5, 51)")
    assert status(manual) == "INERROR"
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        manual.execute("select 1")
    manual.rollback()
    manual.execute("delete from driver_rows where id = 5")
    manual.close()
    assert rows() == [*ROWS, (5, 50)]


def test_a_connection_as_a_context(gnomon, rows):
    with psycopg.connect(gnomon.dsn()) as made:
        made.execute("insert into driver_rows values (4, 40)")
    assert rows() == [*ROWS, (4, 40)]
    with pytest.raises(ValueError), psycopg.connect(gnomon.dsn()) as made:
        made.execute("delete from driver_rows")
        raise ValueError
    assert rows() == [*ROWS, (4, 40)]


def test_modes_of_a_connection(manual, rows):
    manual.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    assert manual.execute("show transaction_isolation").fetchone() == ("repeatable read",)
    manual.commit()
    manual.read_only = True
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        manual.execute("insert into driver_rows values (4, 40)")
    manual.rollback()
    manual.read_only, manual.deferrable = False, False
    manual.execute("insert into driver_rows values (4, 40)")
    manual.commit()
    manual.isolation_level = psycopg.IsolationLevel.READ_UNCOMMITTED
    assert manual.execute("show transaction_isolation").fetchone() == ("read uncommitted",)
    manual.rollback()
    assert rows() == [*ROWS, (4, 40)]


def test_statements_prepared_after_five_runs(connection, rows):
    for number in range(30):
        with connection.transaction(force_rollback=number % 3 == 0):
            connection.execute("insert into driver_rows values (%s, %s)", [100 + number, number])
            if number % 5 == 4:
                with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
                    connection.execute("insert into driver_rows values (%s, %s)", [1, number])
            assert connection.execute("select v from driver_rows where id = %s", [100 + number]).fetchone() == (number,)
    assert rows() == [*ROWS, *((100 + number, number) for number in range(30) if number % 3)]


def test_executemany_is_one_transaction(connection, rows):
    with connection.cursor() as cursor:
        cursor.executemany("insert into driver_rows values (%s, %s)", [(n, n * 10) for n in range(4, 40)])
        assert cursor.rowcount == 36
        assert rows() == [(n, n * 10) for n in range(1, 40)]
        with pytest.raises(psycopg.errors.UniqueViolation):
            cursor.executemany("insert into driver_rows values (%s, %s)", [(n, 0) for n in (50, 51, 1, 52)])
        assert rows() == [(n, n * 10) for n in range(1, 40)]
        with connection.transaction():
            cursor.executemany("update driver_rows set v = %s where id = %s", [(-n, n) for n in range(1, 40)])
            with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
                cursor.executemany("insert into driver_rows values (%s, %s)", [(50, 0), (1, 0)])
    assert rows() == [(n, -n) for n in range(1, 40)]


def test_a_pipeline_is_one_transaction_up_to_its_sync(connection, rows):
    with pytest.raises(psycopg.errors.UniqueViolation), connection.pipeline() as pipeline:
        connection.execute("insert into driver_rows values (4, 40)")
        connection.execute("insert into driver_rows values (5, 50)")
        pipeline.sync()
        connection.execute("insert into driver_rows values (6, 60)")
        connection.execute("insert into driver_rows values (1, 0)")
        connection.execute("insert into driver_rows values (7, 70)")
        pipeline.sync()
    assert status(connection) == "IDLE" and rows() == [*ROWS, (4, 40), (5, 50)]


def test_contexts_in_a_pipeline(connection, rows):
    with connection.pipeline():
        with connection.transaction():
            connection.execute("insert into driver_rows values (4, 40)")
            with connection.transaction():
                cursor = connection.execute("update driver_rows set v = v + 1 where id = %s", [4])
        second = connection.execute("select v from driver_rows where id = 4")
        assert cursor.rowcount == 1 and second.fetchone() == (41,)
    with pytest.raises(psycopg.errors.DivisionByZero), connection.pipeline(), connection.transaction():
        connection.execute("delete from driver_rows")
        connection.execute("select 1/0")
        connection.execute("insert into driver_rows values (8, 80)")
    assert status(connection) == "IDLE" and rows() == [*ROWS, (4, 41)]


def test_a_pipeline_without_autocommit(manual, rows):
    with manual.pipeline():
        manual.execute("insert into driver_rows values (4, 40)")
        manual.execute("insert into driver_rows values (5, 50)")
    assert status(manual) == "INTRANS" and rows() == ROWS
    manual.commit()
    assert rows() == [*ROWS, (4, 40), (5, 50)]
    with pytest.raises(psycopg.errors.UniqueViolation), manual.pipeline():
        manual.execute("insert into driver_rows values (6, 60)")
        manual.execute("insert into driver_rows values (5, 51)")
    assert status(manual) == "INERROR"
    manual.rollback()
    assert rows() == [*ROWS, (4, 40), (5, 50)]


def test_copy_in_contexts(connection, rows):
    with connection.transaction(), connection.cursor() as cursor:
        with cursor.copy("copy driver_rows from stdin") as copy:
            for n in range(4, 1000):
                copy.write_row((n, n * 10))
        with pytest.raises(psycopg.errors.UniqueViolation), connection.transaction():
            with cursor.copy("copy driver_rows from stdin") as copy:
                copy.write_row((5000, 0))
                copy.write_row((4, 0))
        with pytest.raises(RuntimeError), connection.transaction(), cursor.copy("copy driver_rows from stdin") as copy:
            copy.write_row((5000, 0))
            raise RuntimeError
        assert rows() == ROWS
    assert rows() == [(n, n * 10) for n in range(1, 1000)]


def test_streams_in_contexts(connection, rows):
    with connection.transaction(), connection.cursor() as cursor:
        connection.execute("update driver_rows set v = -v")
        assert list(cursor.stream("select v from driver_rows order by id")) == [(-10,), (-20,), (-30,)]
    assert rows() == [(1, -10), (2, -20), (3, -30)]


def test_cancel_in_a_context(connection, rows):
    timer = threading.Timer(0.3, connection.cancel)
    with connection.transaction():
        connection.execute("insert into driver_rows values (4, 40)")
        with pytest.raises(psycopg.errors.QueryCanceled), connection.transaction():
            connection.execute("delete from driver_rows where id < 3")
            timer.start()
            connection.execute("select count(*) from " + ", ".join(f"driver_rows t{n}" for n in range(30)))
        assert connection.execute("select count(*) from driver_rows").fetchone() == (4,)
    timer.join()
    assert rows() == [*ROWS, (4, 40)]


PSQL = {
    "one transaction": (["--single-transaction", "-c", "insert into driver_rows values (4, 40)", "-c", "insert into driver_rows values (5, 50)"], None),
    "one transaction that fails": (["--single-transaction", "-c", "insert into driver_rows values (4, 40)", "-c", "insert into driver_rows values (1, 50)"], None),
    "one string": (["-c", "insert into driver_rows values (4, 40); insert into driver_rows values (1, 50)"], None),
    "two strings": (["-c", "insert into driver_rows values (4, 40)", "-c", "insert into driver_rows values (1, 50)"], None),
    "autocommit off": (["-v", "ON_ERROR_STOP=0"], """\\set AUTOCOMMIT off
insert into driver_rows values (4, 40);
insert into driver_rows values (1, 50);
select * from driver_rows;
rollback;
insert into driver_rows values (5, 50);
commit;
insert into driver_rows values (6, 60);
"""),
    "errors taken back by psql's own savepoints": (["-v", "ON_ERROR_STOP=0"], """\\set ON_ERROR_ROLLBACK on
begin;
insert into driver_rows values (4, 40);
insert into driver_rows values (1, 50);
select * from nosuch;
insert into driver_rows values (5, 50);
savepoint psql_user;
update driver_rows set v = 1 / (id - 3);
update driver_rows set v = v + 1 where id = 2;
select id, v from driver_rows order by id;
commit;
\\echo :ERROR :SQLSTATE
"""),
    "warnings and what is said of a failed block": (["-v", "ON_ERROR_STOP=0"], """begin;
begin;
commit;
commit;
rollback;
begin;
select 1/0;
select 1;
commit;
savepoint s;
set local application_name = 'x';
select 1 \\; select 2 \\; select 1/0;
begin \\; insert into driver_rows values (4, 40) \\; commit;
"""),
    "copy in a block": (["-v", "ON_ERROR_STOP=0"], """begin;
\\copy driver_rows from pstdin
4\t40
5\t50
\\.
select count(*) from driver_rows;
savepoint s;
copy driver_rows from stdin;
6\t60
1\t10
\\.
rollback to s;
commit;
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", PSQL)
def test_psql_shows_what_it_shows_with_postgresql(postgres, gnomon, rows, name):
    arguments, script = PSQL[name]
    with postgres.connect() as reference:
        reference.execute("create table driver_rows (id integer primary key, v integer)")
        try:
            reference.execute("insert into driver_rows values (1, 10), (2, 20), (3, 30)")
            outcomes = [screen(server, arguments, script) for server in (postgres, gnomon)]
            assert outcomes[1] == outcomes[0]
            assert rows() == reference.execute("select id, v from driver_rows order by id").fetchall()
        finally:
            reference.execute("drop table driver_rows")


def screen(server, arguments, script):
    done = server.psql(*arguments, input=script)
    errors = [line for line in done.stderr.splitlines() if not line.startswith(("HINT:", "CONTEXT:", "DETAIL:"))]
    return done.returncode, done.stdout, errors
