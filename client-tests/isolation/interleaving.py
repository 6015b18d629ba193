"""Plays an interleaving of a few sessions, step by step, on one server.

PostgreSQL plays first. What it did (which steps waited, and for which step's sake they went on) is the guide for the server under
test: a step that went on there must go on here, however slow the machine; a step that waited there must be silent here.

A step of a session that is waiting is put off until the session's answer has come. So the order in which steps are issued is
itself an outcome, and the server under test is given PostgreSQL's.
"""
import dataclasses
import re
import select
import time

from isolation import sessions
from isolation.sessions import ENDS_BY_ITSELF, Observer, Session, StillWaits, error_of
from wire import protocol

READ_COMMITTED, REPEATABLE_READ = "read committed", "repeatable read"
SECONDS_MAX = 20
DEADLOCK = "40P01"
CHANGES_OR_LOCKS = re.compile(r"\b(insert|update|delete|for share)\b")
ONE_ROW = re.compile(r"where id = -?\d+( for \w+( nowait| skip locked)?)?$|^insert into r values")
MOVES_KEYS = re.compile(r"\bset (id|w)\b")


class Rejected(Exception):
    """What happens in this interleaving depends on chance, or on the order in which a server finds rows."""


@dataclasses.dataclass(frozen=True)
class Step:
    number: int  # its place in the script: what it is known by, whenever it is played
    session: str
    text: str

    def one_row(self) -> bool:
        """Whether it can meet one row or key alone: what is drawn into q has two keys."""
        return ONE_ROW.search(self.text) is not None

    def one_lock(self) -> bool:
        return self.one_row() and MOVES_KEYS.search(self.text) is None

    def changes_or_locks(self) -> bool:
        return CHANGES_OR_LOCKS.search(self.text) is not None


@dataclasses.dataclass(frozen=True)
class Script:
    """Steps in the order in which they are wanted, and the sessions' isolation levels."""

    steps: tuple
    levels: dict  # by session
    setup: tuple  # statements that give the tables their first rows
    tables: tuple  # queries that show them at the end
    drawn: bool = False  # nobody thought about it: refused where it depends on chance, and ended by the first deadlock


@dataclasses.dataclass
class Trace:
    """What happened. Dictionaries are by step number."""

    order: list = dataclasses.field(default_factory=list)  # the steps as they were issued
    outcome: dict = dataclasses.field(default_factory=dict)  # the answers
    after: dict = dataclasses.field(default_factory=dict)  # the step after which the answer came: itself, unless it waited
    tables: list = dataclasses.field(default_factory=list)
    deadlock: int | None = None  # the step that made one; only of drawn scripts, whose traces end there
    victims: int = 0  # how many sessions it cost
    stuck: str = ""  # who still waits although it should not

    def waited(self, number: int) -> bool:
        return self.after.get(number) != number

    def committed(self, number: int) -> bool:
        return ("CommandComplete", "COMMIT") in self.outcome.get(number, ())


