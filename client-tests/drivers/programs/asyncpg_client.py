"""asyncpg, ten things: prints a transcript that must be the same on PostgreSQL and on Gnomon. All its values are binary."""
import asyncio
import datetime
import decimal
import io
import ipaddress
import json
import sys
import uuid

import asyncpg


def say(what: str, *values):
    print(what, *values, sep=" | ", flush=True)


async def failing(what: str, call):
    try:
        say(what, await call)
    except asyncpg.PostgresError as error:
        say(what, error.sqlstate, type(error).__name__)


VALUES = [
    ("boolean", True), ("smallint", -7), ("integer", 70_000), ("bigint", 2**40), ("numeric", decimal.Decimal("12345678901234567890.25")),
    ("real", 0.25), ("double precision", -0.1), ("text", "ä€😀 '\\"), ("varchar", "short"), ("bytea", b"\x00\xff"), ("date", datetime.date(2020, 2, 29)),
    ("time", datetime.time(12, 34, 56, 789)), ("timestamp", datetime.datetime(2020, 2, 29, 1, 2, 3, 4)),
    ("timestamptz", datetime.datetime(2020, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc)), ("interval", datetime.timedelta(days=3, seconds=5)),
    ("uuid", uuid.UUID(int=7)), ("timetz", datetime.time(12, 34, 56, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))), ("\"char\"", b"x"), ("oid", 4_000_000_000),
    ("numeric", decimal.Decimal("NaN")), ("numeric", decimal.Decimal("-0.00012300")), ("double precision", float("inf")), ("name", "a name"),
    ("json", '{"a":  [1, null]}'), ("jsonb", '{"a": [1, 2.50, null]}'), ("jsonpath", '$."a"[*]'), ("inet", ipaddress.ip_interface("10.1.2.3/8")), ("inet", ipaddress.ip_address("fe80::1")), ("cidr", ipaddress.ip_network("10.1.0.0/16")),
    ("bit(5)", asyncpg.BitString("10110")), ("varbit", asyncpg.BitString("101")), ("macaddr", "08:00:2b:01:02:03"), ("macaddr8", "08:00:2b:01:02:03:04:05"),
    ("integer[]", [1, None, 3]), ("integer[]", [[1, 2], [3, 4]]), ("text[]", ["a", 'b"c', ""]), ("numeric[]", [decimal.Decimal("1.50")]), ("timestamptz[]", []), ("uuid[]", [uuid.UUID(int=8)]),
    ("jsonb[]", ["1", None]), ("asyncpg_mood", "very happy"), ("asyncpg_mood[]", ["sad", "very happy"]), ("asyncpg_small", 7), ("asyncpg_place", ("here", "sad", [1, 2], 5)), ("asyncpg_place[]", [(None, None, None, None)]),
]  # fmt: skip


async def main(port: int):
    connection = await asyncpg.connect(host="127.0.0.1", port=port, user="postgres", database="postgres", server_settings={"application_name": "asyncpg test"})
    say("connect", await connection.fetchval("show application_name"), connection.get_settings().client_encoding)
    await connection.execute("create type asyncpg_mood as enum ('sad', 'very happy'); create domain asyncpg_small as integer check (value < 10)")
    await connection.execute("create type asyncpg_place as (name text, mood asyncpg_mood, seen integer[], n bigint)")
    try:
        await types(connection)
    finally:
        await connection.execute("drop type asyncpg_place; drop domain asyncpg_small; drop type asyncpg_mood")
    await connection.execute("create table asyncpg_rows (id integer primary key, name text not null, price numeric(8,2))")
    try:
        await with_table(connection, port)
    finally:
        await connection.execute("drop table asyncpg_rows")
        await connection.close()


async def types(connection):
    for name, value in VALUES:
        for sent in (value, None):
            back = await connection.fetchval(f"select $1::{name}", sent)
            say("type", name, repr(back), back == sent)
    say("type", await connection.fetchrow("select row(1, 'a'::text, null::integer[]) as r, array_agg(g) as a from generate_series(1, 3) g"))
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    say("type", await connection.fetchval("select $1::jsonb || '{\"b\": 2}'", {"a": [1, None]}))
    await connection.reset_type_codec("jsonb", schema="pg_catalog")


