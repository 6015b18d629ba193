"""COPY as a stream: arbitrary chunks, CopyFail, clients that die, and a last line that fails."""
import socket
import struct
import time

import pytest

from wire import protocol
from wire.protocol import Client, bind, copy_data, copy_done, copy_fail, describe, execute, parse, query, sync

ROWS = b"1\tplain\n2\ttab\\there\n3\t\\N\n4\tline\\nfeed\n5\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n6\t\\\\N\n7\ta\\\\.b\n"
CSV_ROWS = b'1,plain\r\n2,"quo""ted"\r\n3,\r\n4,"line\nfeed"\r\n5,\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\r\n6,"a\\.b"\r\n'

# Whole batches, as in test_extended_query.
SCENARIOS = {
    "copy in": [query("copy copy_rows from stdin"), copy_data(ROWS) + copy_done()],
    "copy in with one packet for all": [query("copy copy_rows from stdin") + copy_data(ROWS) + copy_done()],
    "no rows": [query("copy copy_rows from stdin") + copy_done()],
    "end mark in the data": [query("copy copy_rows from stdin") + copy_data(b"1\tx\n\\.\n2\tafter the mark\n") + copy_done()],
    "end mark without a line end": [query("copy copy_rows from stdin") + copy_data(b"1\tx\n\\.") + copy_done()],
    "last line without a line end": [query("copy copy_rows from stdin") + copy_data(b"1\tx\n2\ty") + copy_done()],
    "carriage returns": [query("copy copy_rows from stdin") + copy_data(b"1\tx\r\n2\ty\r\n") + copy_done()],
    "carriage returns in one line of two": [query("copy copy_rows from stdin") + copy_data(b"1\tx\r\n2\ty\n") + copy_done()],
    "end mark quoted in csv": [query("copy copy_rows from stdin csv") + copy_data(b'1,"\n\\.\n"\n2,x\n') + copy_done()],
    "copy fail": [query("copy copy_rows from stdin") + copy_data(b"1\tx\n") + copy_fail("no more")],
    "sync and flush in copy are ignored": [query("copy copy_rows from stdin") + copy_data(b"1\tx\n") + protocol.flush() + copy_data(b"2\ty\n") + copy_done()],
    "the last line fails": [query("copy copy_rows from stdin") + copy_data(ROWS * 100 + b"x\tlast\n") + copy_done()],
    "the first line fails and much follows": [query("copy copy_rows from stdin") + copy_data(b"x\tfirst\n") + copy_data(ROWS * 1000) * 3 + copy_done()],
    "bytes that are not utf-8": [query("copy copy_rows from stdin") + copy_data(b"1\t\xff\xfe\n") + copy_done()],
    "a zero byte": [query("copy copy_rows from stdin") + copy_data(b"1\ta\0b\n") + copy_done()],
    "copy through the extended protocol": [
        parse("copy copy_rows from stdin") + describe("S") + bind() + execute() + sync(),
    ],
    "copy out": [query("insert into copy_rows values (1, 'a'), (2, null)"), query("copy copy_rows to stdout"), query("copy copy_rows (b) to stdout csv header")],
    "copy out through the extended protocol": [query("insert into copy_rows values (1, 'a')"), parse("copy copy_rows to stdout") + bind() + execute() + sync()],
    "copy out of an empty table": [query("copy copy_rows to stdout"), query("copy copy_rows to stdout csv header")],
    "copy after another statement": [query("select 1; copy copy_rows from stdin") + copy_data(ROWS) + copy_done()],
    "copies out among other statements": [query("insert into copy_rows values (1, 'a')"), query("select 1; copy copy_rows to stdout; copy copy_rows to stdout csv; select 2")],
    "check in copy": [query("copy copy_checked from stdin") + copy_data(b"1\n2\n0\n") + copy_done()],
    "a check that fails in copy": [query("copy copy_checked from stdin") + copy_data(b"1\n2\n7\n") + copy_done()],
    "checks pass in copy": [query("copy copy_checked from stdin") + copy_data(b"1\n2\n\\N\n") + copy_done()],
    "not null in copy": [query("copy copy_strict from stdin") + copy_data(b"1\n\\N\n") + copy_done()],
}  # fmt: skip


def prepared(server) -> Client:
    client = Client(server.port).start()
    for statement in ("drop table copy_rows", "drop table copy_strict", "drop table copy_checked", "create table copy_rows (a integer, b text)", "create table copy_strict (a integer not null)", "create table copy_checked (a integer check (a > 0) check (10 / (a - 7) < 100))"):
        client.ask(statement)
    return client


def transcript(server, name: str) -> list:
    with prepared(server) as client:
        batches = SCENARIOS[name]
        for batch in batches:
            client.send(batch)
            if name == "copy in" and batch is batches[0]:
                assert client.read_until("CopyInResponse")[-1] == ("CopyInResponse", b"\0\0\2\0\0\0\0")
        if name == "copy through the extended protocol":
            client.read_until("CopyInResponse")
            client.send(copy_data(ROWS) + copy_done() + sync())
        seen = []
        for _ in range(sum(batch.count(b"Q\0\0") for batch in batches) or 1):
            seen.append(client.until_ready())
        seen.append(client.ask("select a, b from copy_rows order by a, b"))
        client.ask("drop table copy_rows")
        client.ask("drop table copy_strict")
        client.ask("drop table copy_checked")
        return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, name) == transcript(postgres, name)


