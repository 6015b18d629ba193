"""What versions cost a load, and what a bulk transaction saves: table 2 of paper 1 (section 4.4).

    benchmarks/mvcc/bulk                                  TPC-H at scale 1, all parts
    benchmarks/mvcc/bulk --parts copy --gnomon build/release/gnomon /elsewhere/gnomon

process: lineitem from its file into a table, in one process without the server: without versions (tuples are appended as they are, for
everybody to see), by an ordinary and by a bulk transaction. bulk_benchmark.cc says more.
copy: the same by COPY from a client that sends the file in large blocks, by an ordinary and by a bulk transaction; with several binaries
all take turns, after a first load of each that does not count. Version memory is read by another session while the load runs, and when
all rows are in and the transaction has not ended.
update: ordinary transactions that change a column of every row, and two of every fifth order's rows; all binaries and
PostgreSQL 15 take turns, after a first one of each that does not count, and what they have changed is compared. Between two turns the versions go
and the pages are written: PostgreSQL vacuums, and all make a checkpoint.
limit: an update of every row of lineitem. How much version memory it takes is measured first; then the server gets a tenth of that as its
limit, and the same transaction is tried again, ordinary and bulk.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "client-tests"), str(PROJECT / "benchmarks")]

import psycopg  # noqa: E402

import servers  # noqa: E402
import tpch_tables  # noqa: E402
from oltp import processes  # noqa: E402

MIB = 1 << 20
BLOCK_BYTES = MIB
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
SAMPLING_SECONDS = 0.05
LIMIT_SHARE = 10
BEGIN = {"regular": "begin", "bulk": "begin bulk write"}
UPDATE = "update lineitem set l_quantity = l_quantity + 1"
UPDATES = {
    "every row": UPDATE,
    "every fifth order": "update lineitem set l_quantity = l_quantity + 1, l_linenumber = l_linenumber + 1 where l_orderkey % 5 = 0",
}


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def processor_seconds(process: int) -> float:
    """Of all its threads, those that the kernel runs for it included."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


class VersionMemory(threading.Thread):
    """The largest version memory that a session of its own sees until it is told to stop."""

    def __init__(self, server):
        super().__init__()
        self.server, self.largest, self.is_complete, self.stopping = server, 0, False, threading.Event()

    def sample(self, connection):
        self.largest = max(self.largest, int(connection.execute("select version_bytes from gnomon_transactions").fetchone()[0]))

    def run(self):
        with self.server.connect() as connection:
            while not self.stopping.wait(SAMPLING_SECONDS):
                self.sample(connection)
            # The transaction has done all it does, and has not ended.
            self.sample(connection)
            self.is_complete = True

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join()

    def finish(self):
        self.stopping.set()
        self.join()
        if not self.is_complete:
            raise RuntimeError("the version memory could not be read")


def execute(connection, statement: str):
    result = connection.exec_(statement.encode())
    if result.status not in (psycopg.pq.ExecStatus.COMMAND_OK, psycopg.pq.ExecStatus.TUPLES_OK, psycopg.pq.ExecStatus.COPY_IN):
        raise RuntimeError(f"{statement}: {result.error_message.decode()}")
    return result


def copy_in(connection, path: pathlib.Path) -> int:
    """Returns the number of rows."""
    execute(connection, "copy lineitem from stdin with (delimiter '|')")
    with open(path, "rb", buffering=0) as file:
        while block := file.read(BLOCK_BYTES):
            connection.put_copy_data(block)
    connection.put_copy_end()
    result = connection.get_result()
    if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
        raise RuntimeError(result.error_message.decode())
    while connection.get_result():
        pass
    return result.command_tuples


