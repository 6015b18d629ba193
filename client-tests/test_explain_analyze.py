"""EXPLAIN ANALYZE executes the statement and counts the rows of each operator."""
import json
import re

import psycopg
import pytest


@pytest.fixture
def tables(only_gnomon):
    values = ", ".join(f"({n})" for n in range(100))
    with only_gnomon.connect() as connection:
        connection.execute("create table counted (id integer primary key, k integer, v integer)")
        connection.execute(f"insert into counted select a.n * 100 + b.n, a.n, b.n from (values {values}) as a (n), (values {values}) as b (n)")
        connection.execute("create table few (id integer)")
        connection.execute("insert into few values (1), (2), (3), (20000), (null)")
        yield connection
        connection.execute("drop table counted, few")


NODE = re.compile(r"\s*(?:->  )?(.*?)  \(cost=([\d.]+)\.\.([\d.]+) rows=\d+ width=\d+\) "
                  r"\(actual time=([\d.]+)\.\.([\d.]+) rows=(\d+) loops=1\)")


def actual(connection, statement: str) -> list[tuple[str, int]]:
    """The operators of the executed plan, each with its actual rows."""
    lines = [row[0] for row in connection.execute("explain analyze " + statement)]
    assert re.fullmatch(r"Planning Time: \d+\.\d{3} ms", lines[-2])
    assert re.fullmatch(r"Execution Time: \d+\.\d{3} ms", lines[-1])
    found = [NODE.fullmatch(line) for line in lines if "(cost=" in line]
    for match in found:
        assert float(match[2]) <= float(match[3]) and float(match[4]) <= float(match[5]), match[0]
    return [(match[1], int(match[6])) for match in found]


@pytest.mark.parametrize("mode", ["vm", "llvm", "auto"])
@pytest.mark.parametrize("statement, expected", [
    ("select * from counted where v < 7", [("Output", 700), ("Seq Scan on counted", 700)]),
    ("select k, count(*) from counted where v < 7 group by k having count(*) > 100",
     [("Output", 0), ("Selection", 0), ("HashAggregate", 100), ("Seq Scan on counted", 700)]),
    ("select counted.id from few, counted where counted.id = few.id",
     [("Output", 3), ("Hash Join", 3), ("Index Lookup using counted_pkey on counted", 3), ("Hash", 5), ("Seq Scan on few", 5)]),
    ("select few.id, counted.id from few left join counted on counted.v = few.id",
     [("Output", 302), ("Hash Left Join (build left)", 302), ("Seq Scan on counted", 10000), ("Hash", 5), ("Seq Scan on few", 5)]),
    ("select * from counted where id = 77", [("Output", 1), ("Index Scan using counted_pkey on counted", 1)]),
    ("select v from counted order by v, id limit 5", [("Output", 5), ("Top-K Sort", 5), ("Seq Scan on counted", 10000)]),
    ("values (1), (2), (3)", [("Output", 3), ("Values of 3 rows", 3)]),
])
def test_rows_of_each_operator(tables, mode, statement, expected):
    tables.execute(f"set execution_mode = {mode}")
    assert actual(tables, statement) == expected


def test_statements_that_write_do_write(tables):
    assert actual(tables, "update counted set v = -1 where v < 3") == [("Update on counted", 300), ("Seq Scan on counted", 300)]
    assert tables.execute("select count(*) from counted where v = -1").fetchone() == (300,)
    assert actual(tables, "delete from counted where v = -1")[0] == ("Delete on counted", 300)
    assert tables.execute("select count(*) from counted").fetchone() == (9700,)
    assert actual(tables, "insert into few select id from counted where k = 5")[0] == ("Insert on few", 97)
    assert tables.execute("select count(*) from few").fetchone() == (102,)
    tables.execute("explain update counted set v = 0")
    assert tables.execute("select count(*) from counted where v = 0").fetchone() == (0,)


def test_errors_and_parameters(tables):
    with pytest.raises(psycopg.errors.DivisionByZero):
        tables.execute("explain analyze select 1 / (v - 5) from counted")
    with pytest.raises(psycopg.errors.UniqueViolation):
        tables.execute("explain analyze insert into counted select id from counted")
    assert tables.execute("select count(*) from counted").fetchone() == (10000,)
    lines = [row[0] for row in tables.execute("explain analyze select * from counted where id < %s", [10])]
    assert " rows=10 loops=1)" in lines[0]
    for option in ("format xml", "format yaml"):
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            tables.execute(f"explain (analyze, {option}) select 1")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="unrecognized value for EXPLAIN option"):
        tables.execute("explain (format html) select 1")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="EXPLAIN option TIMING requires ANALYZE"):
        tables.execute("explain (timing) select 1")
    with pytest.raises(psycopg.errors.SyntaxError, match="analyze requires a Boolean value"):
        tables.execute("explain (analyze maybe) select 1")
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        tables.execute("explain (analyze, ir) select 1")
    assert "actual" not in tables.execute("explain (analyze off) select 1").fetchone()[0]


def test_analyze_counts_the_rows_anew(tables):
    def estimate(condition: str) -> int:
        plan = "\n".join(row[0] for row in tables.execute(f"explain analyze select * from counted where {condition}"))
        return int(re.search(r"on counted  \(cost=\S+ rows=(\d+)", plan)[1])

    tables.execute("update counted set v = 7 where id >= 1000")
    tables.execute("delete from counted where id % 10 = 3")
    assert tables.execute("analyze counted").statusmessage == "ANALYZE"
    assert estimate("true") == 9000
    assert 7000 < estimate("v = 7") < 9000
    tables.execute("analyze few, counted")
    tables.execute("analyze")
    with pytest.raises(psycopg.errors.UndefinedTable):
        tables.execute("analyze nosuch")
    assert tables.execute("select count(*) from counted").fetchone() == (9000,)


