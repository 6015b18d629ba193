"""Parameters and results in binary: for each type the bytes are PostgreSQL's, and PostgreSQL's bytes are understood."""
import pytest

from wire.protocol import Client, bind, execute, parse, rows_of, sqlstates, sync

VALUES = {
    "boolean": ["true", "false"],
    "smallint": ["0", "1", "-1", "32767", "-32768"],
    "integer": ["0", "1", "-1", "2147483647", "-2147483648"],
    "bigint": ["0", "1", "-1", "9223372036854775807", "-9223372036854775808"],
    "numeric": [
        "0", "0.00", "1", "-1", "10000", "9999", "0.0001", "0.00001", "12345678901234567890.0987654321", "-0.5", "1e100", "1e-50", "NaN",
        "Infinity", "-Infinity", "100", "1000000", "0.10", "99999999999999999999999999999999999999", "12345.6789",
    ],
    "numeric(15,2)": ["0", "1.5", "-1234567890123.45", "9999999999999.99", "0.01"],
    "numeric(38,10)": ["0", "1.5", "-1234567890123456789012345678.0123456789"],
    "real": ["0", "1.5", "-0.1", "NaN", "Infinity", "-Infinity", "3.4e38", "1e-45", "-0"],
    "double precision": ["0", "1.5", "-0.1", "NaN", "Infinity", "-Infinity", "1.7e308", "5e-324", "-0"],
    "text": ["", "a", "twelve bytes", "more than twelve bytes", "ä€😀", "line\nfeed\ttab\\", "x" * 100_000],
    "varchar(10)": ["", "a", "ä€😀"],
    "char(10)": ["", "a", "ä€😀", "exactly10."],
    "bytea": ["", "\\x00", "abc", "\\xfffe00", "\\x" + "00ff" * 50_000],
    "date": ["2000-01-01", "1999-12-31", "2020-02-29", "0001-01-01", "infinity", "-infinity", "0044-03-15 BC", "5874897-12-31"],
    "timestamp": ["2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2020-02-29 12:34:56.789", "infinity", "-infinity", "0044-03-15 01:02:03 BC"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "json": ['{"a":  [1, 2.50]}', "null", '"\\u0041 ä€😀"'],
    "jsonb": ['{"b": 1, "a": [1, 2.50, "x", null, true, {}]}', "null", '"\\u0041 ä€😀"', "[]", "1e2", "[" * 100 + "]" * 100],
    "jsonpath": ["$.a[*] ? (@ > 1)", "strict $"],
    "jsonb[]": ['{"{\\"a\\": 1}",NULL,"[1, 2]"}'],
    "integer[]": ["{}", "{1,-2,NULL}", "{{1,2},{3,4}}", "[-1:0]={5,6}", "{" + ",".join(map(str, range(10_000))) + "}"],
    "text[]": ["{}", '{a,"b c",NULL,"","twelve bytes or more"}', "{{a},{ä€😀}}"],
    "numeric(10,2)[]": ["{1.5,NULL,-0.01}"],
    "boolean[]": ["{t,f,NULL}"],
    "real[]": ["{1.5,NaN,-0}"],
    "timestamp[]": ['{"2020-02-29 12:34:56.789",infinity}'],
    "interval[]": ['{"1 year 2 mons 3 days 04:05:06.789"}'],
    "uuid[]": ["{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,NULL}"],
    "bytea[]": [r'{"\\x00ff"}'],
    "interval": ["0", "1 year 2 months 3 days 04:05:06.789", "-1 day", "-00:00:00.000001", "1 mon -1 day", "178000000 years"],
}  # fmt: skip

WRONG_BYTES = {
    "boolean": [b"", b"\0\0"],
    "smallint": [b"", b"\0", b"\0\0\0"],
    "integer": [b"", b"\0\0\0"],
    "bigint": [b"\0\0\0\0"],
    "numeric": [b"", b"\0\1", b"\0\1\0\0\0\0\0\0", b"\0\1\0\0\0\0\0\0\x27\x10", b"\0\0\0\0\x12\x34\0\0", b"\0\1\0\0\0\0\0\0\0\1\0\1"],
    "real": [b"\0\0\0"],
    "double precision": [b"\0\0\0\0"],
    "text": [b"\xff\xfe", b"a\0b", b"\xc3"],
    "date": [b"\0\0", b"\x7f\xff\xff\xfe"],
    "timestamp": [b"\0\0\0\0", b"\x7f\xff\xff\xff\xff\xff\xff\xfe"],
    "interval": [b"\0" * 8],
    "uuid": [b"", b"\0" * 15, b"\0" * 17],
    "json": [b"", b"{", b"\xff", b"1\0"],
    "jsonb": [b"", b"\1", b"\2[]", b"\1{", b"\1\"\xff\"", b"[]"],
    "jsonpath": [b"", b"\1", b"\2$", b"\1$."],
    "integer[]": [
        b"", b"\0" * 8, b"\0" * 12, b"\0\0\0\7" + b"\0" * 8, b"\xff\xff\xff\xff" + b"\0" * 8, b"\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\0\0\0\0\1",
        b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1", b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\2\0\0",
        b"\0\0\0\1\0\0\0\2\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0\0", b"\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0\0\0",
    ],
}


def ask(client: Client, sql: str, value: bytes | None, value_format: int, result_format: int):
    client.send(parse(sql) + bind([value], value_formats=[value_format], result_formats=[result_format]) + execute() + sync())
    seen = client.until_ready()
    rows = rows_of(seen)
    return rows[0][0] if rows else sqlstates(seen)


@pytest.fixture
def pair(postgres, gnomon):
    with Client(postgres.port) as reference, Client(gnomon.port) as tested:
        yield reference.start(), tested.start()


@pytest.mark.parametrize("type_name", VALUES)
def test_results_and_parameters_have_postgresqls_bytes(pair, type_name):
    reference, tested = pair
    sql = f"select $1::{type_name}"
    for value in VALUES[type_name]:
        binary = ask(reference, sql, value.encode(), 0, 1)
        assert isinstance(binary, bytes), (value, binary)
        assert ask(tested, sql, value.encode(), 0, 1) == binary, value
        for result_format in (0, 1):
            expected = ask(reference, sql, binary, 1, result_format)
            assert ask(tested, sql, binary, 1, result_format) == expected, (value, result_format)


@pytest.mark.parametrize("type_name", VALUES)
def test_values_survive_a_table(pair, type_name):
    """Binary in, stored, read back in text and in binary."""
    answers = []
    for client in pair:
        client.ask("drop table binary_values")
        client.ask(f"create table binary_values (n integer, v {type_name})")
        for number, value in enumerate(VALUES[type_name]):
            binary = ask(pair[0], f"select $1::{type_name}", value.encode(), 0, 1)
            client.send(parse(f"insert into binary_values values ({number}, $1)") + bind([binary], value_formats=[1]) + execute() + sync())
            seen = client.until_ready()
            assert sqlstates(seen) == [], (value, seen)
        answers.append([])
        for result_format in (0, 1):
            client.send(parse("select n, v from binary_values order by n") + bind(result_formats=[result_format]) + execute() + sync())
            answers[-1].append(rows_of(client.until_ready()))
        client.ask("drop table binary_values")
    assert answers[0] == answers[1]


@pytest.mark.parametrize("type_name", WRONG_BYTES)
def test_wrong_bytes_are_refused_as_postgresql_does(pair, type_name):
    for wrong in WRONG_BYTES[type_name]:
        expected, actual = (ask(client, f"select $1::{type_name}", wrong, 1, 0) for client in pair)
        assert actual == expected, wrong
