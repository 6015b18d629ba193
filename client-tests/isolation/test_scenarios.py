"""The interleavings that have names, at READ COMMITTED and REPEATABLE READ, played to PostgreSQL and to Gnomon."""
import re

import pytest

from isolation import comparison, deferrable_keys, definitions, foreign_keys, gathered_rows, proposals, scenarios
from isolation.interleaving import READ_COMMITTED, REPEATABLE_READ, Script, Step
from isolation.sessions import MAY_ASK, Observer

TABLES = (
    "create table item (id integer primary key, v integer not null)",
    "create table mark (id integer primary key, v integer, tag text unique, constraint apart check (v <> 77 or tag <> 'seven'))",
    "create index mark_v on mark (v)",
)
SETUP = ("truncate item, mark", "insert into item values (1, 10), (2, 20), (3, 30)", "insert into mark values (1, 10, 'x1'), (2, 20, 'x2'), (3, 30, 'x3')")
SHOWN = ("select * from item", "select * from mark", "select v from mark where v >= -1000000", "select tag from mark where tag >= ''")
LEVELS = {"read-committed": READ_COMMITTED, "repeatable-read": REPEATABLE_READ}


@pytest.fixture(scope="module")
def reference(postgres):
    yield from observer_with_tables(postgres, True)


@pytest.fixture
def tested(gnomon, observers):
    """Kept from test to test as long as it is the same server."""
    if observers.get("server") is not gnomon:
        observers["server"], observers["made"] = gnomon, observer_with_tables(gnomon, MAY_ASK)
        observers["observer"] = next(observers["made"])
    return observers["observer"]


@pytest.fixture(scope="module")
def observers():
    kept = {}
    yield kept
    if kept and kept["server"].running():
        next(kept["made"], None)


def observer_with_tables(server, may_ask):
    observer = Observer(server, may_ask)
    for sql in TABLES + foreign_keys.TABLES + deferrable_keys.TABLES + gathered_rows.TABLES:
        observer.connection.execute(sql)
    yield observer
    observer.connection.execute(foreign_keys.DROP)
    observer.connection.execute(deferrable_keys.DROP)
    observer.connection.execute(gathered_rows.DROP)
    observer.connection.execute("drop table item, mark")
    observer.close()


def script(text: str, level: str, setup=SETUP, shown=SHOWN) -> Script:
    """Reads a drawing: each step in the column of its session, from above, in a line from the left."""
    steps, width, levels = [], 1, {}
    for line in text.strip().splitlines():
        if line.strip().startswith("-- ") or not line.strip():
            continue
        cells = [cell.strip() for cell in re.split(r" \|(?!\|)", line)]
        width = max(width, len(cells))
        for column, cell in enumerate(cells):
            if cell == "begin":
                levels["abcd"[column]] = level
            if cell:
                steps.append(Step(len(steps) + 1, "abcd"[column], f"begin isolation level {level}" if cell == "begin" else cell))
    # A session that begins no block, or says itself at which level, is READ COMMITTED for all that matters here.
    return Script(tuple(steps), dict.fromkeys("abcd"[:width], READ_COMMITTED) | levels, setup, shown)


def check(drawn: Script, verdict: comparison.Verdict):
    if verdict.found:
        pytest.fail(comparison.report(drawn, verdict), pytrace=False)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", scenarios.EXACT)
def test_exact(reference, tested, name, level):
    drawn = script(scenarios.EXACT[name], LEVELS[level])
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", definitions.EXACT)
def test_definitions(reference, tested, name, level):
    drawn = script(definitions.EXACT[name], LEVELS[level])
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", proposals.EXACT)
def test_proposals(reference, tested, name, level):
    drawn = script(proposals.EXACT[name], LEVELS[level])
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", proposals.ANY_ORDER)
def test_proposals_in_any_order(reference, tested, name, level):
    drawn = script(proposals.ANY_ORDER[name], LEVELS[level])
    check(drawn, comparison.compare_any_order(drawn, reference, tested))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", foreign_keys.EXACT)
def test_foreign_keys(reference, tested, name, level):
    drawn = script(foreign_keys.EXACT[name], LEVELS[level], foreign_keys.SETUP, foreign_keys.SHOWN)
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", deferrable_keys.EXACT)
def test_deferrable_keys(reference, tested, name, level):
    drawn = script(deferrable_keys.EXACT[name], LEVELS[level], deferrable_keys.SETUP, deferrable_keys.SHOWN)
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", gathered_rows.EXACT)
def test_gathered_rows(reference, tested, name, level):
    drawn = script(gathered_rows.EXACT[name], LEVELS[level], gathered_rows.SETUP, gathered_rows.SHOWN)
    check(drawn, comparison.compare(drawn, reference, tested, either=False))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", foreign_keys.ANY_ORDER)
def test_foreign_keys_in_any_order(reference, tested, name, level):
    drawn = script(foreign_keys.ANY_ORDER[name], LEVELS[level], foreign_keys.SETUP, foreign_keys.SHOWN)
    check(drawn, comparison.compare_any_order(drawn, reference, tested))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", scenarios.EITHER)
def test_postgresqls_outcome_or_that_of_a_new_start(reference, tested, name, level):
    drawn = script(scenarios.EITHER[name], LEVELS[level])
    check(drawn, comparison.compare(drawn, reference, tested))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", scenarios.ANY_ORDER)
def test_in_any_order(reference, tested, name, level):
    drawn = script(scenarios.ANY_ORDER[name], LEVELS[level])
    check(drawn, comparison.compare_any_order(drawn, reference, tested))
