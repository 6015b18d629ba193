"""Loads the same TPC-H data into Gnomon, PostgreSQL 15, DuckDB and HyPer and measures the 22 queries, COPY and compile latency.

    benchmarks/tpch/run                      scale 1, all of them, a table and build/tpch/results-scale-1.json
    benchmarks/tpch/run --scale 10 --runs 3
    benchmarks/tpch/run --systems gnomon --modes auto,llvm,vm

The systems run one after another and each is ended before the next is started. Each run of a query is a new text (a comment
changes), so that every system parses and plans it again and no cache of plans helps; --cached sends the same text each time.
A time is what the client sees: from sending the text to having all rows. README.md says what is set and why.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import statistics
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import duckdb  # noqa: E402

import comparison  # noqa: E402
import servers  # noqa: E402
import tpch_tables  # noqa: E402

QUERIES: tuple[int, ...] = ()  # those of the folder --queries
LATENCY_QUERIES = (1, 9)
LATENCY_MODES = ("vm", "llvm")
LATENCY_RUNS = 20
POSTGRES_SETTINGS = {
    "shared_buffers": "8GB", "work_mem": "256MB", "maintenance_work_mem": "1GB", "effective_cache_size": "12GB",
    "max_parallel_workers_per_gather": "2", "max_parallel_workers": "8", "max_worker_processes": "8", "max_wal_size": "16GB",
    "checkpoint_timeout": "30min", "fsync": "on", "random_page_cost": "1.1",
}  # fmt: skip


def say(text: str):
    print(text, file=sys.stderr, flush=True)


class Times:
    """The seconds of several runs of one thing."""

    def __init__(self, seconds):
        self.seconds = seconds

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def as_json(self) -> dict:
        return {"best_s": self.best, "median_s": self.median, "runs_s": self.seconds}


NUMBERS = itertools.count(1)


def query_body(query: int) -> str:
    return tpch_tables.query_text(query).rstrip().rstrip(";")


def new_text(query: int) -> str:
    """The query as a text no server has seen before."""
    return f"/* run {next(NUMBERS)} */ {query_body(query)}"


def timed_queries(options, run) -> dict[int, Times]:
    """A warm-up and then the runs of each query; run(text) sends it and takes all rows."""
    text_of = query_body if options.cached else new_text
    times = {}
    for query in QUERIES:
        run(text_of(query))
        seconds = []
        for _ in range(options.runs):
            text = text_of(query)
            started = time.perf_counter()
            run(text)
            seconds.append(time.perf_counter() - started)
        times[query] = Times(seconds)
        say(f"  query {query}: {times[query].best * 1000:.1f} ms")
    return times


def asker(connection):
    """A function that runs a text on a raw libpq connection and returns the answer; an error ends the benchmark."""

    def run(text: str) -> comparison.Answer:
        answer = comparison.run(connection, text)
        if answer.sqlstate:
            raise RuntimeError(f"{answer.describe()}\n{text}")
        return answer

    return run


def timed_copies(options, server, folder: pathlib.Path) -> Times:
    """lineitem through psql's \\copy into an empty table, psql's own start included."""
    define = tpch_tables.SCHEMA.read_text().split("create table lineitem")[1].split(";")[0]
    seconds = []
    for _ in range(options.copies):
        made = server.psql("-qc", f"create table lineitem_copied {define}")
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        if not getattr(server, "is_gnomon", False):
            server.psql("-qc", "checkpoint")
        started = time.perf_counter()
        done = server.psql("-qc", f"\\copy lineitem_copied from '{folder}/lineitem.tbl' with (delimiter '|')", timeout=36_000)
        seconds.append(time.perf_counter() - started)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        server.psql("-qc", "drop table lineitem_copied")
        say(f"  copy of lineitem: {seconds[-1]:.1f} s")
    return Times(seconds)


def compile_latencies(server) -> dict:
    """Microseconds from SQL text to the first morsel, as the session's last_statement_compile_us says after each query."""
    found = {}
    for mode in LATENCY_MODES:
        connection = server.raw_connect()
        server.set_mode(connection, mode)
        run = asker(connection)
        for query in LATENCY_QUERIES:
            microseconds = []
            for _ in range(LATENCY_RUNS):
                run(new_text(query))
                microseconds.append(int(run("show last_statement_compile_us").rows[0][0]))
            found[f"query {query}, {mode}"] = {"best_us": min(microseconds), "median_us": statistics.median(microseconds)}
        connection.finish()
    return found


def load_server(server, folder: pathlib.Path, leaf_size: str | None = None) -> float:
    started = time.perf_counter()
    tpch_tables.load(server, folder, leaf_size)
    seconds = time.perf_counter() - started
    say(f"  loaded in {seconds:.1f} s")
    return seconds


