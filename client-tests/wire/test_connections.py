"""Start-up, encryption requests, cancel requests, many connections, and bytes that are no protocol at all."""
import random
import socket
import struct
import threading
import time

import pytest

from wire import protocol
from wire.protocol import Client, Closed, message, query

PARAMETERS = (
    "application_name", "client_encoding", "DateStyle", "integer_datetimes", "IntervalStyle", "server_encoding", "server_version",
    "standard_conforming_strings", "TimeZone",
)  # fmt: skip
SAME_AS_POSTGRES = ("client_encoding", "DateStyle", "integer_datetimes", "IntervalStyle", "server_encoding", "standard_conforming_strings")
LONG_QUERY = "select count(*) from long_a, long_a b, long_a c, long_a d"
CANCEL_SECONDS_MAX = 3


@pytest.fixture
def long_table(gnomon):
    """A table whose fourfold cross product keeps any server busy for days."""
    with Client(gnomon.port) as client:
        client.start()
        client.ask("create table long_a (n integer)")
        client.ask("insert into long_a values " + ", ".join(f"({n})" for n in range(2000)))
        yield
        client.ask("drop table long_a")


def answers_select(server) -> bool:
    with Client(server.port) as client:
        return protocol.rows_of(client.start().ask("select 42")) == [(b"42",)]


def test_startup_tells_what_drivers_need(postgres, gnomon):
    with Client(gnomon.port) as tested, Client(postgres.port) as reference:
        tested.start()
        reference.start()
        assert [name for name in PARAMETERS if name not in tested.parameters] == []
        assert {n: tested.parameters[n] for n in SAME_AS_POSTGRES} == {n: reference.parameters[n] for n in SAME_AS_POSTGRES}
        assert tested.parameters["server_version"].startswith("15.")
        assert tested.process_id != 0 or tested.secret != 0


def test_server_identifies_itself(only_gnomon):
    with Client(only_gnomon.port) as client:
        client.start()
        assert client.parameters["server_version"].startswith("15.0 (Gnomon ")
        version = protocol.rows_of(client.ask("select version()"))[0][0].decode()
        assert "PostgreSQL 15." in version and "Gnomon" in version
        assert protocol.rows_of(client.ask("show server_version_num")) == [(b"150000",)]


def test_application_name_comes_back(gnomon):
    with Client(gnomon.port) as client:
        client.start(protocol.STARTUP | {"application_name": "some name"})
        assert client.parameters["application_name"] == "some name"


@pytest.mark.parametrize("request_code", [protocol.SSL_REQUEST, protocol.GSSENC_REQUEST])
def test_encryption_requests_are_answered_with_N(only_gnomon, request_code):
    with Client(only_gnomon.port) as client:
        client.send(protocol.request(request_code))
        assert client.read_bytes(1) == b"N"
        assert protocol.rows_of(client.start().ask("select 1")) == [(b"1",)]


def test_both_encryption_requests_on_one_connection(only_gnomon):
    with Client(only_gnomon.port) as client:
        for code in (protocol.GSSENC_REQUEST, protocol.SSL_REQUEST):
            client.send(protocol.request(code))
            assert client.read_bytes(1) == b"N"
        client.start()


@pytest.mark.parametrize(
    "version, parameters",
    [(4 << 16, None), (protocol.PROTOCOL_3, {"user": "postgres", "database": "nosuchdb"}), (protocol.PROTOCOL_3, {"database": "postgres"}), (protocol.PROTOCOL_3, protocol.STARTUP | {"nosuch_setting": "1"})],
)
def test_refused_startups_are_refused_as_postgresql_does(postgres, gnomon, version, parameters):
    seen = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.send(protocol.startup(parameters, version))
            seen.append([entry for entry in client.read_until("ReadyForQuery") if entry[0] in ("Error", "Closed", "ReadyForQuery")])
    assert seen[0] == seen[1]


