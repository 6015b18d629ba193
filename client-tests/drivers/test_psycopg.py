"""psycopg 3: Python values in and out, in text and binary, prepared statements, pipelines, COPY and cancel."""
import datetime
import decimal
import threading
import time

import psycopg
import pytest

VALUES = [
    ("boolean", True), ("boolean", False),
    ("smallint", 7), ("smallint", -32768), ("integer", 70_000), ("integer", -2147483648), ("bigint", 2**62), ("bigint", 3),
    ("numeric", decimal.Decimal("12345678901234567890.123")), ("numeric", decimal.Decimal("0.00")), ("numeric", decimal.Decimal("-1E+20")), ("numeric", decimal.Decimal("NaN")),
    ("numeric(10,2)", decimal.Decimal("-99.95")),
    ("double precision", 1.5), ("double precision", -0.1), ("double precision", float("inf")), ("real", 0.25),
    ("text", "twelve bytes"), ("text", ""), ("text", "ä€😀 \\ ' \" \n"), ("varchar(10)", "short"), ("char(5)", "five5"),
    ("bytea", b""), ("bytea", b"\x00\xff\\'"), ("bytea", bytes(range(256)) * 10),
    ("date", datetime.date(2020, 2, 29)), ("date", datetime.date(1, 1, 1)),
    ("timestamp", datetime.datetime(2020, 2, 29, 12, 34, 56, 789000)), ("timestamp", datetime.datetime(1969, 12, 31, 23, 59, 59)),
    ("interval", datetime.timedelta(days=3, hours=4, microseconds=5)), ("interval", datetime.timedelta(days=-1)),
]  # fmt: skip


@pytest.fixture
def connection(gnomon):
    with gnomon.connect() as made:
        yield made


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("type_name, value", VALUES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(VALUES)])
def test_a_value_goes_in_and_comes_back(connection, type_name, value, binary):
    with connection.cursor(binary=binary) as cursor:
        mark = "%b" if binary else "%t"
        for sent in (value, None):
            back = cursor.execute(f"select {mark}::{type_name}", [sent]).fetchone()[0]
            assert back == sent or (back != back and sent != sent), (back, sent)
            assert back is None or type(back) is type(sent)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_values_go_through_a_table(connection, binary):
    connection.execute("create table psycopg_rows (n integer, b boolean, s smallint, l bigint, d numeric(12,3), f double precision, t text, day date, moment timestamp, span interval)")
    try:
        rows = [
            (n, n % 2 == 0, n, n * 10**10, decimal.Decimal(n) / 8, n / 3, "x" * n, datetime.date(2000, 1, 1) + datetime.timedelta(days=n),
             datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=n), datetime.timedelta(hours=n))
            for n in range(50)
        ]  # fmt: skip
        with connection.cursor(binary=binary) as cursor:
            for row in rows:
                cursor.execute("insert into psycopg_rows values (" + ", ".join(["%s"] * 10) + ")", row)
            assert cursor.execute("select * from psycopg_rows order by n").fetchall() == rows
            names = [column.name for column in cursor.description]
            assert names == ["n", "b", "s", "l", "d", "f", "t", "day", "moment", "span"]
            assert cursor.execute("select count(*) from psycopg_rows where n = any_n and t = %s".replace("any_n", "%s"), [7, "xxxxxxx"]).fetchone() == (1,)
    finally:
        connection.execute("drop table psycopg_rows")


def test_statement_prepared_after_five_runs_goes_on_giving_answers(connection):
    for n in range(20):
        assert connection.execute("select %s::int + 1", [n]).fetchone() == (n + 1,)
    for n in (1, 70_000, 2**40):
        for _ in range(7):
            assert connection.execute("select %s + 0", [n], prepare=True).fetchone() == (n,)


def test_pipeline_and_its_error(connection):
    with pytest.raises(psycopg.errors.DivisionByZero):
        with connection.pipeline():
            cursors = [connection.execute("select %s::int", [n]) for n in range(10)]
            assert [cursor.fetchone()[0] for cursor in cursors] == list(range(10))
            connection.execute("select 1 / %s", [0])
            connection.execute("select 2")
    assert connection.execute("select 3").fetchone() == (3,)


def test_errors_have_their_classes(connection):
    for sql, error in [
        ("selec", psycopg.errors.SyntaxError), ("select * from nosuch", psycopg.errors.UndefinedTable), ("select nosuch", psycopg.errors.UndefinedColumn),
        ("select 1/0", psycopg.errors.DivisionByZero), ("select 2147483647 + 1", psycopg.errors.NumericValueOutOfRange), ("select 'x'::int", psycopg.errors.InvalidTextRepresentation),
        ("select nosuch(1)", psycopg.errors.UndefinedFunction),
    ]:  # fmt: skip
        with pytest.raises(error):
            connection.execute(sql)


def test_copy_in_and_out(connection):
    connection.execute("create table psycopg_copy (n integer, t text)")
    try:
        with connection.cursor() as cursor:
            with cursor.copy("copy psycopg_copy from stdin") as copy:
                for n in range(1000):
                    copy.write_row((n, None if n % 10 == 0 else f"tab\there {n}"))
            with cursor.copy("copy psycopg_copy to stdout") as copy:
                copy.set_types(["int4", "text"])
                rows = sorted(copy.rows())
        assert rows[:2] == [(0, None), (1, "tab\there 1")] and len(rows) == 1000
        with pytest.raises(RuntimeError, match="on purpose"), connection.cursor() as cursor, cursor.copy("copy psycopg_copy from stdin") as copy:
            copy.write_row((5000, "x"))
            raise RuntimeError("on purpose")
        assert connection.execute("select count(*) from psycopg_copy").fetchone() == (1000,)
    finally:
        connection.execute("drop table psycopg_copy")


def test_stream_takes_rows_one_by_one(connection):
    with connection.cursor() as cursor:
        rows = list(cursor.stream("select n from (values (1), (2), (3)) as v (n) order by n"))
    assert rows == [(1,), (2,), (3,)]


def test_cancel_from_another_thread(connection):
    connection.execute("create table psycopg_long (n integer)")
    connection.execute("insert into psycopg_long values " + ", ".join(f"({n})" for n in range(3000)))
    timer = threading.Timer(0.5, connection.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute("select count(*) from psycopg_long, psycopg_long b, psycopg_long c, psycopg_long d")
    assert time.monotonic() - started < 5
    connection.execute("drop table psycopg_long")