def measure_gnomon(options, folder) -> dict:
    server = servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=options.threads, buffer_pool=options.buffer_pool)
    say("gnomon")
    try:
        server.start()
        result = {"copy": timed_copies(options, server, folder), "load_s": load_server(server, folder, options.leaf_size), "modes": {}}
        for mode in options.modes.split(","):
            say(f"  {mode} mode")
            connection = server.raw_connect()
            server.set_mode(connection, mode)
            result["modes"][mode] = timed_queries(options, asker(connection))
            connection.finish()
        result["queries"] = next(iter(result["modes"].values()))
        result["latency"] = compile_latencies(server)
        connection = server.raw_connect()
        result["answers"] = {query: asker(connection)(tpch_tables.query_text(query)) for query in QUERIES}
        connection.finish()
        if server.stop() != 0:
            raise RuntimeError(server.log())
        return result
    finally:
        server.remove()


def measure_postgresql(options, folder) -> dict:
    server = servers.PostgresServer(POSTGRES_SETTINGS)
    server.after_load = ("vacuum analyze;",)
    say("postgresql")
    try:
        server.start()
        result = {"copy": timed_copies(options, server, folder), "load_s": load_server(server, folder)}
        tpch_tables.add_indexes(server)
        connection = server.raw_connect()
        asker(connection)("checkpoint")
        result["queries"] = timed_queries(options, asker(connection))
        result["answers"] = {query: asker(connection)(tpch_tables.query_text(query)) for query in QUERIES}
        connection.finish()
        server.stop()
        return result
    finally:
        server.remove()


def measure_duckdb(options, folder) -> dict:
    say("duckdb")
    file = servers.test_folder("duckdb") / "tpch.duckdb"
    connection = duckdb.connect(str(file), config={"threads": options.threads})
    try:
        started = time.perf_counter()
        for statement in tpch_tables.SCHEMA.read_text().split(";"):
            if statement.strip():
                connection.execute(statement)
        for table in tpch_tables.TABLES:
            connection.execute(f"copy {table} from '{folder}/{table}.tbl' (delimiter '|', header false)")
        seconds = time.perf_counter() - started
        say(f"  loaded in {seconds:.1f} s")
        queries = timed_queries(options, lambda text: connection.execute(text).fetchall())
        return {"queries": queries, "load_s": seconds}
    finally:
        connection.close()
        file.unlink(missing_ok=True)
        file.parent.rmdir()


def measure_hyper(options, folder) -> dict:
    import tableauhyperapi as hyper  # not among the tests' packages: build/venv/bin/pip install tableauhyperapi

    say("hyper")
    file = servers.test_folder("hyper") / "tpch.hyper"
    # No log file; the number of threads is that of the processors.
    parameters = {"log_config": ""}
    try:
        with hyper.HyperProcess(hyper.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters=parameters) as process:
            with hyper.Connection(process.endpoint, file, hyper.CreateMode.CREATE) as connection:
                started = time.perf_counter()
                for statement in tpch_tables.SCHEMA.read_text().split(";"):
                    if statement.strip():
                        connection.execute_command(statement)
                for table in tpch_tables.TABLES:
                    connection.execute_command(f"copy {table} from '{folder}/{table}.tbl' with (format csv, delimiter '|')")
                seconds = time.perf_counter() - started
                say(f"  loaded in {seconds:.1f} s")
                return {"queries": timed_queries(options, connection.execute_list_query), "load_s": seconds}
    finally:
        file.unlink(missing_ok=True)
        file.parent.rmdir()


MEASURES = {"gnomon": measure_gnomon, "postgresql": measure_postgresql, "duckdb": measure_duckdb, "hyper": measure_hyper}


def processor() -> str:
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown processor")


def geometric_mean(numbers) -> float:
    return math.exp(statistics.fmean(math.log(number) for number in numbers))


def ratios(results, other: str, which: str) -> dict[int, float]:
    """How many times as long the other system took, per query."""
    mine, theirs = results["gnomon"]["queries"], results[other]["queries"]
    return {query: getattr(theirs[query], which) / getattr(mine[query], which) for query in QUERIES}


def print_queries(results, which: str):
    systems = [name for name in MEASURES if name in results]
    compared = [name for name in systems if name != "gnomon"] if "gnomon" in results else []
    columns = [f"{name} ms" for name in systems] + [f"{name}/gnomon" for name in compared]
    print(f"query {' '.join(f'{column:>18}' for column in columns)}")
    found = {name: ratios(results, name, which) for name in compared}
    for query in QUERIES:
        cells = [f"{getattr(results[name]['queries'][query], which) * 1000:.1f}" for name in systems]
        cells += [f"{found[name][query]:.2f}" for name in compared]
        print(f"{query:5} {' '.join(f'{cell:>18}' for cell in cells)}")
    cells = [f"{geometric_mean([getattr(results[name]['queries'][q], which) for q in QUERIES]) * 1000:.1f}" for name in systems]
    cells += [f"{geometric_mean(found[name].values()):.2f}" for name in compared]
    print(f"{'mean':>5} {' '.join(f'{cell:>18}' for cell in cells)}   (geometric; {which} of the runs)")
    for name in compared:
        mean = geometric_mean(found[name].values())
        print(f"gnomon takes {1 / mean:.2f} times {name}'s time, {name} {mean:.2f} times gnomon's")