def test_newer_minor_version_is_negotiated(postgres, gnomon):
    seen = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.send(protocol.startup(protocol.STARTUP | {"_pq_.nosuch": "1"}, protocol.PROTOCOL_3 + 1))
            transcript = client.read_until("ReadyForQuery")
            seen.append([entry for entry in transcript if entry[0] in ("NegotiateProtocolVersion", "ReadyForQuery", "Closed")])
    assert seen[0] == seen[1]


def send_cancel(server, process_id: int, secret: int):
    with Client(server.port) as canceller:
        canceller.send(protocol.cancel(process_id, secret))
        assert canceller.ends()


@pytest.mark.parametrize("mode", ["vm", "llvm", "auto"])
def test_cancel_request_ends_a_running_query(gnomon, long_table, mode):
    with Client(gnomon.port) as client:
        client.start()
        if gnomon.is_gnomon:
            client.ask(f"set execution_mode = {mode}")
        client.send(query(LONG_QUERY))
        time.sleep(0.5)
        started = time.monotonic()
        send_cancel(gnomon, client.process_id, client.secret)
        seen = client.until_ready()
        assert protocol.sqlstates(seen) == ["57014"], seen
        assert time.monotonic() - started < CANCEL_SECONDS_MAX
        assert protocol.rows_of(client.ask("select 1")) == [(b"1",)]


def test_a_long_query_holds_up_nobody(gnomon, long_table):
    """The first session's query keeps all workers busy; others' queries run, and end by their own time-outs."""
    with Client(gnomon.port) as busy, Client(gnomon.port) as other:
        busy.start()
        busy.ask("create table wide_a (n integer)")
        # Many leaves, so that every worker has one to be busy with.
        busy.ask("insert into wide_a select a.n from long_a a, long_a b where b.n < 50")
        long_query = "select count(*) from wide_a a, wide_a b, wide_a c"
        busy.send(query(long_query))
        time.sleep(0.5)
        other.start()
        short = "select count(*) from wide_a a, long_a b where a.n = b.n"
        assert protocol.rows_of(other.ask(short)) == [(b"100000",)]
        other.ask("set statement_timeout = 300")
        started = time.monotonic()
        assert protocol.sqlstates(other.ask(long_query)) == ["57014"]
        assert time.monotonic() - started < CANCEL_SECONDS_MAX
        other.ask("set statement_timeout = 0")
        assert protocol.rows_of(other.ask(short)) == [(b"100000",)]
        send_cancel(gnomon, busy.process_id, busy.secret)
        assert protocol.sqlstates(busy.until_ready()) == ["57014"]
        busy.ask("drop table wide_a")