class System:
    """A server with an empty lineitem to load."""

    def __init__(self, name: str, binary: str, folder: pathlib.Path):
        self.name, self.path = name, folder / "lineitem.tbl"
        self.server = servers.GnomonServer((PROJECT / binary).resolve(), workers=os.cpu_count(), buffer_pool="4GB")
        self.schema = next(text for text in tpch_tables.SCHEMA.read_text().split(";") if "table lineitem" in text)

    def start(self):
        self.server.start()
        return self

    def load(self, way: str) -> dict:
        connection = self.server.raw_connect()
        for statement in ("drop table if exists lineitem", self.schema, "checkpoint", "set auto_bulk_rows = 0"):
            execute(connection, statement)
        processor = processor_seconds(self.server.process.pid)
        begin = time.monotonic()
        with VersionMemory(self.server) as memory:
            execute(connection, BEGIN[way])
            rows = copy_in(connection, self.path)
            memory.finish()
            execute(connection, "commit")
        seconds = time.monotonic() - begin
        processor = processor_seconds(self.server.process.pid) - processor
        connection.finish()
        say(f"{self.name} {way}: {seconds:.2f} s, {processor:.2f} CPU seconds")
        return {"rows": rows, "seconds": seconds, "processor": processor, "version_bytes": memory.largest}


def measure_process(options):
    subprocess.run(["cmake", "--preset", "release", "-DGNOMON_BENCHMARKS=ON"], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "bulk_benchmark"], cwd=PROJECT, check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        command = [PROJECT / "build/release/bulk_benchmark", f"{folder}/data", options.folder / "lineitem.tbl", str(options.runs)]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(f"\nin process\n\n{table}")


def measure_copy(options):
    systems = [System(name, name, options.folder) for name in options.gnomon]
    loads = {(system.name, way): [] for system in systems for way in BEGIN}
    try:
        for system in systems:
            system.start().load("bulk")
        for _ in range(options.runs):
            for way in BEGIN:
                for system in systems:
                    loads[system.name, way].append(system.load(way))
    finally:
        for system in systems:
            system.server.remove()
    print(f"\nCOPY, medians of {options.runs}; ratios to the first line\n")
    print(f"{'':<50} {'seconds':>8} {'rows/s':>10} {'ratio':>6} {'CPU s/M rows':>13} {'ratio':>6} {'version bytes':>14}")
    first = None
    for (name, way), runs in loads.items():
        seconds, processor = (statistics.median(run[what] for run in runs) for what in ("seconds", "processor"))
        first = first or (seconds, processor)
        rows = runs[0]["rows"]
        print(f"{name + ' ' + way:<50} {seconds:>8.2f} {rows / seconds:>10,.0f} {seconds / first[0]:>6.3f} {processor / rows * 1e6:>13.3f}"
              f" {processor / first[1]:>6.3f} {max(run['version_bytes'] for run in runs):>14,}")  # fmt: skip


def attempt(server, way: str, end: str) -> dict:
    """The update as one transaction; what it was refused with, if it was."""
    with server.connect() as connection:
        connection.execute("set auto_bulk_rows = 0")
        refused = None
        begin = time.monotonic()
        with VersionMemory(server) as memory:
            connection.execute(BEGIN[way])
            try:
                connection.execute(UPDATE)
            except psycopg.Error as error:
                refused = (error.sqlstate, error.diag.message_hint)
            memory.finish()
            connection.execute(end if refused is None else "rollback")
        return {"seconds": time.monotonic() - begin, "version_bytes": memory.largest, "refused": refused}


def total(server) -> tuple[int, int]:
    with server.connect() as connection:
        rows, quantity = connection.execute("select count(*), sum(l_quantity) from lineitem").fetchone()
        return int(rows), int(quantity)


def change(server, statement: str) -> dict:
    with server.connect() as connection:
        # PostgreSQL's old rows make room; the collector has had the time that this takes.
        if server.name == "postgresql":
            connection.execute("vacuum lineitem")
        connection.execute("checkpoint")
        time.sleep(1)
        if server.name != "postgresql":
            connection.execute("set auto_bulk_rows = 0")
        processor, begin = processes.processor_seconds(server), time.monotonic()
        rows = connection.execute(statement).rowcount
        return {"rows": rows, "seconds": time.monotonic() - begin, "processor": processes.processor_seconds(server) - processor}


