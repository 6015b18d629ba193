"""Simple queries that differ in literals alone: each template is sent with many values, and answered as PostgreSQL does."""
import itertools
import random

import pytest

import comparison

CREATE = (
    "create table lift (id integer primary key, small smallint, big bigint, n numeric(8, 2), f double precision, name varchar(10), padded char(6), "
    "note text, born date, seen timestamp, flag boolean, constraint few check (small < 100))",
    "create index lift_name on lift (name)",
)
ROWS = ("insert into lift select n, n % 50, n * 3000000000, n / 8.0, n / 4.0, 'name ' || n % 20, 'p' || n % 7, 'note ' || n, "
        "date '2020-01-01' + n, timestamp '2020-01-01 00:00:00' + interval '1 hour' * n, n % 2 = 0 from numbers")  # fmt: skip
VALUES = ("5", "-3", "0", "77", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808", "1.5", "'5'", "'-3'", "' 12 '",
          "'name 7'", "'p3'", "'p3    '", "''", "'it''s'", "'2020-02-01'", "'2020-02-01 05:00:00'", "'t'", "'no number'", "null", "'äöü'", "'a longer text than ten'")  # fmt: skip
COLUMNS = ("id", "small", "big", "n", "f", "name", "padded", "note", "born", "seen", "flag")
TEMPLATES = (
    *(f"select id, {column} from lift where {column} = {{}}" for column in COLUMNS),
    *(f"select id from lift where {column} < {{}} and id > {{}}" for column in COLUMNS),
    *(f"select count(*) from lift where {column} in ({{}}, {{}})" for column in COLUMNS),
    *(f"select id from lift where {column} between {{}} and {{}}" for column in ("id", "n", "born", "name")),
    "select id + {} from lift where id = 5",
    "select id + {} as x, small - {} from lift where id = 5",
    "select n + {}, f - {}, big + {} from lift where id = 5",
    "select id = {}, name = {} from lift where id < 5",
    "select id from lift where name like 'name%' and id = {}",
    "select {} = {} from lift where id = 3",
    "select id, {} from lift where id = {}",
    "select id from lift where id < {} order by id desc limit 3",
    "select distinct small + {} from lift where id < 5 order by small + {}",
    "select case when id > {} then 'many' else 'few' end from lift where id = 60",
    "select id from lift where id / {} = 3",
    "insert into lift (id, small) values ({}, {})",
    "insert into lift (id, name, padded, note) values (1000, {}, {}, {})",
    "insert into lift (id, n, f, born, seen, flag) values (1001, {}, {}, {}, {}, {})",
    "insert into lift (id, note) values (1002, {}), (1003, {})",
    "update lift set small = {} where id = 12",
    "update lift set small = small + {}, note = {} where id = 12",
    "update lift set name = {}, padded = {} where id = 12",
    "update lift set n = n - {}, big = big + {} where id = {}",
    "delete from lift where id = {}",
    "delete from lift where name = {} and small < {}",
)


@pytest.fixture(scope="module")
def connections(postgres, gnomon_holder):
    both = [postgres.raw_connect(), gnomon_holder.alive().raw_connect()]
    for connection in both:
        numbers = ", ".join(f"({n})" for n in range(1, 121))
        for sql in (*CREATE, "create table numbers (n integer)", f"insert into numbers values {numbers}", ROWS, "drop table numbers"):
            answer = comparison.run(connection, sql)
            assert not answer.sqlstate, answer.describe()
    yield both
    for connection in both:
        comparison.run(connection, "drop table lift")
        connection.finish()


def texts(template: str, draw: random.Random) -> list[str]:
    """The same kinds of literals come several times, so that what was lifted is used."""
    places = template.count("{}")
    rounds = [[value] * places for value in VALUES] + [draw.choices(VALUES, k=places) for _ in range(30)]
    return [template.format(*values) for values in itertools.chain(rounds, rounds)]


@pytest.mark.parametrize("template", TEMPLATES)
def test_answers(connections, template):
    postgres, gnomon = connections
    differences = []
    for text in texts(template, random.Random(template)):
        for connection in connections:
            comparison.run(connection, "begin")
        expected, actual = (comparison.run(connection, text) for connection in connections)
        what = comparison.difference(expected, actual, "order by" in text)
        if what:
            differences.append(f"{what}\n{text}\npostgresql: {expected.describe()}\ngnomon:     {actual.describe()}\n")
        for connection in connections:
            comparison.run(connection, "rollback")
    assert not differences, "\n".join(differences[:5])


def test_a_plan_is_made_anew_when_its_table_has_grown(gnomon):
    """One that was made for an empty table would read all of it each time."""
    if not gnomon.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    with gnomon.connect() as connection:

        def pages_touched(text: str) -> int:
            counts = "select coalesce(sum(hits), 0) + coalesce(sum(reads), 0) from gnomon_buffer"
            before = connection.execute(counts).fetchone()[0]
            connection.execute(text)
            return connection.execute(counts).fetchone()[0] - before

        connection.execute("create table growing (id integer primary key, note text)")
        try:
            for n in range(5):
                connection.execute(f"select id from growing where id = {n}")
            numbers = ", ".join(f"({n})" for n in range(100))
            connection.execute("insert into growing select a.n * 100 + b.n, repeat('x', 3000) "
                               f"from (values {numbers}) as a (n), (values {numbers}) as b (n)")  # fmt: skip
            assert pages_touched("select count(note) from growing") > 200
            assert pages_touched("select note from growing where id = 4711") < 100
            assert pages_touched("select id from growing where id = 4711") < 100
        finally:
            connection.execute("drop table growing")
