"""Values of many megabytes come back byte for byte; what is beyond PostgreSQL's limits ends in an error, never in a crash."""
import random
import struct

import pytest

import servers
from wire import protocol
from wire.protocol import Client, bind, execute, parse, query, rows_of, sqlstates, sync

pytestmark = pytest.mark.release_only
MEGABYTE = 1 << 20
LARGE_BYTES = 900 * MEGABYTE
MESSAGE_BYTES_MAX = 0x3FFFFFFE  # of the length word, which counts itself: PostgreSQL's PQ_LARGE_MESSAGE_LIMIT
SECONDS_MAX = 600


@pytest.fixture(scope="module")
def roomy():
    """A Gnomon of its own, whose buffer pool has room for pages of 1 GiB."""
    server = servers.new_gnomon(**({} if servers.binary_under_test() == "postgresql" else {"buffer_pool": "4GB"})).start()
    yield server
    code = server.stop()
    server.remove()
    assert code == 0


@pytest.fixture
def client(roomy):
    with Client(roomy.port, seconds_max=SECONDS_MAX) as made:
        yield made.start()


@pytest.fixture(scope="module")
def large() -> bytes:
    """No two megabytes of it are alike."""
    block = random.Random(17).randbytes(MEGABYTE - 8)
    return b"".join(struct.pack("!Q", n) + block for n in range(LARGE_BYTES // MEGABYTE))


def only_value(client: Client, expected: bytes):
    """Reads up to ReadyForQuery an answer of one row with one column, without the copies that a transcript would make."""
    is_same = False
    while (message := client.read_raw())[0] != "Z":
        assert message[0] != "E", protocol.error_fields(message[1])
        if message[0] == "D":
            assert struct.unpack_from("!hi", message[1]) == (1, len(expected))
            is_same = memoryview(message[1])[6:] == expected
    assert is_same


def ask_with(client: Client, sql: str, value: bytes, value_format: int, result_format: int):
    client.send(parse(sql), bind([value], value_formats=[value_format], result_formats=[result_format]), execute(), sync())


def test_bytea_of_900_megabytes_goes_in_and_comes_back(roomy, large):
    with Client(roomy.port, seconds_max=SECONDS_MAX) as client:
        client.start()
        ask_with(client, "select $1::bytea", large, 1, 1)
        only_value(client, large)
        client.ask("create table large_bytes (n integer, b bytea)")
        ask_with(client, "insert into large_bytes values (1, $1)", large, 1, 1)
        assert ("CommandComplete", "INSERT 0 1") in client.until_ready()
        client.send(parse("select b from large_bytes") + bind(result_formats=[1]) + execute() + sync())
        only_value(client, large)
    roomy.stop()
    roomy.start()
    with Client(roomy.port, seconds_max=SECONDS_MAX) as client:
        client.start()
        client.send(parse("select b from large_bytes") + bind(result_formats=[1]) + execute() + sync())
        only_value(client, large)
        ask_with(client, "select n from large_bytes where b = $1", large, 1, 0)
        only_value(client, b"1")
        ends = rows_of(client.ask("select length(b), encode(substring(b from 943718394), 'hex'), get_byte(b, 943718399) from large_bytes"))
        assert ends == [(str(LARGE_BYTES).encode(), large[-7:].hex().encode(), str(large[-1]).encode())]
        # Each of these would be longer than 1 GB: PostgreSQL has no memory for it either.
        for what in ("b", "b::text", "encode(b, 'base64')", "length(b || b)"):
            assert sqlstates(client.ask(f"select {what} from large_bytes")) in (["54000"], ["XX000"]), what
        assert sqlstates(client.ask("copy large_bytes to stdout")) in (["54000"], ["XX000"])
        assert rows_of(client.ask("select count(*) from large_bytes")) == [(b"1",)]
        client.ask("drop table large_bytes")


@pytest.mark.parametrize("value_format", [0, 1], ids=["text", "binary"])
def test_text_of_100_megabytes_goes_in_and_comes_back(client, value_format):
    value = b"".join(f"{n:09d}€".encode() for n in range(100 * MEGABYTE // 12))
    ask_with(client, "select $1::text", value, value_format, value_format)
    only_value(client, value)
    client.ask("create table large_texts (n integer, t text)")
    ask_with(client, "insert into large_texts values (1, $1)", value, value_format, 0)
    assert ("CommandComplete", "INSERT 0 1") in client.until_ready()
    client.send(query("select t from large_texts"))
    only_value(client, value)
    assert rows_of(client.ask("select length(t), octet_length(t) from large_texts")) == [(str(len(value) // 12 * 10).encode(), str(len(value)).encode())]
    client.ask("drop table large_texts")


@pytest.mark.parametrize("length", [MESSAGE_BYTES_MAX + 1, 0x7FFFFFFF, 0xFFFFFFFF, 3])
def test_message_length_beyond_the_limit_ends_the_connection(postgres, roomy, length):
    """The length word alone is enough; PostgreSQL ends the connection too."""
    for server in (postgres, roomy):
        with Client(server.port) as client:
            client.start()
            client.send(b"B" + struct.pack("!I", length))
            assert client.ends()
    with Client(roomy.port) as client:
        assert rows_of(client.start().ask("select 1")) == [(b"1",)]


def test_largest_message_is_answered_or_refused(client):
    """A value that leaves no room for anything else in the message."""
    frame = len(bind([b""], value_formats=[1], result_formats=[1])) - 1
    value = b"\xff" * (MESSAGE_BYTES_MAX - frame)
    ask_with(client, "select $1::bytea", value, 1, 1)
    seen = client.until_ready()
    assert rows_of(seen) == [(value,)] or sqlstates(seen) in (["54000"], ["XX000"])
    ask_with(client, "select length($1::bytea)", value, 1, 0)
    seen = client.until_ready()
    assert rows_of(seen) == [(str(len(value)).encode(),)] or sqlstates(seen) in (["54000"], ["XX000"])
    assert rows_of(client.ask("select 1")) == [(b"1",)]
