"""Transaction benchmarks whose driver is a program of its own, on Gnomon and PostgreSQL 15 in turns.

Both servers are filled by the same driver and get the same calls in the same cases: numbers of clients, turn by turn, each standing still in
the other's turns.
A benchmark (tpcc/benchmark.py, tatp/benchmark.py) is a class with
    name, unit                  of the program NAME_benchmark in build/release, and what its size counts
    arguments(options)          of the driver, beside those that all have
    fill(server, options)       an empty server's tables, rows, keys and routines
    checks(server)              what is wrong with the data, as a list of texts
    contents(options)           queries whose rows must be the same on both servers after the same transactions of one client
    effects(server)             kinds of transactions that leave traces, and how many they have left
    expected                    the share, by kind, of those that find nothing or are refused, where the specification says it
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent

import servers  # noqa: E402: who imports this has put client-tests in the path

from oltp import report, steady  # noqa: E402
from oltp.processes import alone, crash, processor_seconds  # noqa: E402

SYSTEMS = ("gnomon", "postgresql", "before")
END_SECONDS = 0.2  # what the backends take to end


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def add_options(parser: argparse.ArgumentParser):
    parser.add_argument("--systems", type=lambda text: text.split(","), default=list(SYSTEMS[:2]), help="gnomon,postgresql; before: the binary of --before")
    parser.add_argument("--clients", type=numbers, default=[1, 4, 16])
    parser.add_argument("--pipeline", type=numbers, default=[1], help="transactions of each client on their way at a time (1)")
    parser.add_argument("--seconds", type=int, default=10, help="of each run (10)")
    parser.add_argument("--warmup", type=int, default=3, help="seconds before them (3)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each case and server, of which the median counts (3)")
    parser.add_argument("--synchronous-commit", choices=("on", "off"), default="off", help="off, as in paper 1")
    parser.add_argument("--isolation", choices=("read committed", "repeatable read", "serializable"), default="repeatable read", help="repeatable read, as in paper 1")
    parser.add_argument("--transport", choices=("unix", "tcp"), default="unix", help="how the driver comes to both: by a Unix socket, as libpq does on one machine, or by 127.0.0.1 (unix)")
    parser.add_argument("--pool", default="4GB", help="shared_buffers and Gnomon's pool (4GB)")
    parser.add_argument("--max-wal-size", default="4GB", help="of both (4GB)")
    parser.add_argument("--verify", type=int, default=2000, help="transactions of one client after which both servers must have the same rows; 0: none (2000)")
    parser.add_argument("--kill", type=int, default=0, metavar="TIMES", help="instead of measuring: SIGKILL amid the work, restart, checks")
    parser.add_argument("--steady", type=int, default=0, metavar="SECONDS", help="instead of measuring: one run of so long, in intervals of --seconds, with memory and disk")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--before", help="another version of the server binary, to be compared with: --systems gnomon,before --rounds 10 --seconds 2")
    parser.add_argument("--driver", type=pathlib.Path, help="the driver's program; it is built in build/release if this is not given")
    parser.add_argument("--out", type=pathlib.Path, help="of OUT.md, OUT.json and OUT.png (build/NAME/results)")


def new_server(name: str, options):
    if name == "postgresql":
        settings = {"fsync": "on", "shared_buffers": options.pool, "autovacuum": "on", "max_wal_size": options.max_wal_size, "wal_compression": "off"}
        server = servers.PostgresServer(settings)
    else:
        binary = options.before if name == "before" else options.gnomon
        server = servers.GnomonServer((PROJECT / binary).resolve(), workers=os.cpu_count(), buffer_pool=options.pool)
        server.name = name
        server.more_options = [f"--max-wal-size={options.max_wal_size}"]
    if options.transport == "unix":
        server.use_unix_socket()
    return server


def built_driver(name: str) -> pathlib.Path:
    subprocess.run(["cmake", "--preset", "release", "-DGNOMON_BENCHMARKS=ON"], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", f"{name}_benchmark"], cwd=PROJECT, check=True, stdout=sys.stderr)
    return PROJECT / "build/release" / f"{name}_benchmark"


def run_sql(server, text: str):
    done = server.psql("-q", input=text)
    if done.returncode != 0:
        raise RuntimeError(f"{server.name}: {done.stderr}{server.log()}")


def load(server, options, *arguments: str):
    """The driver's COPYs."""
    subprocess.run([options.driver, "load", "--conninfo", server.dsn(), *arguments], check=True)


