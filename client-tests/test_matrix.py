"""Every cast and every binary operator between every pair of types, as constants and over a table's column.

The SQL files hold the cases somebody thought of; this holds the others. One test per left type and mode.
"""
import pytest

import comparison
import statements

MODES = ("vm", "llvm", "full")
VALUES = {
    "boolean": ("true", "false"),
    "smallint": ("7::smallint", "(-32768)::smallint", "0::smallint"),
    "integer": ("7", "(-2147483648)", "0"),
    "bigint": ("7::bigint", "(-9223372036854775807 - 1)", "0::bigint"),
    "numeric": ("7.5", "-12345678901234567890.123456789", "0.0"),
    "numeric(10,2)": ("7.50::numeric(10,2)", "-99999999.99::numeric(10,2)"),
    "real": ("7.5::real", "-1e30::real", "0::real"),
    "double precision": ("7.5::float8", "-1e300::float8", "0::float8"),
    "text": ("'7'::text", "'word'::text", "'2020-02-29'::text"),
    "varchar(8)": ("'7'::varchar(8)", "'true'::varchar(8)"),
    "char(8)": ("'7'::char(8)", "'1 day'::char(8)"),
    "bytea": ("'\\x37'::bytea", "''::bytea", "'\\x00010203040506070809ff5c27'::bytea"),
    "date": ("date '2020-02-29'", "date '0001-01-01'"),
    "timestamp": ("timestamp '2020-02-29 12:34:56.789'", "timestamp 'infinity'"),
    "timestamptz": ("timestamptz '2020-02-29 12:34:56.789+02'", "timestamptz '-infinity'"),
    "time": ("time '12:34:56.789'", "time '24:00'"),
    "timetz": ("timetz '12:34:56.789+02'", "timetz '00:00-15:59'"),
    "bit(4)": ("B'1010'::bit(4)",),
    "varbit(6)": ("B'101'::varbit(6)", "B''::varbit(6)"),
    "inet": ("inet '192.168.1.5/24'", "inet '::1'"),
    "cidr": ("cidr '10.1.0.0/16'",),
    "macaddr": ("macaddr '08:00:2b:01:02:03'",),
    "money": ("'7.50'::money", "'-0.01'::money"),
    "xid8": ("'7'::xid8",),
    "tid": ("'(0,1)'::tid",),
    "interval": ("interval '1 mon 2 days 03:04:05.5'", "interval '-1 day'"),
}
OPERATORS = ("+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "||", "like")
UNARY = ("-", "+", "not")


def casts(value: str) -> list[str]:
    found = []
    for target in VALUES:
        found.append(f"select ({value})::{target}")
        found.append(f"select cast(case when v then {value} end as {target}) from pair order by v")
    return found


def operations(left: str) -> list[str]:
    found = [f"select {operator} ({left})" for operator in UNARY]
    for values in VALUES.values():
        right = values[0]
        found += [f"select ({left}) {operator} ({right})" for operator in OPERATORS]
        found += [f"select case when v then {left} end {operator} case when v then {right} end from pair order by v" for operator in ("+", "=", "*")]
        found.append(f"select coalesce({left}, {right}), case when true then {left} else {right} end, {left} in ({right}, {right})")
        found.append(f"select {left} between {right} and {right}, nullif({left}, {right})")
    return found


def sql_of(left_type: str) -> list[str]:
    values = VALUES[left_type]
    found = [sql for value in values for sql in casts(value)]
    found += operations(values[0])
    found += [f"select {value}, min({value}), max({value}), count({value}) from pair" for value in values]
    found += [f"select {name}({values[0]}) from pair" for name in ("sum", "avg")]
    return found


def answers(server, left_type: str, mode: str | None):
    connection = server.raw_connect()
    try:
        if mode:
            server.set_mode(connection, mode)
        connection.exec_(b"create table pair (v boolean)")
        connection.exec_(b"insert into pair values (true), (false)")
        return [comparison.run(connection, sql) for sql in sql_of(left_type)]
    finally:
        connection.exec_(b"drop table pair")
        connection.finish()


@pytest.fixture(scope="module")
def expected_answers(postgres):
    known = {}

    def ask(left_type):
        if left_type not in known:
            known[left_type] = answers(postgres, left_type, None)
        return known[left_type]

    return ask


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("left_type", VALUES)
def test_casts_and_operators_are_postgresqls(expected_answers, gnomon, left_type, mode):
    expected = expected_answers(left_type)
    reports = []
    for sql, left, right in zip(sql_of(left_type), expected, answers(gnomon, left_type, mode)):
        what = comparison.difference(left, right, ordered=True)
        if what:
            reports.append(comparison.report(statements.Statement(sql, 0), left, right, what))
    if reports:
        pytest.fail(f"{len(reports)} statements differ\n" + "\n".join(reports[:10]), pytrace=False)
