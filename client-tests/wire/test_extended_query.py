"""Simple and extended query: each scenario is played to PostgreSQL and to Gnomon, and the transcripts must be the same."""
import struct

import pytest

from wire import protocol
from wire.protocol import Client, bind, close, describe, execute, flush, parse, query, sync

INT4, INT8, TEXT, VARCHAR, NUMERIC, DATE, BYTEA = 23, 20, 25, 1043, 1700, 1082, 17
TABLE = "create table wire_rows (a integer, b text)"
FILL = "insert into wire_rows values (1, 'one'), (2, 'two'), (3, 'three'), (4, null), (5, 'five')"

# Each scenario is a list of batches; after each batch the transcript is read up to ReadyForQuery.
SCENARIOS = {
    "simple select": [query("select 1 as a, 'x' as b")],
    "several statements in one string": [query("select 1; select 'two'; select 3 where false")],
    "an error ends the string": [query("select 1; select 1/0; select 3"), query("select 4")],
    "a syntax error anywhere runs nothing": [query("select 1; selec 2")],
    "empty query": [query("")],
    "semicolons only": [query(" ; ;; ")],
    "comment only": [query("-- ping")],
    "trailing semicolons": [query("select 1;;")],
    "empty statement through parse": [parse("") + describe("S") + bind() + describe("P") + execute() + sync()],
    "parse describe bind execute": [parse("select 1 as a, 'x'::text as b") + describe("S") + bind() + describe("P") + execute() + sync()],
    "several statements in one parse": [parse("select 1; select 2") + sync(), query("select 1")],
    "named statement twice used": [
        parse("select a, b from wire_rows where a = $1", "s1") + describe("S", "s1") + sync(),
        bind([b"2"], statement="s1") + execute() + sync(),
        bind([b"3"], statement="s1") + execute() + sync(),
        close("S", "s1") + sync(),
        bind([b"3"], statement="s1") + execute() + sync(),
    ],
    "prepared statement under another bytea_output": [
        parse("select $1::bytea as b, '\\x00ff'::bytea::text as t, 'x'::text || '\\x80'::bytea as c, $1 || '\\x01'::bytea as d", "bytes", [BYTEA]) + describe("S", "bytes") + sync(),
        *(
            batch
            for output in ("escape", "hex")
            for batch in (query(f"set bytea_output = {output}"), bind([b"a\\\\001"], statement="bytes") + execute() + sync(), bind([b"a\\1\0"], value_formats=[1], statement="bytes") + execute() + sync())
        ),
        bind([b"a\\1"], statement="bytes") + execute() + sync(),
        bind([b"\\x0g"], statement="bytes") + execute() + sync(),
        bind([b"\\x00"], statement="bytes", result_formats=[1, 0, 0, 1]) + execute() + sync(),
        close("S", "bytes") + sync(),
    ],
    "named statement defined twice": [parse("select 1", "dup") + sync(), parse("select 2", "dup") + sync(), bind(statement="dup") + execute() + sync()],
    "unnamed statement is replaced": [parse("select 1") + parse("select 2") + bind() + execute() + sync()],
    "close of what is not there": [close("S", "nothing") + close("P", "nothing") + sync()],
    "unknown statement": [bind(statement="nothing") + execute() + sync(), describe("S", "nothing") + sync()],
    "unknown portal": [execute("nothing") + sync(), describe("P", "nothing") + sync()],
    "portal ends with sync": [parse("select 1") + bind(portal="p") + sync(), execute("p") + sync()],
    "portal defined twice": [parse("select 1") + bind(portal="p") + bind(portal="p") + sync()],
    "row limit": [
        parse("select a from wire_rows order by a") + bind(portal="p") + execute("p", 2) + execute("p", 2) + execute("p", 2) + execute("p", 2) + sync()
    ],
    "row limit that is the number of rows": [parse("select a from wire_rows order by a") + bind() + execute("", 5) + execute("", 5) + sync()],
    "two portals taken in turn": [
        parse("select a from wire_rows order by a", "up") + parse("select a from wire_rows order by a desc", "down")
        + bind(portal="p1", statement="up") + bind(portal="p2", statement="down")
        + execute("p1", 2) + execute("p2", 2) + execute("p1", 2) + execute("p2", 0) + execute("p1", 0) + close("P", "p1") + execute("p1") + sync(),
        close("S", "up") + close("S", "down") + sync(),
    ],
    "an error skips to sync": [
        parse("select nosuch") + bind() + execute() + parse("select 2") + bind() + execute() + sync() + parse("select 3") + bind() + execute() + sync()
    ],
    "an error at execute skips to sync": [parse("select 1 / $1::int") + bind([b"0"]) + execute() + parse("select 2") + bind() + execute() + sync()],
    "rows before an error": [
        parse("select 10 / (a - 3) from wire_rows where a <= 3") + bind() + execute() + sync(),
        query("select 1"),
    ],
    "two batches in one packet": [
        parse("select 1") + bind() + execute() + sync() + parse("select 2") + bind() + execute() + sync() + query("select 3"),
    ],
    "insert through the extended protocol": [
        parse("insert into wire_rows values ($1, $2)") + describe("S") + bind([b"50", None]) + describe("P") + execute() + sync(),
        bind([b"51", b"bound"]) + execute() + sync(),
        query("select * from wire_rows where a >= 50 order by a"),
    ],
    "a write that ends its batch": [
        parse("select 1") + bind() + execute() + parse("insert into wire_rows values ($1, 'batch')") + bind([b"60"]) + execute() + sync(),
        query("select 1; insert into wire_rows values (61, 'batch')"),
        query("select a from wire_rows where b = 'batch' order by a"),
    ],
    "an error before the write of its batch": [
        parse("select 1/0") + bind() + execute() + parse("insert into wire_rows values (62, 'batch')") + bind() + execute() + sync(),
        query("select 1/0; insert into wire_rows values (63, 'batch')"),
        query("select a from wire_rows where b = 'batch'"),
    ],
    "parameter types inferred": [
        parse("select $1::int, $2::numeric(5,2), a = $3, b || $4, a + $5, $6 from wire_rows where a in ($7, $8) and b like $9", "q") + describe("S", "q") + close("S", "q") + sync()
    ],
    "parameter types inferred from insert": [parse("insert into wire_rows (b, a) values ($1, $2)") + describe("S") + sync()],
    "parameter type given": [parse("select $1, $2", types=[INT8, DATE]) + describe("S") + bind([b"7", b"2020-01-02"]) + execute() + sync()],
    "parameter type given as unknown": [parse("select $1::int + $2", types=[0, 0]) + describe("S") + bind([b"7", b"8"]) + execute() + sync()],
    "parameter numbers with gaps": [parse("select $2::int") + describe("S") + sync(), parse("select $3::int, $1::int, $2::text") + describe("S") + bind([b"1", b"x", b"3"]) + execute() + sync()],
    "parameter that cannot be inferred": [parse("select $1 is null") + describe("S") + sync(), parse("select $1 + $2") + describe("S") + sync()],
    "conflicting parameter types": [parse("select $1::int, $1::date") + sync(), parse("select $1 || 'a', $1 + 1") + sync()],
    "parameter zero": [parse("select $0") + sync()],
    "parameter in a simple query": [query("select $1::int")],
    "null parameter": [parse("select $1::int is null, coalesce($1, 5)") + bind([None]) + execute() + sync()],
    "bad text of a parameter": [parse("select $1::int") + bind([b"x"]) + execute() + sync()],
    "parameter in limit": [parse("select a from wire_rows order by a limit $1 offset $2") + describe("S") + bind([b"2", b"1"]) + execute() + sync()],
    "too few parameters": [parse("select $1::int, $2::int") + bind([b"1"]) + execute() + sync()],
    "too many parameters": [parse("select $1::int") + bind([b"1", b"2"]) + execute() + sync()],
    "bad format code": [parse("select $1::int") + bind([b"1"], value_formats=[7]) + execute() + sync(), parse("select 1") + bind(result_formats=[7]) + execute() + sync()],
    "format codes that do not fit": [
        parse("select $1::int, $2::int, $3::int") + bind([b"1", b"2", b"3"], value_formats=[0, 0]) + execute() + sync(),
        parse("select 1, 2, 3") + bind(result_formats=[0, 0]) + execute() + sync(),
    ],
    "binary integer of a wrong length": [parse("select $1::int") + bind([b"\0\0\1"], value_formats=[1]) + execute() + sync(), parse("select $1::int") + bind([b"\0\0\0\0\1"], value_formats=[1]) + execute() + sync()],
    "binary and text results mixed": [parse("select 1, 'x'::text, 2::bigint, 1.5") + bind(result_formats=[1, 0, 1, 1]) + describe("P") + execute() + sync()],
    "binary results by one code": [parse("select a, b from wire_rows order by a") + bind(result_formats=[1]) + execute() + sync()],
    "describe of statements without rows": [parse(TABLE.replace("wire_rows", "wire_other")) + describe("S") + bind() + describe("P") + execute() + sync(), query("drop table wire_other")],
    "columns described": [query("select a, b, a + 1, b || 'x', c.a from wire_rows, (select 1::smallint as a) as c where wire_rows.a = 1".replace("a, b, a + 1", "wire_rows.a, b, wire_rows.a + 1"))],
    "modifiers described": [parse("select 1.5::numeric(7,3), 'a'::varchar(9), 'a'::char(4), timestamp(3) '2020-01-01', b from wire_rows") + describe("S") + sync()],
    "set and show": [query("set extra_float_digits = 1"), query("show standard_conforming_strings"), query("show nosuch_setting"), query("set nosuch_setting = 1")],
    "statement outlives a table": [
        query("create table wire_other (a integer)"),
        parse("select * from wire_other", "kept") + sync(),
        query("drop table wire_other"),
        bind(statement="kept") + execute() + sync(),
        close("S", "kept") + sync(),
    ],
    "sync alone": [sync(), sync() + sync()],
    "stray copy messages are ignored": [protocol.copy_data(b"x") + protocol.copy_done() + protocol.copy_fail("x") + query("select 1")],
}  # fmt: skip


