"""pgbench's TPC-B and select-only on Gnomon and PostgreSQL 15, in turns: simple protocol, prepared, and pipelined.

    benchmarks/pgbench/run                          scale 10; 1, 4 and 16 clients; synchronous_commit on and off; a table of ratios
    benchmarks/pgbench/run --seconds 20 --rounds 3
    benchmarks/pgbench/run --scripts select --protocols pipelined --clients 4

Both servers hold the same data and sync what they commit (unless synchronous_commit is off); while one is measured the other stands
still. The scripts are pgbench's own, in files (its built-in ones ask the system catalogs first), with a literal for
CURRENT_TIMESTAMP. Pipelined: a whole TPC-B transaction in one pipeline, a hundred selects in one pipeline, with prepared statements.
Bare: the same hundred selects from pipeline_client.c, which does as little as can be: pgbench takes more time for a select than the
servers do.

Beside transactions a second the table has the processor time of each server for one of them, user and system, all its threads or
processes: pgbench runs on the same cores, and where it is what takes the time, the rates say little of the servers.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "client-tests"), str(PROJECT / "benchmarks")]

import servers  # noqa: E402
from oltp.processes import alone, processor_seconds  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"
PGBENCH = str(servers.POSTGRES_BIN / "pgbench")
SELECTS_PER_PIPELINE = 100
TABLES = (
    "create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
    "create table pgbench_tellers (tid int not null, bid int, tbalance int, filler char(84))",
    "create table pgbench_accounts (aid int not null, bid int, abalance int, filler char(84))",
    "create table pgbench_branches (bid int not null, bbalance int, filler char(88))",
)
KEYS = (
    "alter table pgbench_branches add primary key (bid)", "alter table pgbench_tellers add primary key (tid)",
    "alter table pgbench_accounts add primary key (aid)",
)  # fmt: skip


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def fill(server, scale: int):
    with server.connect() as connection:
        for sql in TABLES:
            connection.execute(sql)
        rows = {
            "branches": ((n + 1, 0) for n in range(scale)),
            "tellers": ((n + 1, n // 10 + 1, 0) for n in range(10 * scale)),
            "accounts": ((n + 1, n // 100_000 + 1, 0) for n in range(100_000 * scale)),
        }
        columns = {"branches": "bid, bbalance", "tellers": "tid, bid, tbalance", "accounts": "aid, bid, abalance"}
        for table, values in rows.items():
            with connection.cursor().copy(f"copy pgbench_{table} ({columns[table]}, filler) from stdin") as copy:
                block = []
                for row in values:
                    block.append("\t".join(map(str, row)) + "\t\n")
                    if len(block) == 10_000:
                        copy.write("".join(block))
                        block.clear()
                copy.write("".join(block))
        for sql in KEYS:
            connection.execute(sql)
    if server.name == "postgresql":
        server.psql("-c", "vacuum analyze")


def pipelined_selects(folder: str) -> pathlib.Path:
    """The script with many selects in one pipeline."""
    numbers = range(SELECTS_PER_PIPELINE)
    lines = [f"\\set aid{n} random(1, 100000 * :scale)" for n in numbers]
    lines += ["\\startpipeline", *(f"SELECT abalance FROM pgbench_accounts WHERE aid = :aid{n};" for n in numbers), "\\endpipeline"]
    path = pathlib.Path(folder) / "select_pipelined.sql"
    path.write_text("\n".join(lines) + "\n")
    return path


def bare_client(folder: str) -> pathlib.Path:
    program = pathlib.Path(folder) / "pipeline_client"
    subprocess.run(["cc", "-O2", "-pthread", "-o", program, SCRIPTS.parent / "pipeline_client.c"], check=True)
    return program


def command(server, case: dict, options) -> tuple[list[str], int]:
    """Of the client, and how many selects make one of its transactions."""
    if case["protocol"] == "bare":
        numbers = (server.port, 100_000 * options.scale, case["clients"], options.seconds, SELECTS_PER_PIPELINE)
        return [str(options.bare_client), *map(str, numbers)], 1
    script = case["script"] + ("_pipelined" if case["protocol"] == "pipelined" else "")
    protocol = "prepared" if case["protocol"] == "pipelined" else case["protocol"]
    path = options.pipelined_selects if script == "select_pipelined" else SCRIPTS / f"{script}.sql"
    return [
        PGBENCH, "-n", "-h", server.host, "-p", str(server.port), "-U", "postgres", "-f", str(path), "-M", protocol,
        "-c", str(case["clients"]), "-j", str(min(case["clients"], 2)), "-T", str(options.seconds), "-D", f"scale={options.scale}", "postgres",
    ], SELECTS_PER_PIPELINE if script == "select_pipelined" else 1  # fmt: skip


def measured(server, case: dict, options) -> tuple[float, float]:
    """Transactions (selects) a second, and the server's processor time for one of them in microseconds."""
    client, each = command(server, case, options)
    before = processor_seconds(server)
    done = subprocess.run(client, capture_output=True, text=True, env=os.environ | {"PGOPTIONS": f"-c synchronous_commit={case['synchronous_commit']}"})
    rate = re.search(r"tps = ([0-9.]+)", done.stdout)
    count = re.search(r"(?:actually processed:|selects =) ([0-9]+)", done.stdout)
    if done.returncode != 0 or not rate or not count:
        raise RuntimeError(f"{' '.join(client)}\n{done.stdout}{done.stderr}{server.log()}")
    time.sleep(0.2)  # until the backends have ended
    spent = processor_seconds(server) - before
    return float(rate.group(1)) * each, spent / (int(count.group(1)) * each) * 1e6