def print_modes(results):
    modes = results.get("gnomon", {}).get("modes", {})
    if len(modes) < 2:
        return
    print(f"\nquery {' '.join(f'{mode} ms'.rjust(12) for mode in modes)}")
    for query in QUERIES:
        print(f"{query:5} {' '.join(f'{times[query].best * 1000:12.1f}' for times in modes.values())}")


def print_report(results, options, rows: int):
    print(f"\n{options.queries} at scale {options.scale}, {options.threads} threads, {options.runs} runs after a warm-up, on {processor()}\n")
    print_queries(results, options.statistic)
    print_modes(results)
    print()
    for name in ("gnomon", "postgresql"):
        if name in results:
            best = results[name]["copy"].best
            print(f"copy of lineitem through psql, {name}: {rows / best:,.0f} rows/s ({best:.2f} s)")
    if "gnomon" in results and "postgresql" in results:
        print(f"copy, gnomon/postgresql: {results['postgresql']['copy'].best / results['gnomon']['copy'].best:.2f}")
    for name, result in results.items():
        print(f"all tables loaded, {name}: {result['load_s']:.1f} s")
    for name, latency in results.get("gnomon", {}).get("latency", {}).items():
        print(f"text to first morsel, {name}: {latency['best_us']:,} us best, {latency['median_us']:,.0f} us median")


def answer_differences(results) -> list[str]:
    if "gnomon" not in results or "postgresql" not in results:
        return []
    pairs = ((query, results["postgresql"]["answers"][query], results["gnomon"]["answers"][query]) for query in QUERIES)
    return [f"query {query}: {what}" for query, left, right in pairs if (what := comparison.difference(left, right, ordered=True))]


def as_json(results, options, rows: int) -> dict:
    document = {"scale": options.scale, "threads": options.threads, "runs": options.runs, "cached": options.cached, "lineitem_rows": rows, "cpus": os.cpu_count(), "systems": {}}
    for name, result in results.items():
        entry = {"load_s": result["load_s"], "queries": {str(q): times.as_json() for q, times in result["queries"].items()}}
        if "copy" in result:
            entry["copy"] = result["copy"].as_json() | {"rows_per_s": rows / result["copy"].best}
        if "modes" in result:
            entry["modes"] = {mode: {str(q): times.as_json() for q, times in queries.items()} for mode, queries in result["modes"].items()}
        if "latency" in result:
            entry["text_to_first_morsel"] = result["latency"]
        document["systems"][name] = entry
    if "gnomon" in results:
        others = [name for name in results if name != "gnomon"]
        document["time_relative_to_gnomon"] = {name: geometric_mean(ratios(results, name, options.statistic).values()) for name in others}
    return document


def parse_arguments():
    parser = argparse.ArgumentParser(prog="benchmarks/tpch/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1", help="TPC-H scale factor (1)")
    parser.add_argument("--queries", type=pathlib.Path, default=tpch_tables.QUERIES, help="a folder of numbered queries (TPC-H's)")
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each query, after a warm-up (5)")
    parser.add_argument("--copies", type=int, default=2, help="measured copies of lineitem (2)")
    parser.add_argument("--threads", type=int, default=2, help="workers of Gnomon and threads of DuckDB (2)")
    parser.add_argument("--systems", default=",".join(MEASURES), help="which of gnomon, postgresql, duckdb, hyper (all)")
    parser.add_argument("--modes", default="auto", help="execution modes of Gnomon; the first is the one compared (auto)")
    parser.add_argument("--statistic", choices=("best", "median"), default="median", help="what of the runs is compared (median)")
    parser.add_argument("--cached", action="store_true", help="send the same text in every run, so that cached plans count")
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--buffer-pool", default="8GB", help="Gnomon's buffer pool (8GB)")
    parser.add_argument("--leaf-size", help="of Gnomon's tables (as they come: growing with the table)")
    parser.add_argument("--json", help="where to write all figures (build/tpch/results-scale-SCALE.json)")
    return parser.parse_args()


def main() -> int:
    global QUERIES
    options = parse_arguments()
    tpch_tables.QUERIES = options.queries
    QUERIES = tuple(tpch_tables.query_numbers())
    folder = tpch_tables.data_folder(options.scale)
    with open(folder / "lineitem.tbl", "rb") as lines:
        rows = sum(chunk.count(b"\n") for chunk in iter(lambda: lines.read(1 << 24), b""))
    results = {name: MEASURES[name](options, folder) for name in options.systems.split(",")}
    print_report(results, options, rows)
    target = pathlib.Path(options.json) if options.json else PROJECT / "build" / "tpch" / f"results-scale-{options.scale}.json"
    target.write_text(json.dumps(as_json(results, options, rows), indent=2) + "\n")
    print(f"\nall figures: {target}")
    wrong = answer_differences(results)
    print("\n".join(["answers differ between gnomon and postgresql:", *wrong]) if wrong else "", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
