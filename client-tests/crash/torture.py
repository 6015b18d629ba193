#!/usr/bin/env -S build/venv/bin/python
"""Kills a working server again and again, and checks each time that what it acknowledged is there and nothing is there by half.

    client-tests/crash/torture.py --kills 200 --seed 7 [--transactional-ddl] [--keep DIR]

Clients transfer, insert, change, delete, define and load (workload.py); the server is killed at random moments and at failpoints
(base/failpoint.h), also while it recovers, with torn writes of pages and of the log among them. After each restart the rows of every
client must be those after one of its transactions: the last acknowledged one, one of those behind it that were acknowledged without
waiting for the disk, or the one that was under way. `gnomon verify` looks at every page whenever the server was stopped between.
The seed decides what is done to the server; threads decide the rest. A round that fails leaves its directory.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import threading
import time

import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import servers  # noqa: E402
from crash import workload  # noqa: E402

CLIENTS = 4
SECONDS_MAX = 120
KILLED = -9
# Where a server at work may be killed, and at which pass at most.
WORKING = {
    "wal.round_begun": 200, "wal.torn": 200, "wal.written": 200, "wal.synced": 200, "wal.segment_headed": 6, "wal.segment_named": 6,
    "wal.released": 4, "wal.recycled": 10, "pages.log_flushed": 20, "doublewrite.written": 20, "doublewrite.synced": 20, "doublewrite.torn": 20,
    "doublewrite.home_written": 20, "doublewrite.home_synced": 20, "checkpoint.pages_written": 6, "checkpoint.numbers_written": 6,
    "checkpoint.written": 6, "file.written": 15, "file.named": 15, "transaction.commit_logged": 300, "transaction.commit_stable": 300,
    "transaction.committed": 300, "rollback.undone": 300, "structure.changed": 400, "relations.set": 20, "relations.dropped": 6,
    "sequence.logging": 4, "sequence.logged": 4,
}  # fmt: skip
# The same for one that recovers.
RECOVERING = {
    "recovery.undone": 100, "recovery.redone": 1, "recovery.pages_evicted": 4, "recovery.undo_done": 1, "recovery.unowned_destroyed": 1,
    "doublewrite.repaired": 2, "wal.repaired": 3, "wal.released": 1, "wal.written": 4, "wal.torn": 4, "file.written": 6, "file.named": 6, "checkpoint.pages_written": 1,
    "checkpoint.numbers_written": 1, "checkpoint.written": 1, "doublewrite.torn": 4, "doublewrite.home_written": 4, "structure.changed": 10,
}  # fmt: skip


class CrashServer(servers.GnomonServer):
    """A server that may be told where to die."""

    failpoint = ""

    def process_options(self) -> dict:
        options = super().process_options()
        return options | {"env": options["env"] | ({"GNOMON_FAILPOINT": self.failpoint} if self.failpoint else {})}

    def launch(self, failpoint: str = ""):
        """Starts it and does not wait for anything."""
        self.failpoint = failpoint
        with open(self.log_path, "ab") as log:
            log.write(f"== start, failpoint {failpoint or 'none'}\n".encode())
            log.flush()
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.process_options())

    def wait_until_ready(self) -> bool:
        """False: it was killed before."""
        deadline = time.monotonic() + SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            try:
                psycopg.connect(self.dsn(), connect_timeout=5).close()
                return True
            except psycopg.OperationalError:
                time.sleep(0.02)
        raise Failure("the server does not answer")


class Failure(Exception):
    """Something that no crash excuses."""


def work_until_killed(server: CrashServer, workers: list[threading.Thread], stop: threading.Event, place: str, seconds: float):
    """Runs the workers until the server has died at its failpoint, or is killed after some time where there is none."""
    for worker in workers:
        worker.start()
    deadline = time.monotonic() + (SECONDS_MAX if place else seconds)
    while server.running() and time.monotonic() < deadline:
        time.sleep(0.005)
    if place and server.running():
        raise Failure(f"nobody came by {place}")
    if server.running():
        server.process.kill()
    stop.set()
    for worker in workers:
        worker.join(SECONDS_MAX)


def draw_failpoint(draw: random.Random, places: dict[str, int]) -> str:
    name = draw.choice(sorted(places))
    return f"{name}:{draw.randint(1, places[name])}"


class Torture:
    def __init__(self, seed: int, kills: int, transactional_definitions: bool = False, binary: str | None = None, say=print):
        self.seed, self.kills, self.say = seed, kills, say
        self.transactional_definitions = transactional_definitions
        self.binary = (servers.PROJECT / (binary or servers.binary_under_test())).resolve()
        self.draw = random.Random(seed)
        self.killed = self.killed_recovering = self.at_failpoints = self.verified = 0
        self.server = None
        self.clients = []

    def run(self):
        """Failure: raises, and the directory stays."""
        try:
            while self.killed < self.kills:
                if self.server is None or self.draw.random() < 0.05:
                    self.begin_directory()
                self.round()
            self.check(stops=True)
        except Exception as error:
            self.say(f"FAILED after {self.killed} kills: {error}")
            if self.server and self.server.running():
                self.server.kill()
            if self.server:
                self.say(f"directory and server log: {self.server.folder}")
            self.say(f"again: client-tests/crash/torture.py --seed {self.seed} --kills {self.kills}" + (" --transactional-ddl" if self.transactional_definitions else ""))
            raise
        self.server.remove()
        committed = sum(client.acknowledged for client in self.clients)
        self.say(f"{self.killed} kills, {self.killed_recovering} of them while recovering, {self.at_failpoints} at failpoints; {self.verified} times verified, "
                 f"{committed} transactions acknowledged in the last directory; all is well (seed {self.seed})")  # fmt: skip

    # One round

    def begin_directory(self):
        if self.server is not None:
            self.check(stops=True)
            self.server.remove()
        self.server = CrashServer(self.binary, workers=2, buffer_pool="16MB")
        self.segment_option = f"--wal-segment-size={self.draw.choice(['1MB', '1MB', '2MB', '16MB'])}"
        self.clients = [workload.Client(number, self.transactional_definitions) for number in range(CLIENTS)]
        # A directory that was killed in the making is made anew.
        while self.draw.random() < 0.4:
            self.choose_options()
            self.server.launch(draw_failpoint(self.draw, {"file.written": 6, "file.named": 6, "wal.written": 3, "structure.changed": 8, "relations.set": 6, "checkpoint.written": 2}))
            self.server.wait_until_ready()
            self.kill()
        self.choose_options()
        self.server.launch()
        if not self.server.wait_until_ready():
            raise Failure("a new directory could not be made")
        with self.server.connect() as connection:
            for statement in workload.SCHEMA:
                connection.execute(statement)

    def choose_options(self):
        self.server.buffer_pool = self.draw.choice(["16MB", "16MB", "64MB", "512MB"])
        self.server.more_options = [
            f"--max-wal-size={self.draw.choice(['4MB', '4MB', '8MB', '64MB'])}", f"--io-method={self.draw.choice(['auto', 'pread'])}", self.segment_option,
            f"--wal-sync-method={self.draw.choice(['fdatasync'] * 4 + ['fsync', 'open_datasync'])}", f"--wal-logs={self.draw.choice([1, 2, 16, 16])}",
        ]  # fmt: skip

    def round(self):
        """Work, a kill, kills of those that recover, a start, a check."""
        failpoint = draw_failpoint(self.draw, WORKING) if self.draw.random() < 0.6 else ""
        seconds = self.draw.choice([0.1, 0.5, 1, 1, 2]) * self.draw.random() + (3 if failpoint else 0)
        if failpoint:
            # The place is armed from the start, and recovery may pass it already.
            self.stop_or_kill()
            self.choose_options()
            self.server.launch(failpoint)
            if not self.server.wait_until_ready():
                self.kill()
                return self.come_back()
        self.work(seconds, is_at_failpoint=bool(failpoint))
        self.kill()
        self.come_back()

    def stop_or_kill(self):
        if self.draw.random() < 0.5:
            self.server.process.terminate()
            if self.server.process.wait(SECONDS_MAX) != 0:
                raise Failure(f"the server ended with {self.server.process.returncode}")
        else:
            self.kill()

    def come_back(self):
        while self.draw.random() < 0.35 and self.killed < self.kills:
            self.choose_options()
            failpoint = draw_failpoint(self.draw, RECOVERING) if self.draw.random() < 0.7 else ""
            self.server.launch(failpoint)
            if failpoint:
                is_up = self.server.wait_until_ready()
            else:
                time.sleep(self.draw.random() * 0.6)
                is_up = False
            self.kill()
            self.killed_recovering += not is_up
        self.choose_options()
        self.server.launch()
        if not self.server.wait_until_ready():
            raise Failure(f"the server did not come back and ended with {self.server.process.returncode}")
        self.check(stops=self.draw.random() < 0.5)

    def work(self, seconds: float, is_at_failpoint: bool):
        stop = threading.Event()
        threads = [threading.Thread(target=client.run, args=(self.server.dsn(), f"{self.seed}-{self.killed}-{client.number}", stop)) for client in self.clients]
        for thread in threads:
            thread.start()
        try:
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline and self.server.running():
                time.sleep(0.005)
            if is_at_failpoint and not self.server.running():
                self.at_failpoints += 1
        finally:
            if self.server.running():
                self.server.process.kill()
            stop.set()
            for thread in threads:
                thread.join(SECONDS_MAX)
        if any(thread.is_alive() for thread in threads):
            raise Failure("a client did not notice that its server is gone")
        problems = [client.problem for client in self.clients if client.problem]
        if problems:
            raise Failure("; ".join(problems))

    def kill(self):
        self.server.kill()
        code = self.server.process.returncode
        reports = self.server.sanitizer_reports()
        if code != KILLED or reports:
            raise Failure(f"the server ended by itself with {code}:\n{reports or self.server.log()[-4000:]}")
        self.killed += 1

    def check(self, stops: bool):
        """Of a server that is at rest; `stops`: also what `gnomon verify` says, and that a clean restart changes nothing."""
        problems = self.problems()
        if problems:
            raise Failure("; ".join(problems))
        if not stops:
            return
        self.server.process.terminate()
        if self.server.process.wait(SECONDS_MAX) != 0:
            raise Failure(f"the server ended with {self.server.process.returncode}:\n{self.server.log()[-4000:]}")
        verified = subprocess.run([str(self.binary), "verify", str(self.server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        if verified.returncode != 0:
            raise Failure(f"verify ended with {verified.returncode}:\n{verified.stdout[-2000:]}{verified.stderr[-2000:]}")
        self.verified += 1
        self.server.launch()
        if not self.server.wait_until_ready():
            raise Failure("the server does not start after a clean end")
        problems = self.problems()
        if problems:
            raise Failure("after a clean restart: " + "; ".join(problems))

    def problems(self) -> list[str]:
        problems = []
        with self.server.connect() as connection:
            for client in self.clients:
                wrong = client.history.settle(workload.found_state(connection, client))
                if wrong:
                    problems.append(f"client {client.number}: {wrong}")
            problems += workload.check_sums(connection)
            problems += workload.check_tickets(connection)
            if not problems:
                problems += workload.check_index_reads(connection, self.clients, self.draw)
        return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--transactional-ddl", action="store_true", help="definitions are also parts of larger transactions")
    parser.add_argument("--binary", help="in place of GNOMON_BINARY")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    torture = Torture(options.seed, options.kills, options.transactional_ddl, options.binary, lambda text: print(text, flush=True))
    began = time.monotonic()
    try:
        torture.run()
    except Failure:
        return 1
    print(f"{time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