def consistent(server) -> bool:
    """The sums of the balances and of the history are one."""
    with server.connect() as connection:
        sums = [connection.execute(f"select coalesce(sum({column}), 0) from pgbench_{table}").fetchone()[0]
                for column, table in (("abalance", "accounts"), ("tbalance", "tellers"), ("bbalance", "branches"), ("delta", "history"))]  # fmt: skip
    return len(set(map(int, sums))) == 1


def cases(options):
    for script in options.scripts:
        for protocol in options.protocols:
            if protocol == "bare" and script != "select":
                continue
            for synchronous_commit in options.synchronous_commit if script == "tpcb" else ["on"]:
                for clients in options.clients:
                    yield {"script": script, "protocol": protocol, "synchronous_commit": synchronous_commit, "clients": clients}


def described(case: dict) -> str:
    commit = f"commit {case['synchronous_commit']}" if case["script"] == "tpcb" else ""
    return f"{case['script']:<7} {case['protocol']:<10} {commit:<11} {case['clients']:>2}"


def measure(options) -> list[dict]:
    gnomon = servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=os.cpu_count(), buffer_pool="2GB")
    postgresql = servers.PostgresServer({"fsync": "on", "shared_buffers": "2GB", "autovacuum": "on", "max_wal_size": "1GB"})
    for server in (gnomon, postgresql):
        server.use_unix_socket()
    results = []
    try:
        for server in (gnomon, postgresql):
            server.start()
            fill(server, options.scale)
            say(f"{server.name} is filled")
        for case in cases(options):
            seen = {gnomon.name: [], postgresql.name: []}
            for turn in range(options.rounds):
                for server in (gnomon, postgresql) if turn % 2 == 0 else (postgresql, gnomon):
                    with alone(server, [gnomon, postgresql]):
                        seen[server.name].append(measured(server, case, options))
            medians = {name: [statistics.median(values) for values in zip(*runs)] for name, runs in seen.items()}
            results.append(case | {name: rate for name, (rate, _) in medians.items()} | {f"{name}_us": spent for name, (_, spent) in medians.items()})
            say(line(results[-1]))
        for server in (gnomon, postgresql):
            if not consistent(server):
                raise RuntimeError(f"{server.name}: the sums differ")
    finally:
        gnomon.remove()
        postgresql.remove()
    return results


def line(result: dict) -> str:
    ratio = result["gnomon"] / result["postgresql"]
    spent = result["postgresql_us"] / result["gnomon_us"]
    return (
        f"{described(result)}   {result['gnomon']:>10,.0f} {result['postgresql']:>10,.0f} {ratio:>7.2f}"
        f"   {result['gnomon_us']:>8.1f} {result['postgresql_us']:>8.1f} {spent:>7.2f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=10, help="pgbench's scale factor: 100,000 accounts each (10)")
    parser.add_argument("--seconds", type=int, default=5, help="of each run (5)")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each case and server, of which the median counts (1)")
    parser.add_argument("--clients", type=lambda text: [int(n) for n in text.split(",")], default=[1, 4, 16])
    parser.add_argument("--scripts", type=lambda text: text.split(","), default=["tpcb", "select"])
    parser.add_argument("--protocols", type=lambda text: text.split(","), default=["simple", "prepared", "pipelined", "bare"])
    parser.add_argument("--synchronous-commit", type=lambda text: text.split(","), default=["on", "off"])
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.pipelined_selects = pipelined_selects(folder)
        options.bare_client = bare_client(folder)
        results = measure(options)
    print(f"\ntransactions (selects) a second, scale {options.scale}, {options.seconds} s, median of {options.rounds}\n")
    print(f"{'':<33}   {'a second':>29}   {'processor microseconds each':>25}")
    print(f"{'script':<7} {'protocol':<10} {'':<11} {'clients':>2} {'gnomon':>8} {'postgresql':>10} {'ratio':>7}   {'gnomon':>8} {'postgr.':>8} {'ratio':>7}")
    for result in results:
        print(line(result))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
