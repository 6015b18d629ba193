"""psycopg 3, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon."""
import datetime
import decimal
import enum
import ipaddress
import logging
import sys
import threading
import uuid

import psycopg
from psycopg import rows, sql
from psycopg.types import TypeInfo, composite
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.json import Json, Jsonb


# What psycopg notes about an aborted pipeline depends on when the messages arrive.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


def say(what: str, *values):
    print(what, *values, sep=" | ", flush=True)


class Mood(enum.Enum):
    SAD = "sad"
    HAPPY = "very happy"


class Place(tuple):
    """What a row of the composite type becomes."""

    def __new__(cls, *values):
        return super().__new__(cls, values)


VALUES = [
    ("boolean", True), ("smallint", -7), ("integer", 70_000), ("bigint", 2**40), ("numeric", decimal.Decimal("12345678901234567890.250")), ("numeric", decimal.Decimal("NaN")),
    ("real", 0.25), ("double precision", -0.1), ("text", "ä€😀 '\\"), ("varchar(10)", "short"), ("char(3)", "abc"), ("name", "a name"), ("bytea", b"\x00\xff"),
    ("date", datetime.date(2020, 2, 29)), ("time", datetime.time(12, 34, 56, 789)), ("timetz", datetime.time(12, 34, 56, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))),
    ("timestamp", datetime.datetime(2020, 2, 29, 1, 2, 3, 4)), ("timestamptz", datetime.datetime(2020, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc)),
    ("interval", datetime.timedelta(days=3, seconds=5)), ("uuid", uuid.UUID(int=7)), ("inet", ipaddress.ip_interface("10.1.2.3/8")), ("inet", ipaddress.ip_address("fe80::1")),
    ("cidr", ipaddress.ip_network("10.1.0.0/16")), ("integer[]", [1, None, 3]), ("integer[]", [[1, 2], [3, 4]]), ("text[]", ["a", 'b"c', ""]), ("numeric[]", [decimal.Decimal("1.50")]),
    ("uuid[]", []), ("date[]", [datetime.date(2020, 2, 29)]), ("psycopg_mood", Mood.HAPPY), ("psycopg_mood[]", [Mood.SAD, None]), ("psycopg_place", Place("here", Mood.SAD, [1, 2], 5)),
]  # fmt: skip


def types(connection):
    register_enum(EnumInfo.fetch(connection, "psycopg_mood"), connection, Mood, mapping={mood: mood.value for mood in Mood})
    info = composite.CompositeInfo.fetch(connection, "psycopg_place")
    say("type", info.name, info.field_names, TypeInfo.fetch(connection, "nosuch"))
    composite.register_composite(info, connection, Place)
    for mark, binary in (("%t", False), ("%b", True)):
        with connection.cursor(binary=binary) as cursor:
            for name, value in VALUES:
                back, nothing, shown = cursor.execute(f"select {mark}::{name}, null::{name}, {mark}::{name}::text", [value, value]).fetchone()
                described = cursor.description[0]
                say("type", mark, name, repr(back), back == value, nothing, shown, described.internal_size, described.precision, described.scale)
            for wrapped, name in ((Json, "json"), (Jsonb, "jsonb")):
                say("type", name, cursor.execute(f"select {mark}::{name}, {mark}::{name}::text", [wrapped({"a": [1, 2.5, None]})] * 2).fetchone())
            say("type", cursor.execute("select row(1, 'a'::text, null::integer), array_agg(g order by g desc) from generate_series(1, 3) g").fetchone())


def failing(connection, what, statement, *arguments):
    try:
        with connection.transaction():
            say(what, connection.execute(statement, *arguments).fetchall())
    except psycopg.Error as error:
        seen = error.diag
        say(what, type(error).__name__, seen.sqlstate, seen.message_primary, seen.statement_position, seen.constraint_name, seen.table_name, seen.column_name)


