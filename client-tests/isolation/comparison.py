"""Has PostgreSQL and the server under test play the same interleaving, and says where they differ.

Either or: where a statement of a READ COMMITTED transaction waited for a writer that then committed, PostgreSQL goes on with its
old snapshot and looks again at the one row that it waited for. To run the whole statement after that commit is as good. What that
would bring is found by having PostgreSQL play it: the statement is moved behind the step that let it go on, and every other step stays.
The server under test must then agree, in every step and in the tables, with one of these plays as a whole.
"""
import collections
import dataclasses

from isolation.interleaving import READ_COMMITTED, SECONDS_MAX, Play, Script, Trace
from isolation.sessions import SILENCE_MS, described

MOVES_MAX = 4


def differences(expected: Trace, actual: Trace) -> list[str]:
    found = []
    if actual.stuck:
        found.append(actual.stuck)
    for step in expected.order:
        ours = actual.outcome.get(step.number)
        theirs = expected.outcome.get(step.number)
        name = f"step {step.number} ({step.session}: {step.text})"
        if theirs != ours and (ours is not None or not actual.stuck):
            found.append(f"{name}: {described(ours or ())} instead of {described(theirs or ())}")
        elif ours is not None and expected.after.get(step.number) != actual.after.get(step.number):
            found.append(f"{name}: answered after step {actual.after.get(step.number)} instead of {expected.after.get(step.number)}")
    if (expected.deadlock, expected.victims) != (actual.deadlock, actual.victims):
        found.append(f"deadlock at step {actual.deadlock} with {actual.victims} victims instead of {expected.deadlock} with {expected.victims}")
    if expected.tables != actual.tables and not actual.stuck:
        found.append(f"tables: {actual.tables} instead of {expected.tables}")
    return found


def moved_behind(order, step, other) -> tuple:
    without = [known for known in order if known != step]
    place = without.index(other) + 1
    return (*without[:place], step, *without[place:])


@dataclasses.dataclass(frozen=True)
class Version:
    """One way in which PostgreSQL plays a script: as it is, or with statements moved to where they could go on."""

    trace: Trace  # as played
    guide: Trace  # the same, with the moved steps issued where the script has them
    moves: tuple = ()  # (step, the one it was moved behind, the one it stands behind in the script)


def movable(script: Script, version: Version):
    """(step, the step that let it go on, the step before it) of each statement that may run anew after a commit."""
    order = version.trace.order
    for place, step in enumerate(order):
        if script.levels[step.session] != READ_COMMITTED or not step.changes_or_locks() or not version.trace.waited(step.number):
            continue
        later = [known.number for known in order[place:]]
        release = version.trace.after.get(step.number)
        if release not in later:
            continue
        between = order[place + 1 : place + 1 + later.index(release)]
        if any(version.trace.committed(known.number) for known in between):
            yield step, between[-1], order[place - 1]


def moved(script: Script, observer, version: Version, move) -> Version:
    step, release, _ = move
    moves = (*version.moves, move)
    order = moved_behind(version.trace.order, step, release)
    trace = Play(dataclasses.replace(script, steps=order), observer).run()
    guide = dataclasses.replace(trace, after=dict(trace.after))
    for own, behind, before in reversed(moves):
        if own in guide.order:
            guide.order = list(moved_behind(guide.order, own, before))
        guide.after = {number: behind.number if after == own.number else after for number, after in guide.after.items()}
    return Version(trace, guide, moves)


def versions(script: Script, observer, first: Version):
    """All of the others, those with fewer moves first."""
    queue, known = collections.deque([first]), {frozenset()}
    while queue:
        version = queue.popleft()
        for move in movable(script, version):
            names = frozenset(step.number for step, _, _ in (*version.moves, move))
            if len(names) <= MOVES_MAX and names not in known:
                known.add(names)
                queue.append(moved(script, observer, version, move))
                yield queue[-1]


@dataclasses.dataclass
class Verdict:
    expected: Trace
    actual: Trace
    found: list  # differences; empty when the servers agree
    versions: int = 0  # how many others were tried


def compare(script: Script, reference, tested, either: bool = True, silence_ms: float = SILENCE_MS, seconds_max: float = SECONDS_MAX) -> Verdict:
    """`reference` and `tested` are the observers of the two servers."""
    trace = Play(script, reference).run()
    assert not trace.stuck, f"PostgreSQL does not come to the end of it: {trace.stuck}\n{drawing(script, trace)}"
    verdict = Verdict(trace, *played(script, tested, trace, silence_ms, seconds_max))
    if verdict.found and either:
        for version in versions(script, reference, Version(trace, trace)):
            verdict.versions += 1
            if not played(script, tested, version.guide, silence_ms, seconds_max)[1]:
                verdict.found = []
                break
    return verdict


def played(script, tested, guide: Trace, silence_ms: float, seconds_max: float) -> tuple[Trace, list]:
    actual = Play(script, tested, guide, silence_ms, seconds_max).run()
    return actual, differences(guide, actual)


def per_session(trace: Trace) -> collections.Counter:
    """What each session lived to see, whichever of them it was and whenever it came."""
    names = {step.session for step in trace.order}
    return collections.Counter(tuple(trace.outcome.get(step.number) for step in sorted(trace.order, key=lambda step: step.number) if step.session == name) for name in names)


def compare_any_order(script: Script, reference, tested, silence_ms: float = 150) -> Verdict:
    """For sessions that all do the same: which of them is hit, or comes first, is open."""
    expected = Play(script, reference).run()
    play = Play(script, tested, None, silence_ms)
    first = next(place for place, step in enumerate(expected.order) if expected.waited(step.number))
    play.prompt = frozenset(step.number for step in expected.order[:first])
    actual = play.run()
    found = [actual.stuck] if actual.stuck else []
    if per_session(expected) != per_session(actual):
        found.append("the sessions' outcomes differ")
    if expected.tables != actual.tables:
        found.append(f"tables: {actual.tables} instead of {expected.tables}")
    return Verdict(expected, actual, found)


def drawing(script: Script, trace: Trace) -> str:
    """One column per session, and what came of each step."""
    names = sorted(script.levels)
    width = max([len(step.text) for step in trace.order] + [12])
    lines = ["     " + " | ".join(f"{name}: {script.levels[name]}".ljust(width) for name in names)]
    for step in trace.order:
        cells = " | ".join((step.text if name == step.session else "").ljust(width) for name in names)
        outcome = trace.outcome.get(step.number)
        waits = f" waits for step {trace.after.get(step.number)}," if trace.waited(step.number) and outcome is not None else ""
        lines.append(f"{step.number:4} {cells} |{waits} {'?' if outcome is None else described(outcome)}")
    if trace.deadlock is not None:
        lines.append(f"     deadlock after step {trace.deadlock}: {trace.victims} victim")
    return "\n".join([*lines, *(f"     {rows}" for rows in trace.tables)])


def report(script: Script, verdict: Verdict) -> str:
    return "\n".join([*verdict.found, "PostgreSQL:", drawing(script, verdict.expected), "the server under test:", drawing(script, verdict.actual)])
