"""Time from the start of a crashed server to its first answer, Gnomon and PostgreSQL 15 in turns, after the same work.

    benchmarks/recovery/run                              loads and updates until PostgreSQL has 2 GB of log; a table of ratios
    benchmarks/recovery/run --log-gb 0.2                 quick
    benchmarks/recovery/run --work updates --rounds 5 --pool 512MB

PostgreSQL works first, in slices, until it has written so much log since its last checkpoint; Gnomon then does the same slices. Neither
takes a checkpoint meanwhile. A commit that waits for the disk ends the work, then the server gets SIGKILL. Its directory is kept, and
each start is on a copy: the server starts, and the clock stops when a row of the table has been read. The sums of what is there are
compared after every start, with those before the crash and between the two.

loads: COPY of 200,000 rows into a table with a primary key, each COPY a transaction, after which every hundredth row of the COPY before
is deleted. updates: transactions of eight updates of single rows, an insert and a delete, through pgbench with four clients; commits do
not wait for the disk, which makes them quick and the log no other.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "client-tests"), str(PROJECT / "benchmarks")]

import psycopg  # noqa: E402
import servers  # noqa: E402
from oltp.processes import crash  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parent / "updates.sql"
GIB = 1 << 30
ANSWER_SECONDS_MAX = 1800
# No checkpoint comes while the log is made.
NEVER = {"max_wal_size": "200GB", "checkpoint_timeout": "1d"}


def say(text: str):
    print(text, file=sys.stderr, flush=True)


class Loads:
    """COPY after COPY."""

    name = "loads"
    rows_per_slice = 200_000
    schema = ("create table items (id bigint primary key, part integer not null, price numeric(10,2) not null, shipped date not null, note varchar(100) not null)",)
    first_query = "select price from items where id = 1"
    sums = ("select count(*), sum(id), sum(part), sum(price), min(shipped), max(note) from items",)

    def fill(self, server, options):
        pass

    def do(self, server, number: int, options):
        first = number * self.rows_per_slice
        days = [f"199{n % 8}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(336)]
        with server.connect() as connection:
            with connection.cursor().copy("copy items from stdin") as copy:
                for begin in range(first, first + self.rows_per_slice, 10_000):
                    copy.write("".join(f"{n}\t{n * 7919 % 200_003}\t{n * 31 % 100_000}.{n % 100:02}\t{days[n % 336]}\titem {n} of a load, deliver with care\n" for n in range(begin, begin + 10_000)))  # fmt: skip
            if number > 0:
                connection.execute(f"delete from items where id >= {first - self.rows_per_slice} and id < {first} and id % 100 = 7")


class Updates:
    """Many small transactions."""

    name = "updates"
    clients = 4
    transactions_per_slice = 5_000  # of each client
    schema = (
        "create table accounts (id bigint primary key, balance bigint not null, filler varchar(84) not null)",
        "create table events (id bigint primary key, account bigint not null, delta integer not null, note varchar(84) not null)",
    )
    first_query = "select balance from accounts where id = 1"
    sums = ("select count(*), sum(id), sum(balance), sum(id * (balance % 1000)) from accounts", "select count(*), sum(id), sum(account), sum(delta) from events")

    def fill(self, server, options):
        filler = "x" * 80
        with server.connect() as connection, connection.cursor().copy("copy accounts from stdin") as copy:
            for begin in range(1, options.rows + 1, 10_000):
                copy.write("".join(f"{n}\t0\t{filler}\n" for n in range(begin, min(begin + 10_000, options.rows + 1))))

    def do(self, server, number: int, options):
        command = [
            str(servers.POSTGRES_BIN / "pgbench"), "-n", "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", "-f", str(SCRIPT), "-M", "prepared",
            "-c", str(self.clients), "-j", "2", "-t", str(self.transactions_per_slice), f"--random-seed={number + 1}", "-D", "n=0",
            "-D", f"slice={number}", "-D", f"rows_per_client={options.rows // self.clients}", "postgres",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PGOPTIONS": "-c synchronous_commit=off"})
        wanted = self.clients * self.transactions_per_slice
        if done.returncode != 0 or f"transactions actually processed: {wanted}/{wanted}" not in done.stdout:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}{server.log()}")


def new_servers(options):
    gnomon = servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=os.cpu_count(), buffer_pool=options.pool)
    gnomon.more_options = [f"--max-wal-size={NEVER['max_wal_size']}"]
    postgresql = servers.PostgresServer({"fsync": "on", "shared_buffers": options.pool, "log_min_messages": "log"} | NEVER)
    return gnomon, postgresql


def log_bytes(server) -> int:
    """Since the directory was made."""
    with server.connect() as connection:
        if server.name == "postgresql":
            return int(connection.execute("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')").fetchone()[0])
        return int(connection.execute("select appended_bytes from gnomon_wal where log is null").fetchone()[0])


def found_sums(server, work) -> list:
    with server.connect() as connection:
        return [connection.execute(query).fetchone() for query in work.sums]


def produce(server, work, options, slices: int | None) -> tuple[int, int, list]:
    """Does the work and kills the server. How many slices, bytes of log, and the sums."""
    server.start()
    with server.connect() as connection:
        for statement in work.schema:
            connection.execute(statement)
        connection.execute("create table ends (at integer)")
    work.fill(server, options)
    with server.connect() as connection:
        if server.name == "postgresql":
            connection.execute("vacuum analyze")
        connection.execute("checkpoint")
    before = log_bytes(server)
    done = 0
    while done < slices if slices is not None else log_bytes(server) - before < options.log_gb * GIB:
        work.do(server, done, options)
        done += 1
    sums = found_sums(server, work)
    written = log_bytes(server) - before
    with server.connect() as connection:
        connection.execute("insert into ends values (1)")
    crash(server)
    os.rename(server.data, server.folder / "crashed")
    say(f"{server.name}: {done} slices of {work.name}, {written / GIB:.2f} GiB of log")
    return done, written, sums


def takes_connections(server) -> bool:
    """PostgreSQL starts a process for each connection that it refuses; its pid file says when it will not. Gnomon lets them wait."""
    if server.name != "postgresql":
        return True
    pid_file = server.data / "postmaster.pid"
    lines = pid_file.read_text().split("\n") if pid_file.exists() else []
    return len(lines) > 7 and lines[0] == str(server.process.pid) and lines[7].strip() == "ready"


def restart(server, work) -> float:
    """Seconds to the first answer, on a copy of the crashed directory."""
    shutil.rmtree(server.data, ignore_errors=True)
    subprocess.run(["cp", "-a", server.folder / "crashed", server.data], check=True)
    subprocess.run(["sync", "-f", server.data], check=True)
    open(server.log_path, "wb").close()
    with open(server.log_path, "ab") as log:
        started = time.perf_counter()
        server.process = subprocess.Popen(server.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=server.folder, **server.process_options())
    while True:
        if not takes_connections(server):
            if server.process.poll() is not None or time.perf_counter() - started > ANSWER_SECONDS_MAX:
                raise RuntimeError(f"{server.name} does not come back:\n{server.log()}")
            time.sleep(0.005)
            continue
        try:
            with psycopg.connect(server.dsn(), connect_timeout=ANSWER_SECONDS_MAX) as connection:
                if connection.execute(work.first_query).fetchone() is None:
                    raise RuntimeError(f"{server.name}: the first row is missing")
            return time.perf_counter() - started
        except psycopg.OperationalError as error:
            if server.process.poll() is not None or time.perf_counter() - started > ANSWER_SECONDS_MAX:
                raise RuntimeError(f"{server.name} does not come back:\n{server.log()}") from error
            time.sleep(0.005)


def own_words(server) -> list[str]:
    """What the server's log says of its recovery."""
    return [line.split("LOG:")[-1].strip() for line in server.log().splitlines() if re.search(r"redo |recovery|undo |checkpoint complete", line)]