def without_partial_answers(messages) -> list:
    """How much of the failing statement's answer was sent before its error (a constant 1/0 may fail at Bind or at Execute, rows
    may still have been in a buffer) is open: it is left out."""
    names = [entry[0] for entry in messages]
    if "Error" not in names:
        return messages
    error = names.index("Error")
    ends = ("CommandComplete", "EmptyQueryResponse", "PortalSuspended")
    done = max((n for n in range(error) if names[n] in ends), default=-1)
    return messages[: done + 1] + messages[error:]


def transcript(server, batches) -> list:
    with Client(server.port) as client:
        client.start()
        client.ask("drop table wire_rows")
        client.ask(TABLE)
        client.ask(FILL)
        seen = []
        for batch in batches:
            client.send(batch)
            for _ in range(expected_ready(batch)):
                seen.append(without_partial_answers(client.until_ready()))
        client.ask("drop table wire_rows")
        return seen


def expected_ready(batch: bytes) -> int:
    """One ReadyForQuery comes per Sync and per Query in the batch."""
    count, position = 0, 0
    while position < len(batch):
        kind = batch[position : position + 1]
        count += kind in (b"Q", b"S")
        position += 1 + int.from_bytes(batch[position + 1 : position + 5], "big")
    return count


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, SCENARIOS[name]) == transcript(postgres, SCENARIOS[name])


