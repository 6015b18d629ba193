"""CHECK constraints: the fields of their errors, prepared statements, other sessions, settings."""
import threading

import psycopg
import pytest

SETUP = [
    "create table checked (id integer primary key constraint positive check (id > 0), v integer, w text, "
    "constraint \"no Zero\" check (10 / v > 0 or w is null))",
    "insert into checked values (1, 1, 'a'), (2, 2, 'b'), (3, null, null)",
]
FIELDS = ("severity", "sqlstate", "message_primary", "message_detail", "message_hint", "context", "schema_name", "table_name", "column_name",
          "constraint_name", "datatype_name", "statement_position")  # fmt: skip


@pytest.fixture
def sides(postgres, gnomon):
    with postgres.connect() as reference, gnomon.connect() as connection:
        for side in (reference, connection):
            side.execute("drop table if exists checked")
            for statement in SETUP:
                side.execute(statement)
        yield reference, connection
        for side in (reference, connection):
            side.execute("drop table if exists checked")


def outcome(connection, statement: str, data: str | None = None):
    try:
        if data is None:
            return connection.execute(statement).rowcount
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(data)
        return cursor.rowcount
    except psycopg.Error as error:
        return [getattr(error.diag, field) for field in FIELDS]


@pytest.mark.parametrize("statement, data", [
    ("insert into checked values (-1, 1, 'x')", None),
    ("insert into checked values (4, 11, 'x')", None),
    ("insert into checked values (4, 0, 'x')", None),
    ("insert into checked select id - 2, v, w from checked", None),
    ("update checked set id = -id where id = 2", None),
    ("update checked set v = 100 where id = 1", None),
    ("update checked set v = 0 where id = 1", None),
    ("copy checked from stdin", "4\t1\tx\n0\t1\tx\n"),
    ("copy checked from stdin", "4\t1\tx\n5\t11\tx\n"),
    ("copy checked from stdin", "4\t1\tx\n5\t0\t" + "x" * 200 + "\n"),
    ("copy checked (id, w) from stdin csv", "4,x\n0,x\n"),
    ("alter table checked add check (v > 1)", None),
    ("alter table checked add constraint named check (v > 1 or w <> 'a')", None),
    ("alter table checked add check (10 / (v - 2) > 0)", None),
    ("alter table checked add u integer default 3 check (u > id)", None),
    ("alter table checked add constraint positive check (id > 1)", None),
    ("alter table checked drop constraint nosuch", None),
    ("create table checked2 (a integer check (sum(a) > 0))", None),
])  # fmt: skip
def test_errors_have_the_fields_of_postgresqls(sides, statement, data):
    expected, actual = (outcome(side, statement, data) for side in sides)
    assert isinstance(expected, list), "it fails"
    assert actual == expected
    rows = [side.execute("select * from checked order by id").fetchall() for side in sides]
    assert rows[0] == rows[1]


def test_prepared_statements_test_the_checks_of_the_day(sides, gnomon):
    with gnomon.connect() as other:
        for side in sides:
            side.execute("insert into checked values (%s, %s, %s)", [50, 1, "x"], prepare=True)
            side.execute("update checked set v = %s where id = %s", [5, 50], prepare=True)

        def attempt(side, v):
            found = []
            for statement, values in (("insert into checked values (%s, %s, %s)", [60 + v, v, "x"]), ("update checked set v = %s where id = %s", [v, 50])):
                try:
                    found.append(side.execute(statement, values, prepare=True).rowcount)
                except psycopg.errors.CheckViolation as error:
                    found.append((error.diag.constraint_name, error.diag.message_detail))
            return found

        assert attempt(sides[0], 6) == attempt(sides[1], 6)
        for change in ("add constraint small check (v < 7) not valid", "rename constraint small to tiny", "rename w to text",
                       "drop constraint tiny", "add z integer default 3 check (z > v - 4)", "drop z"):  # fmt: skip
            sides[0].execute("alter table checked " + change)
            other.execute("alter table checked " + change)
            assert attempt(sides[0], 7) == attempt(sides[1], 7), change
            for side in sides:
                side.execute("delete from checked where id = 67")
                side.execute("update checked set v = 5 where id = 50")


def test_casts_follow_the_session(sides):
    for side in sides:
        side.execute("create table shown (y bytea, constraint hex check (y::text like '\\\\x%%'))".replace("%%", "%"))
    try:
        for output in ("hex", "escape", "hex"):
            found = []
            for side in sides:
                side.execute(f"set bytea_output = {output}")
                found.append([outcome(side, "insert into shown values ('abc')"), outcome(side, "update shown set y = y"),
                              outcome(side, "copy shown from stdin", "xyz\n"), outcome(side, "alter table shown add constraint other check (y::text like 'a%' or y::text like '\\\\x%')"),
                              outcome(side, "alter table shown drop constraint if exists other")])  # fmt: skip
            assert found[0] == found[1], output
    finally:
        for side in sides:
            side.execute("drop table shown")


def test_many_rows_by_several_workers(gnomon):
    """The row that breaks the check is the last of many, found by whichever worker."""
    with gnomon.connect() as connection:
        connection.execute("create table many (n integer)")
        connection.execute("create table few (n integer check (n <> 249999), s text check (length(s) < 100))")
        try:
            with connection.cursor() as cursor, cursor.copy("copy many from stdin") as copy:
                copy.write("\n".join(str(n) for n in range(250_000)) + "\n")
            with pytest.raises(psycopg.errors.CheckViolation) as caught:
                connection.execute("insert into few select n, repeat('x', n % 50) from many")
            assert caught.value.diag.message_detail == "Failing row contains (249999, " + "x" * 49 + ")."
            assert connection.execute("select count(*) from few").fetchone() == (0,)
            assert connection.execute("insert into few select n, repeat('x', n % 50) from many where n < 249999").rowcount == 249_999
            with pytest.raises(psycopg.errors.CheckViolation) as caught:
                connection.execute("update few set s = s || repeat('y', 60), n = n + 1 where n >= 249998")
            assert caught.value.diag.constraint_name == "few_n_check"
            assert connection.execute("update few set s = s || 'y'").rowcount == 249_999
            assert connection.execute("select count(*), sum(n), sum(length(s)) from few").fetchone()[0] == 249_999
            with pytest.raises(psycopg.errors.CheckViolation, match='check constraint "low" of relation "few" is violated by some row'):
                connection.execute("alter table few add constraint low check (n < 249998)")
            connection.execute("alter table few add constraint low check (n < 249999)")
        finally:
            connection.execute("drop table many, few")


def test_adding_a_check_waits_for_writers_and_tests_their_rows(gnomon):
    with gnomon.connect() as connection, gnomon.connect() as other:
        connection.execute("create table raced (n integer)")
        try:
            ended = threading.Event()

            def write():
                for number in range(100_000):
                    if ended.is_set():
                        return
                    try:
                        other.execute("insert into raced values (%s)", [number], prepare=True)
                    except psycopg.errors.CheckViolation:
                        return

            writer = threading.Thread(target=write)
            writer.start()
            for limit in range(100, 100_000, 100):
                try:
                    connection.execute(f"alter table raced add constraint low check (n < {limit})")
                    break
                except psycopg.errors.CheckViolation:
                    continue
            writer.join(60)
            ended.set()
            writer.join()
            assert connection.execute(f"select max(n) from raced where n >= {limit}").fetchone() == (None,)
        finally:
            connection.execute("drop table raced")