async def with_table(connection, port):
    insert = await connection.prepare("insert into asyncpg_rows values ($1, $2, $3) returning id")
    say("prepared", [await insert.fetchval(n, f"row {n}", decimal.Decimal(n) / 4) for n in range(5)], insert.get_statusmsg())
    say("parameters", [parameter.name for parameter in insert.get_parameters()], [(a.name, a.type.name) for a in insert.get_attributes()])

    async with connection.transaction(isolation="repeatable_read"):
        await connection.execute("update asyncpg_rows set price = price + 1")
    try:
        async with connection.transaction():
            await connection.execute("delete from asyncpg_rows")
            async with connection.transaction():
                say("savepoint", await connection.fetchval("select count(*) from asyncpg_rows"))
            raise KeyError
    except KeyError:
        pass
    say("transaction", [tuple(row) for row in await connection.fetch("select * from asyncpg_rows order by id")])

    await failing("error", connection.execute("insert into asyncpg_rows values (1, 'again')"))
    await failing("error", connection.execute("insert into asyncpg_rows values (100, null)"))
    await failing("error", connection.fetch("select nosuch from asyncpg_rows"))
    await failing("error", connection.fetch("select 1 / $1::integer", 0))

    say("copy in", await connection.copy_records_to_table("asyncpg_rows", records=[(n, f"copied {n}", decimal.Decimal(n)) for n in range(10, 40)]))
    say("copy in", await connection.copy_to_table("asyncpg_rows", source=io.BytesIO(b"50,csv,5.5\n"), format="csv"))
    out = io.BytesIO()
    say("copy out", await connection.copy_from_query("select id, name from asyncpg_rows where id > $1 order by id", 37, output=out, format="csv"), out.getvalue())
    out = io.BytesIO()
    await connection.copy_from_table("asyncpg_rows", columns=["id", "price"], output=out, format="binary")
    say("copy out", len(out.getvalue()))

    async with connection.transaction():
        say("cursor", [row["id"] async for row in connection.cursor("select id from asyncpg_rows order by id", prefetch=7)])
        cursor = await connection.cursor("select id from asyncpg_rows where id >= $1 order by id", 10)
        say("cursor", [row["id"] for row in await cursor.fetch(3)], await cursor.forward(4), (await cursor.fetchrow())["id"])

    await connection.executemany("insert into asyncpg_rows (id, name) values ($1, $2)", [(n, str(n)) for n in range(100, 200)])
    say("batch", await connection.fetchval("select count(*) from asyncpg_rows"))
    many = await connection.fetchmany("insert into asyncpg_rows (id, name) values ($1, $2) returning id", [(n, str(n)) for n in range(200, 203)])
    say("batch", [row["id"] for row in many])

    say("metadata", await connection.fetch("select column_name, data_type from information_schema.columns where table_name = 'asyncpg_rows' order by ordinal_position"))
    described = await connection.prepare("select r as whole, r.id, array[r.price] as prices from asyncpg_rows r where id = any($1) and name = $2")
    say("metadata", [(a.name, a.type.name, a.type.kind) for a in described.get_attributes()], [(p.name, p.kind) for p in described.get_parameters()])
    say("server", connection.get_server_version()[0] >= 15, connection.is_in_transaction())

    heard = asyncio.Queue()
    await connection.add_listener("asyncpg_news", lambda _, pid, channel, payload: heard.put_nowait((channel, payload)))
    other = await asyncpg.connect(host="127.0.0.1", port=port, user="postgres", database="postgres")
    await other.execute("select pg_notify('asyncpg_news', 'hello')")
    say("notify", await asyncio.wait_for(heard.get(), 10))
    await other.close()

    try:
        await connection.fetchval("select count(*) from generate_series(1, 1000000000000) a where a % 2 = 3", timeout=0.5)
    except asyncio.TimeoutError:
        say("cancel", await connection.fetchval("select 'alive'"))
    await connection.reset()


asyncio.run(main(int(sys.argv[1])))
