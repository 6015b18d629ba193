"""Interleavings drawn from a seed, played to PostgreSQL and to Gnomon; one that differs is made smaller and shown."""
import dataclasses
import os

import pytest

from isolation import comparison, drawing
from isolation.interleaving import READ_COMMITTED, REPEATABLE_READ, Rejected
from isolation.sessions import MAY_ASK, Observer

COUNT = int(os.environ.get("ISOLATION_COUNT", "150"))
SEED = int(os.environ.get("ISOLATION_SEED", "1"))
PARTS = 4
ATTEMPTS_MAX = 50


def with_tables(server, may_ask: bool = True):
    observer = Observer(server, may_ask)
    for sql in drawing.TABLES:
        observer.connection.execute(sql)
    return observer


def without_tables(observer):
    if observer.server.running():
        observer.connection.execute("drop table r, q")
    observer.close()


@pytest.fixture
def pair(postgres, gnomon):
    observers = [with_tables(postgres), with_tables(gnomon, MAY_ASK)]
    yield observers
    for observer in observers:
        without_tables(observer)


def verdict_of(script, pair, seconds_max=comparison.SECONDS_MAX):
    """None when the outcome is a matter of chance."""
    try:
        return comparison.compare(script, *pair, seconds_max=seconds_max)
    except Rejected:
        return None


def drawn(seed: int, number: int, pair):
    """The first of the number's scripts that is worth a comparison, and what came of it."""
    for attempt in range(ATTEMPTS_MAX):
        script = drawing.script_of(seed, number, attempt)
        verdict = verdict_of(script, pair)
        if verdict is not None:
            return script, verdict
    raise AssertionError(f"seed {seed}, number {number}: every script was rejected")


@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_interleavings(pair, part):
    for number in range(part, COUNT, PARTS):
        script, verdict = drawn(SEED, number, pair)
        if verdict.found:
            differs = lambda candidate: bool((found := verdict_of(candidate, pair, 2)) and found.found)
            small = drawing.shrunk(script, differs)
            again = verdict_of(small, pair) or verdict
            pytest.fail(f"ISOLATION_SEED={SEED}, interleaving {number}\n{comparison.report(small if again is not verdict else script, again)}", pytrace=False)


def test_another_level_is_found_out(postgres):
    """A server that gives READ COMMITTED for REPEATABLE READ, or the other way about, differs in some of the scripts."""
    observer = with_tables(postgres)
    found = {READ_COMMITTED: 0, REPEATABLE_READ: 0}
    try:
        for number in range(40):
            level = (READ_COMMITTED, REPEATABLE_READ)[number % 2]
            other = (REPEATABLE_READ, READ_COMMITTED)[number % 2]
            script = at_level(drawing.script_of(SEED, number), level)
            try:
                guide = comparison.Play(script, observer).run()
            except Rejected:
                continue
            wrong = dataclasses.replace(guide, order=list(at_level(dataclasses.replace(script, steps=tuple(guide.order)), other).steps))
            actual = comparison.Play(script, observer, wrong, seconds_max=0.5).run()
            found[level] += bool(comparison.differences(guide, actual))
    finally:
        without_tables(observer)
    assert min(found.values()) >= 3, found


def at_level(script, level: str):
    steps = tuple(dataclasses.replace(step, text=f"begin isolation level {level}") if step.text.startswith("begin") else step for step in script.steps)
    return dataclasses.replace(script, steps=steps, levels=dict.fromkeys(script.levels, level))