def test_cancel_request_with_a_wrong_key_does_nothing(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        send_cancel(gnomon, client.process_id, client.secret ^ 1)
        send_cancel(gnomon, client.process_id ^ 0x7FFF, client.secret)
        assert protocol.rows_of(client.ask("select 1")) == [(b"1",)]


def test_cancel_request_for_an_idle_session_does_nothing_to_the_next_query(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        send_cancel(gnomon, client.process_id, client.secret)
        time.sleep(0.2)
        assert protocol.rows_of(client.ask("select 1")) == [(b"1",)]


def test_two_hundred_connections_at_once(gnomon):
    clients = [Client(gnomon.port) for _ in range(200)]
    try:
        for client in clients:
            client.start()
        for number, client in enumerate(clients):
            client.send(query(f"select {number} + n from (values (1)) as v (n)"))
        answers = [protocol.rows_of(client.until_ready())[0][0] for client in clients]
        assert answers == [str(number + 1).encode() for number in range(200)]
    finally:
        for client in clients:
            client.close()
    assert answers_select(gnomon)


def test_sessions_run_side_by_side(gnomon):
    """Sixteen sessions create, fill, read and drop tables of their own."""
    failures = []

    def work(number: int):
        try:
            with Client(gnomon.port) as client:
                client.start()
                for turn in range(5):
                    name = f"own_{number}_{turn}"
                    client.ask(f"create table {name} (a integer, b text)")
                    client.ask(f"insert into {name} select n * {number}, 'x' from (values (1), (2), (3)) as v (n)")
                    rows = protocol.rows_of(client.ask(f"select sum(a), count(b) from {name}"))
                    client.ask(f"drop table {name}")
                    if rows != [(str(6 * number).encode(), b"3")]:
                        failures.append((number, turn, rows))
        except (Closed, OSError) as error:
            failures.append((number, error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


NOISE = random.Random(5)
GARBAGE_AT_START = {
    "http": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "tls client hello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    "random bytes": NOISE.randbytes(1000),
    "zeros": bytes(100),
    "length of zero": struct.pack("!ii", 0, protocol.PROTOCOL_3),
    "length below the header": struct.pack("!ii", 7, protocol.PROTOCOL_3),
    "negative length": struct.pack("!ii", -1, protocol.PROTOCOL_3),
    "length of two gigabytes": struct.pack("!ii", 2**31 - 1, protocol.PROTOCOL_3) + b"user\0x\0\0",
    "startup of twenty thousand bytes": protocol.startup({"user": "x" * 20_000}),
    "parameters without an end": struct.pack("!ii", 8 + 9, protocol.PROTOCOL_3) + b"user\0post",
    "a name without a value": struct.pack("!ii", 8 + 6, protocol.PROTOCOL_3) + b"user\0\0",
    "protocol two": protocol.startup(version=2 << 16),
    "unknown request code": struct.pack("!ii", 8, 1234 << 16 | 9999),
    "cancel request that is too short": struct.pack("!iii", 12, protocol.CANCEL_REQUEST, 1),
    "ssl request twice": protocol.request(protocol.SSL_REQUEST) * 2 + b"xxxx",
}  # fmt: skip


@pytest.mark.parametrize("name", GARBAGE_AT_START)
def test_garbage_instead_of_a_startup_ends_that_connection_alone(gnomon, name):
    with Client(gnomon.port) as other:
        other.start()
        with Client(gnomon.port, seconds_max=10) as client:
            client.send(GARBAGE_AT_START[name])
            client.socket.shutdown(socket.SHUT_WR)
            assert client.ends()
        assert protocol.rows_of(other.ask("select 1")) == [(b"1",)]
    assert answers_select(gnomon)


GARBAGE_IN_SESSION = {
    "unknown message type": message("y", b"abc"),
    "type zero": b"\0\0\0\0\4",
    "length of zero": b"Q\0\0\0\0",
    "length of three": b"Q\0\0\0\3",
    "negative length": b"Q\xff\xff\xff\xff",
    "length of two gigabytes": b"Q\x7f\xff\xff\xffselect 1\0",
    "random bytes": NOISE.randbytes(5000),
    "startup again": protocol.startup(),
}
WRONG_PAYLOADS = {
    "query without an end": message("Q", b"select 1"),
    "query with more after its end": message("Q", b"select 1\0select 2\0"),
    "query of nothing": message("Q"),
    "parse without types": message("P", b"name\0select 1\0"),
    "parse with too few types": message("P", b"\0select 1\0\0\5\0\0\0\x17"),
    "parse with a negative count": message("P", b"\0select 1\0\xff\xff"),
    "bind of nothing": message("B"),
    "bind with a long value": message("B", b"\0\0\0\0\0\1\x7f\xff\xff\xff"),
    "bind with a negative value": message("B", b"\0\0\0\0\0\1\xff\xff\xff\xf0"),
    "bind with many values": message("B", b"\0\0\0\0\x7f\xff"),
    "describe of a wrong kind": message("D", b"Xname\0"),
    "describe of nothing": message("D"),
    "close of a wrong kind": message("C", b"Xname\0"),
    "execute without a limit": message("E", b"\0"),
    "execute with a long name": message("E", b"p" * 100_000 + b"\0\0\0\0\0"),
}


@pytest.mark.parametrize("name", GARBAGE_IN_SESSION)
def test_garbage_in_a_session_ends_that_connection_alone(gnomon, name):
    with Client(gnomon.port) as other:
        other.start()
        with Client(gnomon.port, seconds_max=10) as client:
            client.start()
            client.send(GARBAGE_IN_SESSION[name])
            client.socket.shutdown(socket.SHUT_WR)
            assert client.ends()
        assert protocol.rows_of(other.ask("select 1")) == [(b"1",)]
    assert answers_select(gnomon)


@pytest.mark.parametrize("name", WRONG_PAYLOADS)
def test_wrong_payload_is_an_error_and_the_server_lives(gnomon, name):
    """Whether the connection goes on is open; an answer comes either way and nobody else notices."""
    with Client(gnomon.port) as other:
        other.start()
        with Client(gnomon.port, seconds_max=10) as client:
            client.start()
            client.send(WRONG_PAYLOADS[name] + protocol.sync())
            seen = client.until_ready()
            assert seen[-1] == ("Closed",) or protocol.sqlstates(seen), seen
        assert protocol.rows_of(other.ask("select 1")) == [(b"1",)]
    assert answers_select(gnomon)


def test_truncated_message_and_a_vanished_client(gnomon):
    whole = protocol.parse("select 1") + protocol.bind() + protocol.execute() + protocol.sync()
    for size in range(1, len(whole)):
        with Client(gnomon.port) as client:
            client.start()
            client.send(whole[:size])
    assert answers_select(gnomon)


def test_messages_split_at_every_byte(gnomon):
    whole = protocol.parse("select $1::int + 1") + protocol.bind([b"41"]) + protocol.execute() + protocol.sync() + query("select 'split'")
    with Client(gnomon.port) as client:
        client.start()
        for cut in range(1, len(whole)):
            client.send(whole[:cut])
            time.sleep(0.001)
            client.send(whole[cut:])
            assert protocol.rows_of(client.until_ready()) == [(b"42",)], cut
            assert protocol.rows_of(client.until_ready()) == [(b"split",)], cut


def test_startup_split_at_every_byte(gnomon):
    whole = protocol.startup()
    for cut in range(1, len(whole), 3):
        with Client(gnomon.port) as client:
            client.send(whole[:cut])
            time.sleep(0.002)
            client.send(whole[cut:])
            assert client.until_ready()[-1] == ("ReadyForQuery", b"I"), cut


def test_terminate_closes(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        client.send(protocol.terminate())
        assert client.ends()


def test_client_that_dies_in_the_middle_of_a_result(gnomon, long_table):
    for sql in ("select a.n, b.n, c.n from long_a a, long_a b, long_a c", LONG_QUERY):
        client = Client(gnomon.port).start()
        client.send(query(sql))
        if sql is not LONG_QUERY:
            client.read_bytes(100_000)
        else:
            time.sleep(0.2)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        if sql is LONG_QUERY:
            send_cancel(gnomon, client.process_id, client.secret)
    assert answers_select(gnomon)


def test_client_that_does_not_read_holds_up_nobody(gnomon, long_table):
    with Client(gnomon.port) as lazy:
        lazy.start()
        lazy.send(query("select a.n, b.n, c.n from long_a a, long_a b, long_a c"))
        time.sleep(0.5)
        for _ in range(3):
            assert answers_select(gnomon)
        send_cancel(gnomon, lazy.process_id, lazy.secret)


def test_each_statement_of_a_text_has_its_own_time(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        assert protocol.sqlstates(client.ask("set statement_timeout = 50; select pg_sleep(60)")) == ["57014"]
        # The text was undone, and SET with it.
        assert protocol.rows_of(client.ask("show statement_timeout")) == [(b"0",)]
        assert protocol.sqlstates(client.ask("set statement_timeout = 2000; select pg_sleep(1.2); select pg_sleep(1.2)")) == []
        assert protocol.sqlstates(client.ask("set statement_timeout = 0; select pg_sleep(2.5)")) == []