# PostgreSQL takes a write back when a later statement of its batch fails. Gnomon has no transactions yet: a write that is
# not the last of its batch is refused before it begins.
def domain_transcript(server) -> list:
    """What a server says of parameters of a domain, whose number is not the same everywhere."""
    with Client(server.port) as client:
        client.start()
        for statement in ("drop domain wire_letters, wire_domain", "create domain wire_domain as integer check (value > 0)"):
            client.ask(statement)
        client.ask("create domain wire_letters as varchar(3) not null")
        oids = {}
        for name in ("wire_domain", "wire_domain[]", "wire_letters"):
            oids[name] = int(protocol.rows_of(client.ask(f"select '{name}'::regtype::oid"))[0][0])
        names = {oid: name for name, oid in oids.items()}
        binary = struct.pack("!i", -4)
        array = struct.pack("!iiIiiii", 1, 0, oids["wire_domain"], 1, 1, 4, 7)
        batches = [parse("select $1 + 1", "d", [oids["wire_domain"]]) + describe("S", "d") + sync()]
        batches += [bind([value], statement="d") + execute() + sync() for value in (b"5", b"-5", b"x", None)]
        batches.append(bind([binary], statement="d", value_formats=[1]) + execute() + sync())
        batches.append(parse("select $1[1]", "a", [oids["wire_domain[]"]]) + describe("S", "a") + sync())
        batches += [bind([value], statement="a") + execute() + sync() for value in (b"{5}", b"{-5}")]
        batches.append(bind([array], statement="a", value_formats=[1]) + execute() + sync())
        batches.append(parse("select $1", "l", [oids["wire_letters"]]) + sync())
        batches += [bind([value], statement="l") + execute() + sync() for value in (b"abc", b"abcd", b"abc  ", None)]
        seen = []
        for batch in batches:
            client.send(batch)
            seen.append(client.until_ready())
        client.ask("drop domain wire_letters, wire_domain")
    named = lambda entry: (entry[0], *(names.get(part, part) for part in entry[1:]))  # noqa: E731
    return [[named(entry) if entry[0] == "ParameterDescription" else entry for entry in messages] for messages in seen]