def measure(work, options) -> dict:
    gnomon, postgresql = new_servers(options)
    try:
        slices, postgresql_bytes, expected = produce(postgresql, work, options, None)
        _, gnomon_bytes, sums = produce(gnomon, work, options, slices)
        if sums != expected:
            raise RuntimeError(f"the servers differ before the crash: {sums}, {expected}")
        seconds = {gnomon.name: [], postgresql.name: []}
        for turn in range(options.rounds):
            for server in (gnomon, postgresql) if turn % 2 == 0 else (postgresql, gnomon):
                seconds[server.name].append(restart(server, work))
                found = found_sums(server, work)
                if found != expected:
                    raise RuntimeError(f"{server.name}: {found} after the crash, {expected} before")
                say(f"  {server.name}: {seconds[server.name][-1]:.2f} s")
                for words in own_words(server):
                    say(f"      {words}")
                crash(server)
    finally:
        for server in (gnomon, postgresql):
            if not options.keep:
                server.remove()
            else:
                say(f"{server.name}: {server.folder}")
    return {"work": work.name, "slices": slices, "log_bytes": {"gnomon": gnomon_bytes, "postgresql": postgresql_bytes}, "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log-gb", type=float, default=2, help="of PostgreSQL's log, in GiB (2)")
    parser.add_argument("--work", type=lambda text: text.split(","), default=["loads", "updates"])
    parser.add_argument("--rounds", type=int, default=3, help="starts of each server, of which the median counts (3)")
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the table that is updated (2,000,000)")
    parser.add_argument("--pool", default="4GB", help="buffer pool and shared_buffers (4GB)")
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--keep", action="store_true", help="leave the directories")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all figures")
    options = parser.parse_args()
    kinds = {kind.name: kind for kind in (Loads, Updates)}
    results = [measure(kinds[name](), options) for name in options.work]
    print(f"\nseconds from start to first answer, after SIGKILL; medians of {options.rounds}, pools of {options.pool}\n")
    print(f"{'work':<8} {'log, GiB: gnomon':>16} {'postgresql':>10} {'gnomon s':>10} {'postgresql s':>13} {'ratio':>7}")
    for result in results:
        gnomon, postgresql = (statistics.median(result["seconds"][name]) for name in ("gnomon", "postgresql"))
        sizes = [result["log_bytes"][name] / GIB for name in ("gnomon", "postgresql")]
        print(f"{result['work']:<8} {sizes[0]:>16.2f} {sizes[1]:>10.2f} {gnomon:>10.2f} {postgresql:>13.2f} {postgresql / gnomon:>7.2f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
