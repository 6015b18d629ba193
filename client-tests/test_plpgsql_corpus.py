"""The routines of sql/plpgsql/tests/corpus/: what the parser of PL/pgSQL says of each must be what PostgreSQL says.

Compared are: accepted or not, SQLSTATE, message, position, hint, and of errors without a position the context, which names a line.
The parser speaks through the program gnomon_plpgsql_check, which stands beside the binary under test.
"""
import json
import os
import pathlib
import subprocess

import psycopg
import pytest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
TESTS = PROJECT / "sql" / "plpgsql" / "tests"
SETUP = TESTS / "corpus_setup.sql"
FILES = sorted(path.name for path in (TESTS / "corpus").glob("*.sql"))
DATABASE = "plpgsql_corpus"
FIELDS = ("sqlstate", "message", "position", "hint", "context")


@pytest.fixture(scope="module")
def checker() -> pathlib.Path:
    binary = os.environ.get("GNOMON_BINARY", "build/release/gnomon")
    program = (PROJECT / binary).parent / "gnomon_plpgsql_check"
    if binary == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    if not (program.parent / "gnomon_sql_tests").exists():
        pytest.skip("this build has no tests, and so not this program")
    return program


@pytest.fixture(scope="module")
def connection(postgres):
    """To a database that has what the corpus speaks of."""
    with postgres.connect() as administrator:
        administrator.execute(f"create database {DATABASE}")
    opened = psycopg.pq.PGconn.connect(postgres.dsn().replace("dbname=postgres", f"dbname={DATABASE}").encode())
    assert opened.status == psycopg.pq.ConnStatus.OK, opened.error_message
    result = opened.exec_(SETUP.read_bytes())
    assert result.status == psycopg.pq.ExecStatus.COMMAND_OK, result.error_message
    yield opened
    opened.finish()
    with postgres.connect() as administrator:
        administrator.execute(f"drop database {DATABASE}")


def answer(connection, statement: bytes) -> dict | None:
    """PostgreSQL's error, None if it takes the routine, which is then forgotten."""
    connection.exec_(b"begin")
    result = connection.exec_(statement)
    connection.exec_(b"rollback")
    if result.status == psycopg.pq.ExecStatus.COMMAND_OK:
        return None
    codes = psycopg.pq.DiagnosticField
    field = lambda code: (result.error_field(code) or b"").decode()
    return {
        "sqlstate": field(codes.SQLSTATE),
        "message": field(codes.MESSAGE_PRIMARY),
        "position": int(field(codes.STATEMENT_POSITION) or 0),
        "hint": field(codes.MESSAGE_HINT),
        "context": field(codes.CONTEXT),
    }


def difference(expected: dict | None, actual: dict | None) -> str:
    if expected is None or actual is None:
        return "" if expected == actual else f"PostgreSQL: {expected}\n  parser:     {actual}"
    wrong = [name for name in FIELDS if expected[name] != actual[name]]
    return "".join(f"{name}: PostgreSQL {expected[name]!r}, parser {actual[name]!r}\n  " for name in wrong)


@pytest.mark.parametrize("name", FILES)
def test_bodies_are_taken_and_refused_as_postgresql_does(connection, checker, name):
    path = TESTS / "corpus" / name
    text = path.read_bytes()
    said = subprocess.run([str(checker), str(SETUP), str(path)], capture_output=True, text=True, check=False, timeout=120)
    assert said.returncode == 0, said.stderr
    routines = [json.loads(line) for line in said.stdout.splitlines()]
    assert routines
    reports = []
    for routine in routines:
        statement = text[routine["begin"] : routine["end"]]
        expected = answer(connection, statement)
        what = difference(expected, routine["error"])
        if (expected is not None) != routine["must_fail"]:
            what += "the comment above it says otherwise"
        if what:
            line = text[: routine["begin"]].count(b"\n") + 1
            reports.append(f"{name}:{line}: {statement.decode()}\n  {what}")
    assert not reports, f"{len(reports)} of {len(routines)} routines\n" + "\n".join(reports[:20])
