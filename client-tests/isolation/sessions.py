"""Sessions whose statements may wait for one another, and the one function that says who waits.

A step is a text: a statement or several, sent as one Query message, or one of

    portal p: select ...     Parse and Bind as the portal p, Sync
    fetch p 2                Execute of at most 2 rows of it, Sync
    cancel b                 a cancel request for the session b
    disconnect               closes the connection without a word

"-- ends by itself" behind a statement: it ends without another session's doing, however long it waits before (a timeout).
"""
import os
import select
import time

import psycopg

from wire import protocol

ENDS_BY_ITSELF = "-- ends by itself"
# How long a server that cannot be asked may stay silent before its statement counts as waiting.
SILENCE_MS = int(os.environ.get("ISOLATION_SILENCE_MS", "25"))
MAY_ASK = os.environ.get("ISOLATION_ASK", "yes") == "yes"


class StillWaits(Exception):
    """An answer that should have come did not."""


def outcome_of(messages) -> tuple:
    """What a step answered: rows (as a multiset), then tags, errors, notices, and the transaction status.

    Rows that came before an error are left out: how many of them were sent is open.
    """
    kept = [entry for entry in messages if entry[0] not in ("RowDescription", "ParseComplete", "BindComplete", "CloseComplete", "ParameterStatus", "NoData")]
    failed = any(entry[0] in ("Error", "Closed") for entry in kept)
    found = [] if failed else sorted((entry for entry in kept if entry[0] == "DataRow"), key=repr)
    return tuple(found) + tuple(entry for entry in kept if entry[0] != "DataRow")


def error_of(outcome: tuple) -> str | None:
    return next((entry[2] for entry in outcome if entry[0] == "Error"), None)


def described(outcome: tuple) -> str:
    parts = []
    for entry in outcome:
        if entry[0] == "DataRow":
            parts.append("(" + ", ".join("null" if value is None else value.decode() for value in entry[1:]) + ")")
        elif entry[0] == "ReadyForQuery":
            parts.append({b"I": "", b"T": "[block]", b"E": "[failed]"}[entry[1]])
        else:
            parts.append(" ".join(str(field) for field in entry[1:] or entry))
    return " ".join(part for part in parts if part)


class Session:
    """One connection: at most one step is under way."""

    def __init__(self, server, name: str):
        self.name = name
        self.client = protocol.Client(server.port).start()
        self.pid = self.client.process_id
        self.busy = False
        self.gone = False
        self.messages = []

    def send(self, text: str):
        word, _, rest = text.partition(" ")
        self.busy, self.messages = True, []
        if word == "portal":
            name, _, sql = rest.partition(": ")
            self.client.send(protocol.parse(sql), protocol.bind(portal=name), protocol.sync())
        elif word == "fetch":
            name, count = rest.split()
            self.client.send(protocol.execute(name, int(count)), protocol.sync())
        else:
            self.client.send(protocol.query(text.replace(ENDS_BY_ITSELF, "").strip()))

    def answered(self) -> bool:
        """Takes the messages that have come, and no more: the next may be waited for. Whether the answer is complete."""
        received = self.client.received
        while self.busy and select.select([self.client.socket], [], [], 0)[0]:
            try:
                chunk = self.client.socket.recv(1 << 16)
            except ConnectionResetError:
                chunk = b""
            received += chunk
            while self.busy and len(received) >= 5 and len(received) > int.from_bytes(received[1:5], "big"):
                self.messages.append(self.client.read())
                self.busy = self.messages[-1][0] != "ReadyForQuery"
            if not chunk:
                self.messages.append(("Closed",))
                self.busy = False
        return not self.busy

    def disconnect(self):
        self.client.close()
        self.busy, self.gone = False, True


class Observer:
    """A connection beside the sessions: reads tables, and asks who waits."""

    def __init__(self, server, may_ask: bool = True):
        self.server = server
        self.connection = server.connect()
        self.connection.prepare_threshold = None
        self.connection.execute(f"set statement_timeout = '{protocol.SECONDS_MAX}s'")
        self.can_ask = may_ask and self.blockers([self.connection.info.backend_pid]) is not None

    def blockers(self, pids) -> dict | None:
        """For each of the server's sessions that waits for locks, the sessions it waits for; None when the server cannot say."""
        wanted = ", ".join(str(pid) for pid in pids)
        try:
            found = self.connection.execute(f"select pid, pg_blocking_pids(pid) from pg_stat_activity where pid in ({wanted})").fetchall()
        except psycopg.Error:
            return None
        return {pid: set(others) for pid, others in found if others}

    def wait_until_gone(self, pid: int):
        """Where the server can be asked; elsewhere what needs the locks of the session waits until they are free."""
        deadline = time.monotonic() + protocol.SECONDS_MAX
        while self.can_ask and self.connection.execute(f"select 1 from pg_stat_activity where pid = {pid}").fetchall():
            assert time.monotonic() < deadline, f"session {pid} is still there"

    def close(self):
        self.connection.close()


def in_a_cycle(blockers: dict) -> bool:
    """Whether sessions wait for each other in a circle: a deadlock that the server is about to end."""
    for first in blockers:
        reached, edge = set(), set(blockers[first])
        while edge:
            reached |= edge
            edge = {other for pid in edge for other in blockers.get(pid, ())} - reached
        if first in reached:
            return True
    return False


def settle(sessions, observer: Observer, must_end, silence_ms: float, seconds_max: float):
    """Returns when each busy session has answered or waits for another one. `must_end` are those that cannot be waiting: their
    answers are awaited. Where the server cannot be asked, the others count as waiting after `silence_ms` without an answer."""
    deadline = time.monotonic() + seconds_max
    silent_until = time.monotonic() + silence_ms / 1000
    while True:
        busy = [session for session in sessions if not session.answered()]
        due = [session for session in busy if session in must_end]
        if not busy:
            return
        if not due and not observer.can_ask and time.monotonic() > silent_until:
            return
        if observer.can_ask:
            blockers = observer.blockers([session.pid for session in busy])
            if not due and all(session.pid in blockers for session in busy) and not in_a_cycle(blockers):
                if not any(session.answered() for session in busy):
                    return
        if time.monotonic() > deadline:
            raise StillWaits(", ".join(session.name for session in due or busy))
        select.select([session.client.socket for session in busy], [], [], 0.002)
