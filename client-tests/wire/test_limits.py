"""Very long, very wide and very deep statements end in an answer or a clean error, never in a crash."""
import pytest

import comparison
from wire import protocol
from wire.protocol import Client, query

DEPTH = 5_000
TOO_COMPLEX = ("54001", "54000", "54011", "54023", "53200")

NESTED = {
    "parentheses": "(" * DEPTH + "1" + ")" * DEPTH,
    "additions": "1+(" * DEPTH + "1" + ")" * DEPTH,
    "not": "not " * DEPTH + "true",
    "minus": "- " * DEPTH + "1",
    "case": "case when true then " * DEPTH + "1" + " end" * DEPTH,
    "functions": "abs(" * DEPTH + "1" + ")" * DEPTH,
    "coalesce": "coalesce(1, " * DEPTH + "1" + ")" * DEPTH,
    "casts": "1" + "::integer::bigint" * DEPTH,
    "concatenations": "'a'" + " || 'a'" * DEPTH,
    "long sum": "1" + " + 1" * DEPTH,
    "long product of ones": "1" + " * 1" * DEPTH,
    "and": "true" + " and true" * DEPTH,
    "or of comparisons": "1 = 2" + " or 1 = 2" * DEPTH,
    "in list": "5 in (" + ", ".join(str(n) for n in range(DEPTH)) + ")",
}


def still_answers(server, client: Client):
    assert protocol.rows_of(client.ask("select 1")) == [(b"1",)]
    with Client(server.port) as other:
        assert protocol.rows_of(other.start().ask("select 2")) == [(b"2",)]


@pytest.mark.parametrize("mode", ["vm", "llvm"])
@pytest.mark.parametrize("name", NESTED)
def test_nesting_of_five_thousand(postgres, gnomon, name, mode):
    """Either PostgreSQL's answer or an error that says the statement is too complex."""
    sql = f"select {NESTED[name]} as answer"
    reference = postgres.raw_connect()
    expected = comparison.run(reference, sql)
    reference.finish()
    connection = gnomon.raw_connect()
    gnomon.set_mode(connection, mode)
    actual = comparison.run(connection, sql)
    connection.finish()
    assert actual.sqlstate in TOO_COMPLEX or comparison.difference(expected, actual) == "", actual.describe()[:500]
    with Client(gnomon.port) as client:
        still_answers(gnomon, client.start())


@pytest.mark.parametrize("levels", [50, DEPTH])
def test_derived_tables_inside_each_other(gnomon, levels):
    """At thousands of levels the grammar's own stack ends first, in PostgreSQL too, and calls it a syntax error."""
    sql = "select * from (" * levels + "select 1 as x" + "".join(f") t{n}" for n in range(levels))
    with Client(gnomon.port) as client:
        client.start()
        seen = client.ask(sql)
        if levels == 50:
            assert protocol.rows_of(seen) == [(b"1",)]
        else:
            assert protocol.rows_of(seen) == [(b"1",)] or protocol.sqlstates(seen)[0] in (*TOO_COMPLEX, "42601"), seen
        still_answers(gnomon, client)


@pytest.mark.parametrize("depth", [100_000, 1_000_000])
def test_nesting_far_beyond_any_stack(gnomon, depth):
    with Client(gnomon.port) as client:
        client.start()
        for opening, closing in (("(", ")"), ("1+(", ")"), ("not ", ""), ("case when true then ", " end"), ("select * from (", "")):
            prefix = "" if opening.startswith("select") else "select "
            seen = client.ask(prefix + opening * depth + ("1" if opening != "not " else "true") + closing * depth)
            assert protocol.sqlstates(seen), opening
        still_answers(gnomon, client)


@pytest.mark.parametrize("columns", [1664, 1665, 10_000])
def test_select_lists(postgres, gnomon, columns):
    """PostgreSQL gives up to 1664 columns and refuses more with 54011."""
    sql = "select " + ", ".join(f"{n} as c{n}" for n in range(columns))
    seen = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            seen.append(client.start().ask(sql))
            still_answers(server, client)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("columns", [1600, 1601])
def test_tables_of_many_columns(postgres, gnomon, columns):
    seen = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.start()
            transcript = client.ask("create table wide (" + ", ".join(f"c{n} integer" for n in range(columns)) + ")")
            transcript += client.ask("insert into wide (c0, c1599) values (1, 2)")
            transcript += client.ask("select * from wide")
            transcript += client.ask("select c0 + c1599 from wide")
            transcript += client.ask("drop table wide")
            seen.append(transcript)
    assert seen[0] == seen[1]


def test_many_values_in_one_insert(gnomon):
    with Client(gnomon.port) as client:
        client.start()
        client.ask("create table listed (n integer, s text)")
        seen = client.ask("insert into listed values " + ", ".join(f"({n}, 'value {n}')" for n in range(20_000)))
        assert ("CommandComplete", "INSERT 0 20000") in seen
        assert protocol.rows_of(client.ask("select count(*), sum(n), min(s) from listed")) == [(b"20000", b"199990000", b"value 0")]
        client.ask("drop table listed")


def test_many_tables_joined(postgres, gnomon):
    """Fourteen tables in a chain and in a star: join ordering must end in reasonable time."""
    names = [f"link{n}" for n in range(14)]
    chain = "select count(*), sum(link13.v) from " + ", ".join(names) + " where " + " and ".join(f"{a}.v = {b}.k" for a, b in zip(names, names[1:]))
    star = "select count(*) from " + ", ".join(names) + " where " + " and ".join(f"link0.k = {b}.k" for b in names[1:])
    seen = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.start()
            for name in names:
                client.ask(f"create table {name} (k integer, v integer)")
                client.ask(f"insert into {name} values (1, 2), (2, 3), (3, 1), (4, null)")
            seen.append([protocol.rows_of(client.ask(sql)) for sql in (chain, star)])
            for name in names:
                client.ask(f"drop table {name}")
    assert seen[0] == seen[1]


@pytest.mark.release_only
def test_message_of_two_hundred_megabytes(gnomon):
    """An answer or an error; then the session or a new one goes on."""
    with Client(gnomon.port, seconds_max=300) as client:
        client.start()
        client.send(query(b"select length('" + b"x" * (200 << 20) + b"')"))
        seen = client.until_ready()
        assert seen[-1] == ("Closed",) or protocol.sqlstates(seen) or protocol.rows_of(seen) == [(str(200 << 20).encode(),)], seen[-1]
    with Client(gnomon.port) as client:
        still_answers(gnomon, client.start())


@pytest.mark.release_only
def test_value_of_a_hundred_megabytes_in_one_row(gnomon):
    size = 100_000_000
    with Client(gnomon.port, seconds_max=300) as client:
        client.start()
        client.ask("create table heavy (n integer, s text)")
        client.send(query("copy heavy from stdin"))
        client.read_until("CopyInResponse")
        client.send(protocol.copy_data(b"1\t"))
        for _ in range(size // 1_000_000):
            client.send(protocol.copy_data(b"abcdefghij" * 100_000))
        client.send(protocol.copy_data(b"\n2\tsmall\n") + protocol.copy_done())
        assert ("CommandComplete", "COPY 2") in client.until_ready()
        assert protocol.rows_of(client.ask("select n, length(s), substring(s from 99999996 for 5) from heavy order by n")) == [(b"1", str(size).encode(), b"fghij"), (b"2", b"5", b"")]
        rows = protocol.rows_of(client.ask("select s from heavy where n = 1"))
        assert rows[0][0] == b"abcdefghij" * (size // 10)
        client.ask("drop table heavy")