def measure_update(options):
    postgresql = servers.PostgresServer({"shared_buffers": "4GB", "max_wal_size": "16GB", "fsync": "on", "synchronous_commit": "on"})
    systems = {name: System(name, name, options.folder) for name in options.gnomon}
    found = {name: system.server for name, system in systems.items()} | {postgresql.name: postgresql}
    changes = {(what, name): [] for what in UPDATES for name in found}
    try:
        for server in found.values():
            server.start()
            connection = server.raw_connect()
            execute(connection, next(iter(systems.values())).schema)
            copy_in(connection, options.folder / "lineitem.tbl")
            connection.finish()
        for run in range(options.runs + 1):
            for what, statement in UPDATES.items():
                for name, server in found.items():
                    result = change(server, statement)
                    if run > 0:
                        changes[what, name].append(result)
        sums = {name: server.connect().execute("select count(*), sum(l_quantity), sum(l_linenumber) from lineitem").fetchone() for name, server in found.items()}
        if len(set(sums.values())) != 1:
            raise RuntimeError(f"they have not changed the same: {sums}")
    finally:
        for server in found.values():
            server.remove()
    print(f"\nupdates, medians of {options.runs}; ratios to the first line of each\n")
    print(f"{'':<50} {'rows':>10} {'seconds':>8} {'ratio':>6} {'CPU us/row':>11} {'ratio':>6}")
    for what in UPDATES:
        first = None
        for name in found:
            runs = changes[what, name]
            rows = runs[0]["rows"]
            seconds, processor = (statistics.median(run[each] for run in runs) for each in ("seconds", "processor"))
            first = first or (seconds, processor)
            print(f"{what + ', ' + name:<50} {rows:>10,} {seconds:>8.3f} {seconds / first[0]:>6.2f} {processor / rows * 1e6:>11.2f}"
                  f" {processor / first[1]:>6.2f}")  # fmt: skip


def measure_limit(options):
    system = System(options.gnomon[0], options.gnomon[0], options.folder).start()
    server = system.server
    try:
        system.load("bulk")
        rows, quantity = total(server)
        alone = attempt(server, "regular", "rollback")
        limit = alone["version_bytes"] // LIMIT_SHARE // MIB
        if alone["refused"] or limit == 0 or total(server) != (rows, quantity):
            raise RuntimeError(f"the update cannot be measured: {alone}")
        server.stop()
        server.more_options = ["--version-memory-limit", f"{limit}MB"]
        server.start()
        found = {}
        for way, is_refused, expected in (("regular", True, quantity), ("bulk", False, quantity + rows)):
            found[way] = attempt(server, way, "commit")
            if (found[way]["refused"] is not None) != is_refused or total(server) != (rows, expected):
                raise RuntimeError(f"{way}: {found[way]}")
        if found["regular"]["refused"][0] != "53200" or "BULK WRITE" not in found["regular"]["refused"][1] or found["bulk"]["version_bytes"] != 0:
            raise RuntimeError(str(found))
        if server.stop() != 0:
            raise RuntimeError(server.log())
    finally:
        server.remove()
    print(f"\n{UPDATE}: {rows:,} rows\n")
    print(f"without a limit, regular   {alone['seconds']:>8.2f} s  {alone['version_bytes'] / MIB:>8,.1f} MiB of versions, rolled back")
    print(f"{limit:>6} MB, regular         {found['regular']['seconds']:>8.2f} s  {found['regular']['version_bytes'] / MIB:>8,.1f} MiB of versions, refused: {' '.join(found['regular']['refused'])}")
    print(f"{limit:>6} MB, bulk            {found['bulk']['seconds']:>8.2f} s  {found['bulk']['version_bytes'] / MIB:>8,.1f} MiB of versions, committed")


PARTS = {"process": measure_process, "copy": measure_copy, "update": measure_update, "limit": measure_limit}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--gnomon", nargs="+", default=["build/release/gnomon"], help="server binaries; the limit is the first one's")
    options = parser.parse_args()
    options.folder = PROJECT / "build" / "tpch" / f"scale-{options.scale:g}"
    if not (options.folder / "complete").exists():
        subprocess.run([str(PROJECT / "benchmarks/tpch/generate"), f"{options.scale:g}"], check=True, stdout=sys.stderr)
    for part in options.parts:
        PARTS[part](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
