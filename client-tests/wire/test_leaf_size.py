"""The storage parameter leaf_size: tables with large leaves hold what others hold."""
import psycopg
import pytest

ROWS = 40_000
FILL = ("insert into {} select a.n * 200 + b.n, 'a text of more than twelve bytes ' || b.n, a.n / 7.0 from (values {}) as a (n), (values {}) as b (n)")
QUESTIONS = [
    "select count(*), sum(n), min(s), max(s), sum(v) from {}",
    "select n, s, v from {} where n between 19990 and 20010 order by n",
    "select s, count(*), sum(n) from {} group by s order by s limit 20",
]


def numbers(count: int) -> str:
    return ", ".join(f"({n})" for n in range(count))


def fill(connection, table: str):
    connection.execute(FILL.format(table, numbers(ROWS // 200), numbers(200)))


def frames(connection, size_class: int) -> int:
    return connection.execute("select frames from gnomon_buffer where size_class = %s", [size_class]).fetchone()[0]


@pytest.fixture
def connection(only_gnomon):
    with only_gnomon.connect() as connection:
        yield connection
        connection.execute("drop table if exists small, large")


def answers(connection, table: str):
    return [connection.execute(question.format(table)).fetchall() for question in QUESTIONS]


def test_large_leaves_hold_what_small_ones_hold(connection):
    before = frames(connection, 3)
    connection.execute("create table small (n integer primary key, s text, v numeric(10,2))")
    connection.execute("create table large (n integer primary key, s text, v numeric(10,2)) with (leaf_size = '512kB')")
    for table in ("small", "large"):
        fill(connection, table)
    added = frames(connection, 3) - before
    assert 5 <= added <= 15, "about four megabytes"
    assert answers(connection, "large") == answers(connection, "small")
    for table in ("small", "large"):
        connection.execute(f"update {table} set s = repeat(s, 1 + n % 9), v = null where n % 3 = 0")
        connection.execute(f"delete from {table} where n % 7 = 0")
        connection.execute(f"alter table {table} add w integer default 5")
        connection.execute(f"insert into {table} select n + {ROWS}, s, v, 1 from {table}")
        connection.execute(f"delete from {table} where n < {ROWS} and n % 50 <> 1")
    assert answers(connection, "large") == answers(connection, "small")
    assert connection.execute("select sum(w) from large").fetchone() == connection.execute("select sum(w) from small").fetchone()
    connection.execute("drop table large")
    assert frames(connection, 3) <= before + added


def test_leaves_grow_unless_their_size_is_said(connection):
    before = frames(connection, 1)
    rows = "select n, repeat('growing ', 20), n / 7.0 from generate_series(1, 250000) as n"
    connection.execute(f"create table small (n, s, v) with (leaf_size = '64kB') as {rows}")
    assert frames(connection, 1) == before
    connection.execute(f"create table large (n, s, v) as {rows}")
    assert frames(connection, 1) > before + 40
    assert answers(connection, "large") == answers(connection, "small")
    sizes = [connection.execute(f"select pg_relation_size('{table}')").fetchone()[0] for table in ("small", "large")]
    assert abs(sizes[1] - sizes[0]) < sizes[0] // 20
    options = connection.execute("select relname, reloptions from pg_class where relname in ('small', 'large') order by 1").fetchall()
    assert options == [("large", None), ("small", ["leaf_size=64kB"])]


def test_alter_table_changes_what_new_leaves_are(connection):
    connection.execute("create table large (n integer, s text, v numeric)")
    fill(connection, "large")
    before = frames(connection, 1)
    connection.execute("alter table large set (leaf_size = '128kB')")
    fill(connection, "large")
    changed = frames(connection, 1)
    assert changed >= before + 20
    connection.execute("alter table large reset (leaf_size)")
    fill(connection, "large")
    assert frames(connection, 1) <= changed + 1
    assert connection.execute("select count(*), count(distinct n), min(n), max(n) from large").fetchone() == (3 * ROWS, ROWS, 0, ROWS - 1)


@pytest.mark.parametrize("parameters, sqlstate, message", [
    ("leaf_size = '100kB'", "22023", 'invalid value for parameter "leaf_size": "100kB"'),
    ("leaf_size = '2MB'", "22023", 'invalid value for parameter "leaf_size": "2MB"'),
    ("leaf_size = '32kB'", "22023", 'invalid value for parameter "leaf_size": "32kB"'),
    ("leaf_size = 64", "22023", 'invalid value for parameter "leaf_size": "64"'),
    ("leaf_size = -65536", "22023", 'invalid value for parameter "leaf_size": "-65536"'),
    ("leaf_size", "22023", 'invalid value for parameter "leaf_size": ""'),
    ("leaf_size = 65536, leaf_size = 131072", "22023", 'parameter "leaf_size" specified more than once'),
    ("leafs = 1", "22023", 'unrecognized parameter "leafs"'),
    ("toast.leaf_size = 65536", "22023", 'unrecognized parameter "leaf_size"'),
])
def test_other_parameters_and_values_are_refused(connection, parameters, sqlstate, message):
    connection.execute("create table small (n integer)")
    for statement in (f"create table large (n integer) with ({parameters})", f"alter table small set ({parameters})"):
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(statement)
        assert (caught.value.sqlstate, caught.value.diag.message_primary) == (sqlstate, message)
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute("select * from large")


def test_reset_takes_no_values_and_knows_no_names(connection):
    connection.execute("create table small (n integer) with (leaf_size = 1048576)")
    connection.execute("alter table small reset (leaf_size, never_heard_of)")
    with pytest.raises(psycopg.errors.SyntaxError, match="RESET must not include values for parameters"):
        connection.execute("alter table small reset (leaf_size = '64kB')")
