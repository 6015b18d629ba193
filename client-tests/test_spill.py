"""Sorts, groupings and joins that find no room in memory give PostgreSQL's answers, and leave nothing behind.

The files under sql/spilling/, and the TPC-H queries, are run with the smallest work_mem there is.
"""
import os
import threading
import time

import psycopg
import pytest

import comparison
import servers
import statements
import test_sql
import tpch_tables
from servers import MODES

TINY = "set work_mem = '64kB'"
FILES = [name for name in test_sql.files(unsupported=False) if name.startswith("spilling/")]
SCALE = "0.01"

pytestmark = pytest.mark.skipif(servers.binary_under_test() == "postgresql", reason="its own settings are meant")


@pytest.fixture(scope="module")
def references(postgres):
    return test_sql.References(postgres)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FILES)
def test_answers_with_a_tiny_work_mem_are_postgresqls(references, gnomon, name, mode):
    expected = references.answers(name, mode)
    actual = test_sql.run_file(gnomon, name, mode, TINY)
    reports = []
    for statement, left, right in zip(test_sql.parsed(name), expected, actual):
        what = comparison.difference(left, right, statement.ordered, statement.words)
        if what:
            reports.append(comparison.report(statement, left, right, what))
    if reports:
        pytest.fail(f"{len(reports)} of {len(actual)} statements differ\n" + "\n".join(reports[:5]), pytrace=False)


@pytest.fixture(scope="module")
def tpch(postgres):
    folder = tpch_tables.data_folder(SCALE)
    server = servers.new_gnomon(workers=2).start()
    tpch_tables.load(postgres, folder)
    tpch_tables.load(server, folder)
    connection = postgres.raw_connect()
    answers = {number: comparison.run(connection, tpch_tables.query_text(number)) for number in range(1, 23)}
    connection.finish()
    tpch_tables.drop(postgres)
    yield server, answers
    code = server.stop()
    log = server.log()
    server.remove()
    assert code == 0, log


@pytest.mark.parametrize("mode", MODES)
def test_tpch_answers_with_a_tiny_work_mem_are_postgresqls(tpch, mode):
    server, answers = tpch
    connection = server.raw_connect()
    server.set_mode(connection, mode)
    connection.exec_(TINY.encode())
    different = []
    for number, expected in answers.items():
        actual = comparison.run(connection, tpch_tables.query_text(number))
        what = comparison.difference(expected, actual, ordered=True)
        if what:
            different.append(comparison.report(statements.Statement(f"TPC-H query {number}", 1), expected, actual, what))
    connection.finish()
    if different:
        pytest.fail("\n".join(different), pytrace=False)


SPILLING = {
    "sort": "select max(s.i), count(*) from (select i, md5(i::text) as t from generate_series(1, 60000) i order by t offset 0) s",
    "groups": "select count(*) from (select md5(i::text) as t, count(*) from generate_series(1, 60000) i group by 1) s",
    "join": "select count(*), sum(a.i) from generate_series(1, 60000) a(i) join (select i, md5(i::text) as t from generate_series(1, 60000) i) b on b.t = md5(a.i::text)",
}


def temporary_files(server) -> int:
    """Open files of the server that have no name."""
    folder = f"/proc/{server.process.pid}/fd"
    count = 0
    for name in os.listdir(folder):
        try:
            count += os.readlink(f"{folder}/{name}").endswith(" (deleted)")
        except FileNotFoundError:
            pass
    return count


@pytest.mark.parametrize("kind", SPILLING)
def test_temp_file_limit_holds_and_the_session_goes_on(gnomon, kind):
    with gnomon.connect() as connection:
        connection.execute(TINY)
        expected = connection.execute(SPILLING[kind]).fetchall()
        connection.execute("set temp_file_limit = '256kB'")
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(SPILLING[kind])
        assert caught.value.sqlstate == "53400"
        assert str(caught.value).splitlines()[0] == "temporary file size exceeds temp_file_limit (256kB)"
        connection.execute("reset temp_file_limit")
        assert connection.execute(SPILLING[kind]).fetchall() == expected
        connection.execute("reset work_mem")
        assert connection.execute(SPILLING[kind]).fetchall() == expected
        assert temporary_files(gnomon) == 0


def test_prepared_statements_and_portals_spill_again_and_again(gnomon):
    with gnomon.connect() as connection:
        for text in (*SPILLING.values(), "select i, md5(i::text) as t from generate_series(1, 5000) i order by t"):
            expected = connection.execute(text).fetchall()
            connection.execute(TINY)
            for _ in range(3):
                assert connection.execute(text, prepare=True).fetchall() == expected
            connection.execute("reset work_mem")
            assert connection.execute(text, prepare=True).fetchall() == expected


@pytest.mark.parametrize("kind", SPILLING)
def test_cancelling_in_the_middle_leaves_nothing(gnomon, kind):
    text = SPILLING[kind].replace("60000", "20000000")
    with gnomon.connect() as connection:
        connection.execute(TINY)
        canceller = threading.Timer(0.5, connection.cancel)
        canceller.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute(text)
        canceller.join()
        connection.execute("set statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute(text)
        servers.end_statement_timeout(connection)
        assert connection.execute("select 1").fetchone() == (1,)
        for _ in range(50):
            if temporary_files(gnomon) == 0:
                break
            time.sleep(0.1)
        assert temporary_files(gnomon) == 0


def test_a_full_disk_ends_the_statement_alone(monkeypatch):
    monkeypatch.setenv("GNOMON_FAILPOINT", "temporary_file_write=28:3")
    server = servers.new_gnomon().start()
    try:
        with server.connect() as connection:
            connection.execute(TINY)
            with pytest.raises(psycopg.Error) as caught:
                connection.execute(SPILLING["join"])
            assert caught.value.sqlstate == "53100"
            assert connection.execute(SPILLING["join"]).fetchone() == (60000, 1800030000)
            assert temporary_files(server) == 0
    finally:
        code = server.stop()
        log = server.log()
        server.remove()
    assert code == 0, log


def test_query_memory_bounds_what_is_kept_and_the_answer_is_right(gnomon):
    """Each of the operators has many times the statement's memory to go through."""
    with gnomon.connect() as connection:
        text = (
            "select count(*), sum(n), min(t), max(t) from (select a.t, count(*) as n from (select md5(i::text) || repeat('x', 100) as t from generate_series(1, 60000) i) a"
            " join (select md5(i::text) || repeat('x', 100) as t from generate_series(1, 60000) i) b on a.t = b.t group by a.t order by a.t offset 0) s"
        )
        expected = connection.execute(text).fetchall()
        connection.execute("set query_memory = '32MB'")
        assert connection.execute(text).fetchall() == expected


@pytest.mark.parametrize("aggregate", ["json_agg(i)", "jsonb_agg(i)", "json_object_agg(i, i)", "jsonb_object_agg(i, i)", "string_agg(i::text, ',')"])
@pytest.mark.parametrize("mode", ["vm", "llvm"])
def test_an_aggregate_that_a_loop_reads_is_computed_once(gnomon, aggregate, mode):
    """For each pair it would take many times the statement's memory."""
    text = (
        "select count(*), sum(n) from generate_series(1, 20000) n right join (select %s as all_of_them, count(*) as rows from generate_series(1, 20000) i) a"
        " on n <> a.rows and a.all_of_them is not null"
    )
    with gnomon.connect() as connection:
        connection.execute(f"set execution_mode = {mode}")
        connection.execute("set query_memory = '64MB'")
        assert connection.execute(text % aggregate).fetchone() == (19999, 199990000)
