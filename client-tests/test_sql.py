"""Every file under sql/ is run on PostgreSQL and on Gnomon, in each execution mode, and the answers are compared.

"binary" is the vm mode spoken to by the extended protocol, with results in binary: their bytes must be PostgreSQL's.
Files under sql/unsupported/ hold what is outside Gnomon's scope: each statement must be refused with 0A000.
"""
import functools
import pathlib
import re

import pytest

import comparison
import statements
from servers import MODES

SQL = pathlib.Path(__file__).parent / "sql"
DIFFERENCES_SHOWN_MAX = 10
SCHEMA = re.compile(r"\s*create\s+schema\s+(?:if\s+not\s+exists\s+)?([\w]+|\"[^\"]+\")", re.IGNORECASE)
CREATED = re.compile(r"\s*create\s+table\s+(?:if\s+not\s+exists\s+)?([\w\"]+)", re.IGNORECASE)
ROUTINE_CREATED = re.compile(r"\s*create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\w+)\s*\(", re.IGNORECASE)
TYPE_CREATED = re.compile(r"\s*create\s+(?:type|domain)\s+([\w\"]+)", re.IGNORECASE)
DEFINED = re.compile(r"create (table|view|domain|type) ", re.IGNORECASE)


def files(unsupported: bool) -> list[str]:
    names = sorted(path.relative_to(SQL).as_posix() for path in SQL.rglob("*.sql"))
    return [name for name in names if name.startswith("unsupported/") == unsupported]


@functools.cache
def parsed(name: str):
    return statements.parse((SQL / name).read_text())


def tables_created(found) -> list[str]:
    names = (CREATED.match(statement.text) for statement in found)
    return sorted({match.group(1) for match in names if match})


def schemas_created(found) -> list[str]:
    names = (SCHEMA.match(statement.text) for statement in found)
    return sorted({match.group(1) for match in names if match} - {"public"})


def types_created(found) -> list[str]:
    names = (TYPE_CREATED.match(statement.text) for statement in found)
    return sorted({match.group(1) for match in names if match})


def routines_created(found) -> list[str]:
    names = (ROUTINE_CREATED.match(statement.text) for statement in found)
    return sorted({match.group(1).lower() for match in names if match})


def drop_routines(cleaner, found):
    for name in routines_created(found):
        overloads = cleaner.exec_(f"select oid::regprocedure from pg_proc where proname = '{name}' and pronamespace = 'public'::regnamespace".encode())
        for row in range(overloads.ntuples):
            cleaner.exec_(b"drop routine " + overloads.get_value(row, 0) + b" cascade")


def drop_created(server, found):
    if server.running():
        cleaner = server.raw_connect()
        for name in schemas_created(found):
            cleaner.exec_(f"drop schema {name} cascade".encode())
        drop_routines(cleaner, found)
        for name in tables_created(found):
            cleaner.exec_(f"drop table {name} cascade".encode())
        for name in types_created(found):
            cleaner.exec_(f"drop type if exists {name} cascade".encode())
        cleaner.finish()


def run_file(server, name: str, mode: str | None, before: str = "") -> list[comparison.Answer]:
    """Runs the statements one by one on a fresh connection, after `before`; leaves no table or schema behind."""
    found = parsed(name)
    connection = server.raw_connect()
    try:
        if mode and mode != "binary":
            server.set_mode(connection, mode)
        if mode == "binary":
            server.set_mode(connection, "vm")
        if before:
            connection.exec_(before.encode())
        answers = []
        for statement in found:
            binary = mode == "binary" and statement.copy_data is None
            answers.append(comparison.run(connection, statement.text, statement.copy_data, binary))
            if answers[-1].sqlstate == "lost":
                raise AssertionError(f"the connection was lost at line {statement.line}:\n{statement.text}\n{answers[-1].message}")
        return answers
    finally:
        connection.finish()
        drop_created(server, found)


class References:
    """PostgreSQL's answers, asked for once per file and protocol."""

    def __init__(self, server):
        self.server = server
        self.known = {}

    def answers(self, name: str, mode: str):
        key = (name, mode == "binary")
        if key not in self.known:
            self.known[key] = run_file(self.server, name, "binary" if key[1] else None)
        return self.known[key]


@pytest.fixture(scope="session")
def references(postgres):
    return References(postgres)


# Machine code is not what a sanitizer sees: there the VM, and what adaptive execution makes of it, are enough.
MODES_OF_RELEASE = ("llvm", "full")


def modes():
    marks = {mode: [pytest.mark.release_only] for mode in MODES_OF_RELEASE}
    return [pytest.param(mode, marks=marks.get(mode, [])) for mode in (*MODES, "binary")]


@pytest.mark.parametrize("mode", modes())
@pytest.mark.parametrize("name", files(unsupported=False))
def test_answers_are_postgresqls(references, gnomon, name, mode):
    expected = references.answers(name, mode)
    actual = run_file(gnomon, name, mode)
    reports = []
    for statement, left, right in zip(parsed(name), expected, actual):
        what = comparison.difference(left, right, statement.ordered, statement.words)
        if what:
            reports.append(comparison.report(statement, left, right, what))
    if reports:
        shown = "\n".join(reports[:DIFFERENCES_SHOWN_MAX])
        pytest.fail(f"{len(reports)} of {len(actual)} statements differ\n{shown}", pytrace=False)


@pytest.mark.parametrize("name", files(unsupported=True))
def test_outside_the_scope_is_refused_with_0A000(only_gnomon, name):
    wrong = []
    for statement, answer in zip(parsed(name), run_file(only_gnomon, name, None)):
        setup = answer.sqlstate is None and DEFINED.match(statement.text) and "setup" in statement.text
        if not setup and answer.sqlstate != "0A000":
            wrong.append(f"line {statement.line}: {statement.text}\n  {answer.describe()}")
    if wrong:
        pytest.fail(f"{len(wrong)} statements are not refused with 0A000\n" + "\n".join(wrong[:30]), pytrace=False)