def with_table(connection):
    for n in range(8):
        cursor = connection.execute("insert into psycopg_rows values (%s, %s, %s) returning id, name", [n, f"row {n}", decimal.Decimal(n) / 4])
        say("prepared", cursor.fetchone(), cursor.statusmessage)
    say("prepared", connection.execute("select count(*) from pg_prepared_statements where statement like 'insert%%'", prepare=False).fetchone())
    connection.commit()

    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.execute("delete from psycopg_rows")
    connection.rollback()
    connection.isolation_level = None
    try:
        with connection.transaction():
            connection.execute("update psycopg_rows set price = price + 1")
            with connection.transaction(), connection.cursor(row_factory=rows.scalar_row) as cursor:
                cursor.execute("delete from psycopg_rows")
                say("savepoint", cursor.execute("select count(*) from psycopg_rows").fetchone())
                raise psycopg.Rollback
            say("transaction", connection.info.transaction_status.name, connection.execute("select count(*), sum(price) from psycopg_rows").fetchone())
            raise KeyError
    except KeyError:
        connection.commit()
    say("transaction", connection.info.transaction_status.name, connection.execute("select * from psycopg_rows order by id").fetchall())

    failing(connection, "error", "insert into psycopg_rows values (1, 'again')")
    failing(connection, "error", "insert into psycopg_rows values (100, null)")
    failing(connection, "error", "select nosuch from psycopg_rows")
    failing(connection, "error", "select 1 / %s", [0])
    failing(connection, "error", "select %s::integer", ["x"])

    with connection.cursor() as cursor:
        with cursor.copy("copy psycopg_rows from stdin") as copy:
            for n in range(10, 25):
                copy.write_row((n, f"copied\t{n}", None))
        say("copy in", cursor.statusmessage)
        with cursor.copy("copy psycopg_rows from stdin (format binary)") as copy:
            copy.set_types(["int4", "text", "numeric"])
            for n in range(25, 40):
                copy.write_row((n, f"binary {n}", decimal.Decimal(n)))
        say("copy in", cursor.statusmessage)
        for options in ("", " (format binary)"):
            with cursor.copy(f"copy (select * from psycopg_rows where id in (1, 10, 39) order by id) to stdout{options}") as copy:
                copy.set_types(["int4", "text", "numeric"])
                say("copy out", list(copy.rows()))

    with connection.cursor(name="named", scrollable=True) as cursor:
        cursor.execute("select id from psycopg_rows where id >= %s order by id", [2])
        say("cursor", cursor.fetchmany(3), cursor.fetchone())
        cursor.scroll(-2)
        say("cursor", cursor.fetchone(), cursor.rownumber, [column.name for column in cursor.description])
    connection.execute("drop table if exists psycopg_nothing")
    with connection.cursor(name="held", withhold=True) as cursor:
        cursor.execute("select id from psycopg_rows order by id desc")
        connection.commit()
        cursor.itersize = 7
        say("cursor", [row[0] for row in cursor])
    with connection.cursor(binary=True) as cursor:
        say("stream", sum(row[0] for row in cursor.stream("select id from psycopg_rows")))

    with connection.cursor() as cursor:
        cursor.executemany("insert into psycopg_rows (id, name) values (%s, %s) returning id", [(n, str(n)) for n in range(100, 105)], returning=True)
        results = [cursor.fetchone()]
        while cursor.nextset():
            results.append(cursor.fetchone())
        say("batch", results)
    with connection.pipeline() as pipeline:
        cursors = [connection.execute("select %s::integer * 2", [n]) for n in range(5)]
        pipeline.sync()
        say("pipeline", [cursor.fetchone()[0] for cursor in cursors])
    connection.commit()
    try:
        with connection.pipeline():
            connection.execute("insert into psycopg_rows (id, name) values (200, 'lost')")
            connection.execute("select 1 / %s", [0])
            connection.execute("select 2")
    except psycopg.errors.DivisionByZero as error:
        connection.rollback()
        say("pipeline", error.sqlstate, connection.execute("select count(*) from psycopg_rows where id = 200").fetchone())

    with connection.cursor(row_factory=rows.dict_row) as cursor:
        table = sql.Literal("psycopg_rows")
        asked = "select column_name, data_type, numeric_precision, is_nullable from information_schema.columns where table_name = {} order by ordinal_position"
        say("metadata", cursor.execute(sql.SQL(asked).format(table)).fetchall())
        cursor.execute("select id, name, price, price::numeric(5,1) as other, name::varchar(7) as short from psycopg_rows limit 0")
        say("metadata", [(c.name, c.type_code, c.display_size, c.internal_size, c.precision, c.scale) for c in cursor.description])
    connection.commit()


def main(port: int):
    with psycopg.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres", application_name="psycopg test") as connection:
        info = connection.info
        say("connect", connection.execute("show application_name").fetchone(), info.server_version >= 150000, info.encoding, info.parameter_status("DateStyle"), str(info.timezone))
        connection.execute("create type psycopg_mood as enum ('sad', 'very happy')")
        connection.execute("create type psycopg_place as (name text, mood psycopg_mood, seen integer[], n bigint)")
        connection.execute("create table psycopg_rows (id integer primary key, name text not null, price numeric(8,2))")
        connection.commit()
        try:
            types(connection)
            with_table(connection)
        finally:
            connection.rollback()
            connection.execute("drop table psycopg_rows; drop type psycopg_place; drop type psycopg_mood")
            connection.commit()
    with psycopg.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute("listen psycopg_news")
        connection.execute("select pg_notify('psycopg_news', 'hello')")
        say("notify", [(heard.channel, heard.payload) for heard in connection.notifies(timeout=10, stop_after=1)])
        timer = threading.Timer(0.5, connection.cancel_safe)
        timer.start()
        failing(connection, "cancel", "select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3")
        timer.join()


main(int(sys.argv[1]))