def json_plan(connection, statement: str) -> dict:
    rows = connection.execute(statement).fetchall()
    assert len(rows) == 1
    value = rows[0][0]
    [plan] = json.loads(value) if isinstance(value, str) else value
    return plan


def test_json_has_the_shape_of_postgresqls(tables):
    query = "select counted.k, count(*) from few, counted where counted.v = few.id group by counted.k"
    plan = json_plan(tables, f"explain (analyze, buffers, verbose, format json) {query}")
    assert set(plan) == {"Plan", "Planning Time", "Triggers", "Execution Time"}
    nodes = []

    def collect(node, depth):
        nodes.append((depth, node["Node Type"], node["Actual Rows"]))
        assert node["Actual Startup Time"] <= node["Actual Total Time"] <= plan["Execution Time"] * 1.01
        assert node["Startup Cost"] <= node["Total Cost"] and node["Actual Loops"] == 1
        for child in node.get("Plans", []):
            assert child["Actual Total Time"] <= node["Actual Total Time"] + 0.001
            assert child["Parent Relationship"] in ("Outer", "Inner")
            assert child["Shared Hit Blocks"] + child["Shared Read Blocks"] <= node["Shared Hit Blocks"] + node["Shared Read Blocks"]
            collect(child, depth + 1)

    collect(plan["Plan"], 0)
    assert nodes == [(0, "Output", 100), (1, "Aggregate", 100), (2, "Hash Join", 300), (3, "Seq Scan", 10000), (3, "Hash", 5),
                     (4, "Seq Scan", 5)]
    scan = plan["Plan"]["Plans"][0]["Plans"][0]["Plans"][0]
    assert scan["Relation Name"] == "counted" and scan["Alias"] == "counted" and scan["Output"] == ["k", "v"]
    assert scan["Shared Hit Blocks"] + scan["Shared Read Blocks"] > 0
    assert set(json_plan(tables, f"explain (costs off, format json) {query}")) == {"Plan"}


def test_steps_have_times(tables):
    lines = [row[0] for row in tables.execute("explain (analyze, pipelines) select k, count(*) from counted group by k")]
    assert all(re.fullmatch(r"step \d+: .*  \(actual time=[\d.]+ calls=1.*\)", line) for line in lines[:-1]), lines
    assert lines[0].startswith("step 1: scan counted")


def test_text_shows_what_is_asked_for(tables):
    def lines(options: str) -> list[str]:
        return [row[0] for row in tables.execute(f"explain ({options}) select v from counted where id = 77")]

    assert lines("costs off") == ["Output", "  ->  Index Scan using counted_pkey on counted", "        Index Cond: (id = 77)", "        Filter: (id = 77)"]
    assert "        Columns: id, v" in lines("verbose, costs off")
    assert lines("analyze, costs off, timing off, summary off")[1] == "  ->  Index Scan using counted_pkey on counted  (actual rows=1 loops=1)"
    assert any(re.fullmatch(r" *Buffers: shared( hit=\d+)?( read=\d+)?", line) for line in lines("analyze, buffers"))


def test_wal_counts_what_a_statement_logs(only_gnomon):
    with only_gnomon.connect() as connection:
        connection.execute("create table logged (id integer primary key, t text)")

        def logged(statement: str) -> list[tuple[str, int, int]]:
            """The operators that have logged something, with records and bytes."""
            found = []
            lines = [row[0] for row in connection.execute(f"explain (analyze, wal, costs off, timing off, summary off) {statement}")]
            for before, line in zip(lines, lines[1:]):
                if match := re.fullmatch(r" *WAL: records=(\d+) bytes=(\d+)", line):
                    found.append((re.sub(r"^ *(-> +)?|  \(actual.*", "", before), int(match[1]), int(match[2])))
            return found

        few, many = (logged(f"insert into logged select n, repeat('x', 100) from generate_series({first}, {last}) n") for first, last in [(1, 10), (11, 510)])
        assert [name for name, _, _ in few] == [name for name, _, _ in many] == ["Insert on logged"]
        assert few[0][1] >= 1 and many[0][2] > 10 * few[0][2] > 10 * 10 * 100
        assert logged("select * from logged") == []
        assert logged("update logged set t = 'y' where id = 3")[0][2] < few[0][2]
        plan = json_plan(connection, "explain (analyze, wal, format json) delete from logged where id < 6")["Plan"]
        # Neighbours go together.
        assert plan["WAL Records"] >= 1 and plan["WAL FPI"] == 0 and plan["WAL Bytes"] > plan["WAL Records"] * 16
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="EXPLAIN option WAL requires ANALYZE"):
            connection.execute("explain (wal) select 1")
        connection.execute("drop table logged")


def test_settings_are_those_that_were_changed(only_gnomon):
    with only_gnomon.connect() as connection:

        def settings() -> list[str]:
            return [row[0] for row in connection.execute("explain (settings, costs off) select 1") if row[0].startswith("Settings")]

        assert settings() == [] and json_plan(connection, "explain (settings, format json) select 1")["Settings"] == {}
        connection.execute("set work_mem = '8MB'; set search_path = pg_catalog, public; set execution_mode = vm")
        assert settings() == ["Settings: execution_mode = 'vm', search_path = 'pg_catalog, public', work_mem = '8MB'"]
        assert json_plan(connection, "explain (settings, format json) select 1")["Settings"] == {
            "execution_mode": "vm", "search_path": "pg_catalog, public", "work_mem": "8MB"}  # fmt: skip
        connection.execute("reset all")
        assert settings() == []