def settle(server):
    """After a load: statistics, and nothing left to write."""
    if server.name == "postgresql":
        server.psql("-c", "vacuum analyze")
    with server.connect() as connection:
        connection.execute("checkpoint")


def run_command(benchmark, server, options, clients: int, seed: int, *more: str) -> list[str]:
    return [
        str(options.driver), "run", "--conninfo", server.dsn(), "--clients", str(clients), "--seed", str(seed), "--isolation", options.isolation,
        "--synchronous-commit", options.synchronous_commit, *benchmark.arguments(options), *more,
    ]  # fmt: skip


def driven(server, command: list[str]) -> dict:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{server.name}: {' '.join(command)}\n{done.stderr}{server.log()}")
    return json.loads(done.stdout)


def measured(benchmark, server, case: dict, seed: int, options) -> dict:
    """What the driver says, with transactions a second and the server's processor time for one in microseconds."""
    before = processor_seconds(server)
    more = ("--pipeline", str(case["pipeline"]), "--seconds", str(options.seconds), "--warmup", str(options.warmup))
    run = driven(server, run_command(benchmark, server, options, case["clients"], seed, *more))
    time.sleep(END_SECONDS)
    spent = processor_seconds(server) - before
    kinds = run["transactions"].values()
    run["rate"] = sum(kind["committed"] + kind["refused"] for kind in kinds) / run["seconds"]
    run["server_us"] = spent / max(1, sum(kind["acknowledged"] for kind in kinds)) * 1e6
    run["driver_share"] = run["driver_seconds"] / run["seconds"] / os.cpu_count()
    return run


def failed_share(kind: dict) -> float:
    return (kind["fruitless"] + kind["refused"]) / max(1, kind["committed"] + kind["refused"])


def check(benchmark, server):
    wrong = benchmark.checks(server)
    if wrong:
        raise RuntimeError(f"{server.name}:\n" + "\n".join(wrong))


def digest(server, query: str) -> str:
    found = hashlib.sha256()
    with server.connect() as connection, connection.cursor().copy(f"copy ({query}) to stdout") as copy:
        for block in copy:
            found.update(block)
    return found.hexdigest()


def verify(benchmark, both: list, options):
    """The same transactions of one client must have the same answers and leave the same rows."""
    answers = []
    for server in both:
        run = driven(server, run_command(benchmark, server, options, 1, options.seed + 10**6, "--transactions", str(options.verify)))
        answers.append({kind: {what: counts[what] for what in ("committed", "fruitless", "refused", "digest")} for kind, counts in run["transactions"].items()})
        check(benchmark, server)
    if answers[0] != answers[-1]:
        differing = {kind: [each[kind] for each in answers] for kind in answers[0] if answers[0][kind] != answers[-1][kind]}
        raise RuntimeError(f"the answers differ: {json.dumps(differing, indent=1)}")
    for table, query in benchmark.contents(options).items():
        if len({digest(server, query) for server in both}) != 1:
            raise RuntimeError(f"after {options.verify} transactions the servers differ: {query}")
    say(f"after {options.verify} transactions of one client: {', '.join(server.name for server in both)} are consistent" + (", and the same" if len(both) > 1 else ""))


def measure(benchmark, both: list, options) -> list[dict]:
    results = []
    for pipeline in options.pipeline:
        for clients in options.clients:
            case = {"clients": clients, "pipeline": pipeline}
            runs = {server.name: [] for server in both}
            for turn in range(options.rounds):
                seed = options.seed + 1000 * (1 + turn + options.rounds * len(results))
                for server in both if turn % 2 == 0 else reversed(both):
                    with alone(server, both):
                        runs[server.name].append(measured(benchmark, server, case, seed, options))
                        check(benchmark, server)
            medians = {name: statistics.median_low(run["rate"] for run in each) for name, each in runs.items()}
            results.append(case | {
                "rates": {name: [run["rate"] for run in each] for name, each in runs.items()},
                "runs": {name: next(run for run in each if run["rate"] == medians[name]) for name, each in runs.items()},
            })  # fmt: skip
            say(report.line(results[-1]))
    return results