def test_parameters_of_domains_are_tested(postgres, gnomon):
    assert domain_transcript(gnomon) == domain_transcript(postgres)


def test_flush_brings_the_answers_without_sync(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        client.send(parse("select 5") + bind() + describe("P") + execute() + flush())
        names = [entry[0] for entry in client.read_until("CommandComplete")]
        assert names == ["ParseComplete", "BindComplete", "RowDescription", "DataRow", "CommandComplete"]
        client.send(sync())
        assert client.until_ready() == [("ReadyForQuery", b"I")]


def test_flush_after_an_error_is_silent_until_sync(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        client.send(parse("select nosuch") + flush())
        assert protocol.sqlstates(client.read_until("Error")) == ["42703"]
        client.send(parse("select 1") + flush() + sync())
        assert client.until_ready() == [("ReadyForQuery", b"I")]


def test_a_thousand_batches_in_flight(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        client.send(b"".join(parse("select $1::int * 2") + bind([str(n).encode()]) + execute() + sync() for n in range(1000)))
        answers = [protocol.rows_of(client.until_ready()) for _ in range(1000)]
        assert answers == [[(str(2 * n).encode(),)] for n in range(1000)]


def test_sixty_five_thousand_parameters(gnomon):
    count = 65_535
    with Client(gnomon.port) as client:
        client.start()
        sql = "select 1 where 65535 in (" + ",".join(f"${n}::int" for n in range(1, count + 1)) + ")"
        values = [str(n).encode() for n in range(1, count + 1)]
        payload = b"\0\0" + b"\0\0" + count.to_bytes(2, "big")
        payload += b"".join(len(value).to_bytes(4, "big") + value for value in values) + b"\0\0"
        client.send(protocol.message("P", b"\0" + sql.encode() + b"\0\0\0"), protocol.message("B", payload), execute(), sync())
        seen = client.until_ready()
        assert protocol.rows_of(seen) == [(b"1",)] or protocol.sqlstates(seen) in (["54000"], ["54001"], ["54023"]), seen