class Play:
    """One playing of a script."""

    def __init__(self, script: Script, observer: Observer, guide: Trace | None = None, silence_ms: float = sessions.SILENCE_MS, seconds_max: float = SECONDS_MAX):
        self.script, self.observer, self.guide = script, observer, guide
        self.silence_ms, self.seconds_max = silence_ms, seconds_max
        self.prompt = frozenset()  # numbers of steps that wait for nobody, where there is no guide
        self.trace = Trace()
        self.sessions = {}
        self.under_way = {}  # by session: the step it has not answered
        self.put_off = {}  # by session: steps to be issued after its answer

    def run(self) -> Trace:
        for sql in self.script.setup:
            self.observer.connection.execute(sql)
        try:
            for name in sorted(self.script.levels):
                self.sessions[name] = Session(self.observer.server, name)
                self.sessions[name].client.ask("set deadlock_timeout = '10ms'")
            for step in self.script.steps if self.guide is None else self.guide.order:
                self.take(step)
            while self.under_way:
                self.settle(self.trace.order[-1], {self.sessions[name] for name in self.under_way})
        except StillWaits as waiting:
            self.trace.stuck = f"{waiting} still waits"
        finally:
            self.leave()
        self.trace.tables = [sorted(self.observer.connection.execute(sql).fetchall(), key=repr) for sql in self.script.tables]
        return self.trace

    def take(self, step: Step):
        if self.trace.deadlock is not None:
            return
        if step.text != "disconnect" and (step.session in self.under_way or self.put_off.get(step.session)):
            self.put_off.setdefault(step.session, []).append(step)
        elif self.guide is not None or not self.meets_half_done(step):
            self.issue(step)

    def meets_half_done(self, step: Step) -> bool:
        """While a statement about several rows or keys waits, which of them it has locked is its own business: a drawn step that
        could find out is left out."""
        half_done = any(not waiting.one_lock() for waiting in self.under_way.values())
        return self.script.drawn and half_done and step.changes_or_locks()

    def issue(self, step: Step):
        self.trace.order.append(step)
        word, _, rest = step.text.partition(" ")
        must_end = set()
        if word == "disconnect":
            self.disconnect(step)
        elif word == "cancel":
            must_end.add(self.sessions[rest])
            self.cancel(step, self.sessions[rest])
        else:
            self.sessions[step.session].send(step.text)
            self.under_way[step.session] = step
            if ENDS_BY_ITSELF in step.text:
                must_end.add(self.sessions[step.session])
        self.settle(step, must_end)

    def disconnect(self, step: Step):
        session = self.sessions[step.session]
        idle = self.under_way.pop(step.session, None) is None
        session.disconnect()
        if idle:  # one that waits may be noticed later
            self.observer.wait_until_gone(session.pid)
        self.record(step, (("disconnect",),), step)

    def cancel(self, step: Step, victim: Session):
        with protocol.Client(self.observer.server.port) as canceller:
            canceller.send(protocol.cancel(victim.pid, victim.client.secret))
            assert canceller.ends()
        self.record(step, (("cancel",),), step)

    def settle(self, step: Step, must_end=frozenset()):
        """Takes the answers that came after this step; sessions that are free again go on with what was put off."""
        busy = [self.sessions[name] for name in self.under_way]
        if self.guide is not None and self.guide.deadlock == step.number:
            self.await_an_answer(busy)
            sessions.settle(busy, self.observer, set(), self.silence_ms, self.seconds_max)
        else:
            sessions.settle(busy, self.observer, set(must_end) | self.due(), self.silence_ms, self.seconds_max)
        answered = [self.under_way.pop(session.name) for session in busy if not session.busy]
        outcomes = [(known, sessions.outcome_of(self.sessions[known.session].messages)) for known in answered]
        victims = sum(error_of(outcome) == DEADLOCK for _, outcome in outcomes)
        if victims and self.script.drawn:
            # Whom it hits is open, and so is everything after it.
            self.trace.deadlock, self.trace.victims = step.number, victims
            self.under_way, self.put_off = {}, {}
            return
        for known, outcome in outcomes:
            self.record(known, outcome, step)
            self.refuse_chance(known, outcome)
        if self.script.drawn and self.guide is None and len(self.under_way) > 1:
            raise Rejected("two sessions wait at once")
        self.resume()

    def due(self) -> set:
        """The sessions that must have answered by now."""
        after = dict.fromkeys(self.prompt, self.trace.order[0].number) if self.guide is None else self.guide.after
        issued = {known.number for known in self.trace.order}
        return {self.sessions[name] for name, waiting in self.under_way.items() if after.get(waiting.number) in issued}

    def resume(self):
        for name in sorted(self.put_off):
            while self.put_off.get(name) and name not in self.under_way:
                first, *rest = self.put_off.pop(name)
                self.take(first)
                if rest and self.trace.deadlock is None:
                    self.put_off[name] = rest

    def await_an_answer(self, busy):
        deadline = time.monotonic() + self.seconds_max
        while not any([session.answered() for session in busy]):
            if time.monotonic() > deadline:
                raise StillWaits("every session of a deadlock")
            select.select([session.client.socket for session in busy], [], [], 0.1)

    def refuse_chance(self, step: Step, outcome: tuple):
        """A statement about several rows that fails where it could also have waited: which of the two rows comes first?"""
        if not self.script.drawn or self.guide is not None or step.one_row() or not step.changes_or_locks():
            return
        if error_of(outcome) in ("40001", "23505", "55P03") and any(self.has_changed(name) for name in self.script.levels if name != step.session):
            if len(self.script.levels) > 2 or error_of(outcome) == "23505":
                raise Rejected("fails or waits, whichever row comes first")

    def has_changed(self, name: str) -> bool:
        """Whether a session is in the middle of a transaction that has changed or locked something."""
        steps = [step for step in self.trace.order if step.session == name]
        ended = steps and steps[-1].text in ("commit", "rollback") and steps[-1].number in self.trace.outcome
        return not ended and any(step.changes_or_locks() for step in steps)

    def record(self, step: Step, outcome: tuple, after: Step):
        self.trace.outcome[step.number], self.trace.after[step.number] = outcome, after.number

    def leave(self):
        """Ends all sessions, so that what they have not committed is gone."""
        for session in self.sessions.values():
            session.client.close()
        for session in self.sessions.values():
            self.observer.wait_until_gone(session.pid)