@pytest.mark.parametrize("options, data", [("", ROWS), (" csv", CSV_ROWS)], ids=["text", "csv"])
def test_data_cut_at_every_byte(postgres, gnomon, options, data):
    """Rows and messages do not align: every cut gives the rows that one message gives."""
    with prepared(postgres) as client:
        client.send(query("copy copy_rows from stdin" + options) + copy_data(data) + copy_done())
        client.until_ready()
        expected = protocol.rows_of(client.ask("select a, b from copy_rows order by a"))
        assert len(expected) > 5
    with prepared(gnomon) as client:
        for cut in range(len(data) + 1):
            client.send(query("copy copy_rows from stdin" + options) + copy_data(data[:cut]) + copy_data(data[cut:]) + copy_done())
            assert protocol.sqlstates(client.until_ready()) == [], cut
            assert protocol.rows_of(client.ask("select a, b from copy_rows order by a")) == expected, cut
            client.ask("drop table copy_rows")
            client.ask("create table copy_rows (a integer, b text)")
        single_bytes = b"".join(copy_data(data[n : n + 1]) for n in range(len(data)))
        client.send(query("copy copy_rows from stdin" + options) + single_bytes + copy_done())
        client.until_ready()
        assert protocol.rows_of(client.ask("select a, b from copy_rows order by a")) == expected


def test_many_rows_in_and_out_are_the_same_bytes(gnomon):
    data = b"".join(b"%d\trow number %d of many\n" % (n, n) for n in range(100_000))
    with prepared(gnomon) as client:
        client.send(query("copy copy_rows from stdin"))
        client.read_until("CopyInResponse")
        for start in range(0, len(data), 50_000):
            client.send(copy_data(data[start : start + 50_000]))
        client.send(copy_done())
        assert ("CommandComplete", "COPY 100000") in client.until_ready()
        client.send(query("copy copy_rows to stdout"))
        seen = client.until_ready()
        lines = b"".join(entry[1] for entry in seen if entry[0] == "CopyData").splitlines()
        assert sorted(lines) == sorted(data.splitlines())
        assert ("CommandComplete", "COPY 100000") in seen


def test_copy_that_fails_on_its_last_line_loads_nothing(gnomon):
    with prepared(gnomon) as client:
        client.send(query("copy copy_rows from stdin"))
        client.read_until("CopyInResponse")
        for n in range(200):
            client.send(copy_data(b"".join(b"%d\trow\n" % (n * 1000 + i) for i in range(1000))))
        client.send(copy_data(b"1\tx\tone column too many\n") + copy_done())
        assert protocol.sqlstates(client.until_ready()) == ["22P04"]
        assert protocol.rows_of(client.ask("select count(*) from copy_rows")) == [(b"0",)]
        client.send(query("copy copy_rows from stdin") + copy_data(b"1\tx\n") + copy_done())
        client.until_ready()
        assert protocol.rows_of(client.ask("select a, b from copy_rows")) == [(b"1", b"x")]


def count_settles_at(server, expected: bytes, seconds_max: float = 10) -> bytes:
    """The count once the dead client's statement has been taken back, or the last one seen."""
    deadline = time.monotonic() + seconds_max
    with Client(server.port) as client:
        client.start()
        while True:
            rows = protocol.rows_of(client.ask("select count(*) from copy_rows"))
            if rows == [(expected,)] or time.monotonic() > deadline:
                return rows[0][0] if rows else b"no answer"
            time.sleep(0.1)


@pytest.mark.parametrize("way", ["closed", "reset", "half a message"])
def test_client_that_dies_in_the_middle_of_copy_leaves_nothing(gnomon, way):
    client = prepared(gnomon)
    client.send(query("copy copy_rows from stdin"))
    client.read_until("CopyInResponse")
    client.send(copy_data(ROWS * 2000))
    if way == "half a message":
        client.send(copy_data(ROWS)[:20])
    if way == "reset":
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    assert count_settles_at(gnomon, b"0") == b"0"


def test_client_that_dies_in_the_middle_of_copy_out(gnomon):
    with prepared(gnomon) as client:
        client.send(query("copy copy_rows from stdin") + copy_data(ROWS * 50_000) + copy_done())
        client.until_ready()
    for _ in range(3):
        client = Client(gnomon.port).start()
        client.send(query("copy copy_rows to stdout"))
        client.read_bytes(10_000)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    assert count_settles_at(gnomon, b"350000") == b"350000"
    with Client(gnomon.port) as client:
        client.start().ask("drop table copy_rows")


def test_another_message_in_copy_is_an_error_and_loads_nothing(gnomon):
    """PostgreSQL ends the connection over it; going on with the next Query is as good."""
    with prepared(gnomon) as client:
        client.send(query("copy copy_rows from stdin") + copy_data(b"1\tx\n") + parse("select 1"))
        assert client.read_until("Error")[-1][2] == "08P01"
    assert count_settles_at(gnomon, b"0") == b"0"


def test_cancel_in_the_middle_of_copy(gnomon):
    with prepared(gnomon) as client:
        client.send(query("copy copy_rows from stdin"))
        client.read_until("CopyInResponse")
        client.send(copy_data(ROWS))
        with Client(gnomon.port) as canceller:
            canceller.send(protocol.cancel(client.process_id, client.secret))
            assert canceller.ends()
        time.sleep(0.2)
        client.send(copy_data(ROWS) + copy_done())
        seen = client.until_ready()
        assert protocol.sqlstates(seen) == ["57014"], seen
        assert protocol.rows_of(client.ask("select count(*) from copy_rows")) == [(b"0",)]