def count_failures(benchmark, results: list[dict]):
    """A share of failures that is not the specification's means that inputs or data are not."""
    for result in results:
        for name, run in result["runs"].items():
            for kind, (expected, tolerance) in benchmark.expected.items():
                counts = run["transactions"][kind]
                if counts["committed"] + counts["refused"] >= 1000 and abs(failed_share(counts) - expected) > tolerance:
                    raise RuntimeError(f"{name}, {result['clients']} clients: {failed_share(counts):.3f} of {kind} failed instead of {expected}")


def kill(benchmark, server, options, seed: int):
    """What was acknowledged is there after the restart, and nothing that was not sent; with commits that do not wait only the latter."""
    before = benchmark.effects(server)
    command = run_command(benchmark, server, options, max(options.clients), seed, "--pipeline", str(max(options.pipeline)),
                          "--seconds", str(10 * options.seconds), "--may-lose-server")  # fmt: skip
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(random.Random(seed).uniform(0.3, 1) * options.seconds)
    crash(server)
    output, errors = driver.communicate()
    if driver.returncode != 0:
        raise RuntimeError(f"{server.name}: {errors}")
    run = json.loads(output)
    if not run["lost"]:
        raise RuntimeError(f"{server.name}: the run was over before the server was killed")
    begun = time.monotonic()
    server.start()
    seconds = time.monotonic() - begun
    check(benchmark, server)
    after = benchmark.effects(server)
    for kind, count in after.items():
        ledger = run["transactions"][kind]
        least = ledger["acknowledged"] if options.synchronous_commit == "on" else 0
        if not least <= count - before[kind] <= ledger["acknowledged"] + ledger["open"]:
            raise RuntimeError(f"{server.name}: {count - before[kind]} of {kind} are there, {ledger['acknowledged']} were acknowledged, {ledger['open']} open")
    total = sum(counts["acknowledged"] for counts in run["transactions"].values())
    say(f"{server.name}: killed after {total:,} transactions, back after {seconds:.1f} s, consistent")


def main(benchmark, parser: argparse.ArgumentParser) -> int:
    options = parser.parse_args()
    if not set(options.systems) <= set(SYSTEMS):
        parser.error(f"systems are {', '.join(SYSTEMS)}")
    if "before" in options.systems and not options.before:
        parser.error("--before says which binary")
    options.driver = options.driver.resolve() if options.driver else built_driver(benchmark.name)
    both = [new_server(name, options) for name in options.systems]
    results, by_server = [], {}
    try:
        for server in both:
            server.start()
            begun = time.monotonic()
            benchmark.fill(server, options)
            say(f"{server.name} is filled, {time.monotonic() - begun:.1f} s")
            settle(server)
            check(benchmark, server)
        if options.verify > 0:
            verify(benchmark, both, options)
        for turn in range(options.kill):
            for server in both:
                kill(benchmark, server, options, options.seed + 1000 * (turn + 1))
        for server in both if options.steady else []:
            by_server[server.name] = steady.run(measured, benchmark, server, options)
            check(benchmark, server)
        if options.kill == 0 and options.steady == 0:
            results = measure(benchmark, both, options)
            count_failures(benchmark, results)
        for server in both:
            server.stop()
    finally:
        for server in both:
            server.remove()
    title = f"{benchmark.title(options)}, {options.isolation}, synchronous_commit {options.synchronous_commit}, {options.seconds} s"
    out = options.out or PROJECT / "build" / benchmark.name / "results"
    if by_server:
        clients = f"{options.clients[0]} clients, {options.pipeline[0]} in a pipeline, pool {options.pool}"
        steady.write(by_server, f"{title}, {clients}", next(iter(benchmark.expected)), out)
    if results:
        report.write(results, f"{title}, median of {options.rounds}", out)
    return 0
