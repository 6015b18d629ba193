"""The function call message, played to PostgreSQL and to Gnomon: the transcripts must be the same."""
import struct

import pytest

from wire.protocol import Client, bind, execute, message, parse, query, sync, terminate

LO_CREATE, LO_UNLINK, LO_FROM_BYTEA, LO_GET, LO_OPEN, LOREAD, LOWRITE, LO_LSEEK64 = 715, 964, 3457, 3458, 952, 954, 955, 3170
INT4PL, ABS_INT4, LENGTH_TEXT, SUM_INT4, GENERATE_SERIES, NEXTVAL, TEXT_JOIN, PG_SLEEP, SET_CONFIG = 177, 1397, 1317, 2108, 1067, 1574, 1258, 2626, 2078  # fmt: skip


def call(oid, arguments=(), formats=(), result_format=0, more=b"") -> bytes:
    payload = struct.pack(f"!IH{len(formats)}h", oid, len(formats), *formats) + struct.pack("!H", len(arguments))
    for argument in arguments:
        payload += struct.pack("!i", -1) if argument is None else struct.pack("!i", len(argument)) + argument
    return message("F", payload + struct.pack("!h", result_format) + more)


def integer(number: int) -> bytes:
    return struct.pack("!i", number)


# Each scenario is a list of batches; after each batch the transcript is read up to ReadyForQuery, as often as it says.
SCENARIOS = {
    "text": [call(ABS_INT4, [b"-5"])],
    "binary": [call(ABS_INT4, [integer(-5)], [1], 1)],
    "text in, binary out": [call(ABS_INT4, [b"-5"], [0], 1), call(ABS_INT4, [integer(-5)], [1], 0)],
    "strings": [call(LENGTH_TEXT, ["größe".encode()]), call(LENGTH_TEXT, ["größe".encode()], [1], 1)],
    "one format for all": [call(TEXT_JOIN, [b"a", b"b"], [0]), call(TEXT_JOIN, [b"a", b"b"], [1], 1), call(TEXT_JOIN, [b"a", b"b"], [0, 1])],
    "a NULL argument": [call(ABS_INT4, [None]), call(TEXT_JOIN, [None, b"x"], [1], 1)],
    "too few arguments": [call(ABS_INT4), query("select 1")],
    "too many arguments": [call(ABS_INT4, [b"1", b"2"])],
    "formats that do not fit": [call(TEXT_JOIN, [b"a", b"b"], [0, 0, 0])],
    "a format that there is not": [call(ABS_INT4, [b"1"], [7]), call(ABS_INT4, [b"1"], [0], 7)],
    "a text that is none": [call(ABS_INT4, [b"x"])],
    "a string that is no UTF-8": [call(LENGTH_TEXT, [b"\xff"]), call(LENGTH_TEXT, [b"\xff"], [1])],
    "a binary integer of a wrong length": [call(ABS_INT4, [b"\0\0\1"], [1]), call(ABS_INT4, [b"\0\0\0\0\1"], [1])],
    "more than the message has": [call(ABS_INT4, [b"1"], more=b"x"), query("select 1")],
    "a message that is cut short": [message("F", struct.pack("!IH", ABS_INT4, 0)), message("F", b""), query("select 1")],
    "a negative length": [message("F", struct.pack("!IHHih", ABS_INT4, 0, 1, -2, 0))],
    "no such function": [call(4000000000), call(0), call(1)],
    "an aggregate": [call(SUM_INT4, [b"1"])],
    "a set": [call(GENERATE_SERIES, [b"1", b"2"])],
    "an error of the function": [call(ABS_INT4, [b"-2147483648"]), query("select 1")],
    "void": [call(PG_SLEEP, [b"0"]), call(PG_SLEEP, [b"0"], result_format=1)],
    "a user's function": [
        query("create function wire_twice(a integer, b text) returns text language sql as 'select repeat(b, 2 * a)'"),
        lambda oids: call(oids["wire_twice"], [b"2", b"xy"]),
        lambda oids: call(oids["wire_twice"], [integer(1), b"xy"], [1], 1),
        query("create or replace function wire_twice(a integer, b text) returns text language sql as 'select b'"),
        lambda oids: call(oids["wire_twice"], [b"2", b"xy"]),
        lambda oids: call(oids["wire_twice"], [b"2"]),
        query("drop function wire_twice"),
    ],
    "functions that cannot be called": [
        query("create function wire_set() returns setof integer language sql as 'select 1'"),
        query("create procedure wire_procedure() language sql as 'select 1'"),
        lambda oids: call(oids["wire_set"]),
        lambda oids: call(oids["wire_procedure"]),
        query("drop function wire_set; drop procedure wire_procedure"),
    ],
    "changes are committed": [
        query("create table wire_called (a integer); create function wire_add(a integer) returns void language sql as 'insert into wire_called values (a)'"),
        lambda oids: call(oids["wire_add"], [b"1"]),
        query("begin"),
        lambda oids: call(oids["wire_add"], [b"2"]),
        query("rollback"),
        query("select * from wire_called"),
        query("drop function wire_add; drop table wire_called"),
    ],
    "a block that failed": [query("begin"), call(ABS_INT4, [b"x"]), call(ABS_INT4, [b"1"]), call(4000000000), query("rollback"), call(ABS_INT4, [b"1"])],
    "within a block": [query("begin"), call(ABS_INT4, [b"-7"]), query("savepoint s"), call(ABS_INT4, [b"y"]), query("rollback to s"), call(ABS_INT4, [b"-8"]), query("commit")],
    "skipped up to Sync": [parse("selec") + call(ABS_INT4, [b"1"]) + sync(), query("select 1")],
    "ends what the extended protocol began": [
        query("create table wire_called (a integer)"),
        (parse("insert into wire_called values (1)") + bind() + execute() + call(ABS_INT4, [b"-1"]) + parse("insert into wire_called values (nosuch)") + bind() + execute() + sync(), 2),
        query("select * from wire_called"),
        query("drop table wire_called"),
    ],
    "settings": [call(SET_CONFIG, [b"application_name", b"called", b"f"]), query("show application_name")],
    "large objects": [
        query("begin"),
        call(LO_CREATE, [b"920001"]),
        call(LO_OPEN, [struct.pack("!I", 920001), integer(0x60000)], [1, 1], 1),
        call(LOWRITE, [integer(0), b"\0\1\2binary"], [1, 1], 1),
        call(LO_LSEEK64, [integer(0), struct.pack("!q", 1), integer(0)], [1], 1),
        call(LOREAD, [integer(0), integer(100)], [1, 1], 1),
        call(LOREAD, [integer(0), integer(100)], [1, 1], 0),
        query("commit"),
        call(LO_GET, [b"920001"], [], 0),
        call(LOREAD, [integer(0), integer(100)], [1, 1], 1),
        call(LO_UNLINK, [b"920001"]),
        call(LO_UNLINK, [b"920001"]),
    ],
}  # fmt: skip


def transcript(server, batches) -> list:
    with Client(server.port) as client:
        client.start()
        seen = []
        for batch in batches:
            if callable(batch):
                rows = client.ask("select proname, oid from pg_proc where proname like 'wire_%'")
                batch = batch({row[1].decode(): int(row[2]) for row in rows if row[0] == "DataRow"})
            batch, count = batch if isinstance(batch, tuple) else (batch, 1)
            client.send(batch)
            for _ in range(count):
                seen.append(client.until_ready())
        client.send(terminate())
        return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, SCENARIOS[name]) == transcript(postgres, SCENARIOS[name])


def test_function_without_the_right_is_refused(postgres, gnomon):
    def seen(server):
        with Client(server.port) as client:
            client.start()
            client.ask("create function wire_secret() returns integer language sql as 'select 1'; revoke execute on function wire_secret from public; create role wire_caller")
            oid = int(client.ask("select oid from pg_proc where proname = 'wire_secret'")[1][1])
            client.ask("set role wire_caller")
            client.send(call(oid))
            answers = client.until_ready()
            client.ask("reset role; drop function wire_secret; drop role wire_caller")
            return answers

    assert seen(gnomon) == seen(postgres)
