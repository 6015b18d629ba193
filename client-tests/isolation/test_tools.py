"""The tools of this folder: what draws, shrinks and compares interleavings finds what it is for, and lets through no more."""
import dataclasses

from isolation import comparison, drawing, scenarios
from isolation.interleaving import READ_COMMITTED, Play
from isolation.sessions import described, in_a_cycle, outcome_of
from isolation.test_scenarios import observer_with_tables, script


def test_a_drawing_is_read_by_columns():
    steps = script("-- a comment\nbegin | begin\n | | select 'a' || 'b'\nselect 1 -- ends by itself |", READ_COMMITTED).steps
    begin = "begin isolation level read committed"
    assert [(step.number, step.session, step.text) for step in steps] == [
        (1, "a", begin), (2, "b", begin), (3, "c", "select 'a' || 'b'"), (4, "a", "select 1 -- ends by itself"),
    ]  # fmt: skip


def test_only_circles_are_deadlocks():
    assert not in_a_cycle({1: {2}, 2: {3}})
    assert in_a_cycle({1: {2}, 2: {3}, 3: {1}}) and in_a_cycle({1: {9}, 2: {3, 9}, 3: {2}})


def test_rows_are_compared_as_a_multiset_and_not_where_the_statement_failed():
    rows = [("DataRow", b"2"), ("DataRow", b"1"), ("DataRow", b"1")]
    ready, tag = ("ReadyForQuery", b"T"), ("CommandComplete", "SELECT 3")
    assert outcome_of([*rows, tag, ready]) == (("DataRow", b"1"), ("DataRow", b"1"), ("DataRow", b"2"), tag, ready)
    assert outcome_of([*rows, ("Error", "ERROR", "22012"), ready]) == (("Error", "ERROR", "22012"), ready)


def test_a_script_is_decided_by_seed_and_number():
    assert [drawing.script_of(3, number) for number in range(50)] == [drawing.script_of(3, number) for number in range(50)]
    assert drawing.script_of(3, 1) != drawing.script_of(4, 1) != drawing.script_of(3, 1, attempt=1)
    everything = "\n".join(step.text for number in range(300) for step in drawing.script_of(1, number).steps)
    for part in ("repeatable read", "read committed", "savepoint s", "rollback to s", "for update skip locked", "for share nowait", "update q set w", "insert into q", "delete from r", "from r where r.id = q.id", "v % 20"):
        assert part in everything, part


def test_a_script_shrinks_to_what_makes_the_difference():
    whole = next(found for found in (drawing.script_of(5, number) for number in range(100)) if len(found.levels) == 3 and len(found.steps) > 14)
    kept = [step for step in whole.steps if step.session == "b" and not step.text.startswith(("begin", "commit", "rollback"))][:1]
    small = drawing.shrunk(whole, lambda candidate: set(kept) <= set(candidate.steps))
    assert [step.text for step in small.steps if not step.text.startswith(("begin", "commit", "rollback"))] == [step.text for step in kept]
    assert len(small.levels) == 2


def test_a_new_start_is_the_only_other_outcome(postgres):
    """Of the statement that waited, and with the tables that belong to it."""
    opened = observer_with_tables(postgres, True)
    observer = next(opened)
    drawn = script(scenarios.EITHER["a row that came while the statement waited"], READ_COMMITTED)
    trace = Play(drawn, observer).run()
    others = [version.guide for version in comparison.versions(drawn, observer, comparison.Version(trace, trace))]
    assert len(others) == 1
    waiting = 6
    assert [described(played.outcome[waiting]) for played in (trace, *others)] == ["UPDATE 2 [block]", "UPDATE 3 [block]"]
    assert [played.tables[0] for played in (trace, *others)] == [[(1, 10), (2, 26), (3, 31), (4, 40)], [(1, 10), (2, 26), (3, 31), (4, 41)]]
    assert others[0].after == trace.after and [step.number for step in others[0].order] == [step.number for step in trace.order]
    assert [len(comparison.differences(trace, others[0])), comparison.differences(trace, trace)] == [2, []]
    exact = script(scenarios.EXACT["aborted read"], READ_COMMITTED)
    trace = Play(exact, observer).run()
    assert not list(comparison.versions(exact, observer, comparison.Version(trace, trace)))
    next(opened, None)


def test_a_new_start_is_accepted_as_a_whole_or_not_at_all(postgres, monkeypatch):
    """A server is imitated that answered what it is told to."""
    opened = observer_with_tables(postgres, True)
    observer = next(opened)
    drawn = script(scenarios.EITHER["two statements that wait"], READ_COMMITTED)
    trace = Play(drawn, observer).run()
    others = [version.guide for version in comparison.versions(drawn, observer, comparison.Version(trace, trace))]
    assert [[described(played.outcome[number]) for number in (6, 11)] for played in (trace, *others)] == [
        [f"UPDATE {first} [block]", f"UPDATE {second} [block]"] for first, second in ((3, 1), (4, 1), (3, 2), (4, 2))
    ]  # fmt: skip

    def found(imitated, **options):
        monkeypatch.setattr(comparison, "played", lambda script, tested, guide, *_: (imitated, comparison.differences(guide, imitated)))
        return comparison.compare(drawn, observer, None, **options).found

    assert [found(played) for played in (trace, *others)] == [[]] * 4
    assert found(others[0], either=False)
    other_tables = dataclasses.replace(others[0], tables=others[1].tables)
    other_answer = dataclasses.replace(others[0], outcome=others[0].outcome | {6: others[0].outcome[2]})
    too_early = dataclasses.replace(others[0], after=others[0].after | {6: 6})
    assert all(found(played) for played in (other_tables, other_answer, too_early))
    next(opened, None)


def test_what_differs_is_said(postgres):
    opened = observer_with_tables(postgres, True)
    observer = next(opened)
    drawn = script(scenarios.EXACT["increments are not lost"], READ_COMMITTED)
    expected, actual = Play(drawn, observer).run(), Play(drawn, observer).run()
    assert comparison.differences(expected, actual) == []
    actual.after[6] = 6
    assert comparison.differences(expected, actual) == ["step 6 (b: update item set v = v + 1 where id = 1): answered after step 6 instead of 7"]
    actual.outcome[6] = (("Error", "ERROR", "40001"), ("ReadyForQuery", b"E"))
    assert comparison.differences(expected, actual) == ["step 6 (b: update item set v = v + 1 where id = 1): ERROR 40001 [failed] instead of UPDATE 1 [block]"]
    actual.outcome[6] = expected.outcome[6]
    actual.after[6], actual.tables = 7, [[], *expected.tables[1:]]
    assert [line.split(":")[0] for line in comparison.differences(expected, actual)] == ["tables"]
    next(opened, None)
