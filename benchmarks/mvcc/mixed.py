"""Analytical queries beside a stream of updates: table 3 of paper 1 (section 4.3.3).

    benchmarks/mvcc/mixed                       TPC-H at scale 1
    benchmarks/mvcc/mixed --scale 0.1 --seconds 20 --rounds 3

One client sends TPC-H queries one after the other. Another brings new orders with their items by COPY, each refresh a transaction, and
deletes those of the refresh before last, both by index: regular, or as bulk operations. The cores are the readers' but for what the stream
takes: before each run the stream works alone for a while, and the processor time that a refresh takes then, of the server and of its client, is
subtracted from the machine's for each refresh beside the queries. Throughput is queries for a second of what is left: readers are charged with
what they lose by having company, such as versions, waiting, and colder caches.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import threading
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import psycopg  # noqa: E402

import servers  # noqa: E402
import tpch_tables  # noqa: E402

QUERIES = (1, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 19)
STREAMS = {"quiet": None, "regular": "begin", "bulk": "begin bulk write"}
ITEMS_PER_ORDER = 4
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def processor_seconds(path: str) -> float:
    fields = pathlib.Path(path).read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


class Refreshes:
    """New orders, with keys above those there are; drawn before the clock runs."""

    def __init__(self, orders: int, count: int = 40):
        draw = random.Random(1)
        self.next_key, self.orders, self.bodies = 100_000_000, orders, []
        for _ in range(count):
            dates = [f"199{draw.randrange(2, 8)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}" for _ in range(orders)]
            heads = [f"{draw.randrange(1, 100_000)}|O|{draw.randrange(1000, 300_000)}.00|{date}|3-MEDIUM|Clerk#1|0|new\n" for date in dates]
            items = [f"{draw.randrange(1, 100_000)}|{draw.randrange(1, 1000)}|{line}|{draw.randrange(1, 50)}|{draw.randrange(1000, 90_000)}.00|0.0{draw.randrange(10)}|0.02|N|O|{date}|{date}|{date}|NONE|RAIL|new\n"
                     for date in dates for line in range(1, ITEMS_PER_ORDER + 1)]  # fmt: skip
            self.bodies.append((heads, items))

    def next(self) -> tuple[int, str, str]:
        """The first key, and what is copied into orders and into lineitem."""
        first = self.next_key
        heads, items = self.bodies[first // self.orders % len(self.bodies)]
        self.next_key += self.orders
        return (first, "".join(f"{first + n}|{text}" for n, text in enumerate(heads)),
                "".join(f"{first + n // ITEMS_PER_ORDER}|{text}" for n, text in enumerate(items)))  # fmt: skip


class Stream(threading.Thread):
    """Refreshes until it is told to stop."""

    def __init__(self, server, begin: str, refreshes: Refreshes):
        super().__init__()
        self.begin, self.refreshes = begin, refreshes
        self.connection = psycopg.connect(server.dsn(), autocommit=True)
        self.stopping, self.failure, self.count = threading.Event(), None, 0

    def run(self):
        try:
            while not self.stopping.is_set():
                self.refresh()
                self.count += 1
        except Exception as error:  # noqa: BLE001: told by the main thread
            self.failure = error

    def refresh(self):
        first, heads, items = self.refreshes.next()
        old = first - 2 * self.refreshes.orders
        self.connection.execute(self.begin)
        for table, body in (("orders", heads), ("lineitem", items)):
            with self.connection.cursor().copy(f"copy {table} from stdin with (delimiter '|')") as copy:
                copy.write(body)
        self.connection.execute("commit")
        self.connection.execute(self.begin)
        for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey")):
            self.connection.execute(f"delete from {table} where {key} >= {old} and {key} < {old + self.refreshes.orders}")
        self.connection.execute("commit")

    def finish(self) -> int:
        """The number of refreshes."""
        self.stopping.set()
        self.join()
        self.connection.close()
        if self.failure:
            raise self.failure
        return self.count


def refresh_seconds(server, begin: str, refreshes: Refreshes, seconds: float) -> float:
    """Processor time of a refresh where nobody reads: of all threads of the server, and of this process, which then does nothing else."""
    stream = Stream(server, begin, refreshes)
    processes = (f"/proc/{server.process.pid}/stat", "/proc/self/stat")
    before = sum(map(processor_seconds, processes))
    stream.start()
    time.sleep(seconds)
    count = stream.finish()
    return (sum(map(processor_seconds, processes)) - before) / count


def measure(server, name: str, refreshes: Refreshes, options) -> dict:
    texts = [tpch_tables.query_text(number) for number in QUERIES]
    begin = STREAMS[name]
    each = refresh_seconds(server, begin, refreshes, options.seconds / 3) if begin else 0
    stream = Stream(server, begin, refreshes) if begin else None
    queries = 0
    with server.connect() as connection:
        for text in texts:
            connection.execute(text).fetchall()
        if stream:
            stream.start()
        begun = time.perf_counter()
        while time.perf_counter() - begun < options.seconds:
            for text in texts:
                connection.execute(text).fetchall()
                queries += 1
        elapsed = time.perf_counter() - begun
    count = stream.finish() if stream else 0
    left = elapsed * os.cpu_count() - count * each
    return {"queries": queries, "seconds": elapsed, "taken": count * each, "refreshes": count,
            "queries_per_second": queries / elapsed, "queries_per_share": queries / left * os.cpu_count()}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1")
    parser.add_argument("--seconds", type=float, default=15, help="of each run (15)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each stream, in turns, of which the median counts (3)")
    parser.add_argument("--streams", type=lambda text: text.split(","), default=list(STREAMS))
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all figures")
    options = parser.parse_args()
    server = servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=os.cpu_count(), buffer_pool="6GB")
    seen = {name: [] for name in options.streams}
    try:
        server.start()
        tpch_tables.load(server, tpch_tables.data_folder(options.scale))
        with server.connect() as connection:
            connection.execute("create index on orders (o_orderkey)")
            connection.execute("create index on lineitem (l_orderkey)")
        refreshes = Refreshes(max(1, int(1500 * float(options.scale))))
        for _ in range(options.rounds):
            for name in options.streams:
                seen[name].append(measure(server, name, refreshes, options))
                say(f"{name:<8} {seen[name][-1]}")
        if server.stop() != 0:
            raise RuntimeError(server.log())
    finally:
        server.remove()
    median = {name: statistics.median(run["queries_per_share"] for run in runs) for name, runs in seen.items()}
    print(f"\nTPC-H at scale {options.scale}, {os.cpu_count()} cores, median of {options.rounds} runs of {options.seconds:.0f} s\n")
    print(f"{'updates':<8} {'queries/s':>10} {'queries/s of the share':>24} {'ratio':>6} {'refreshes/s':>12}")
    for name, runs in seen.items():
        ratio = median[name] / median["quiet"] if "quiet" in median else float("nan")
        rate = statistics.median(run["refreshes"] / run["seconds"] for run in runs)
        print(f"{name:<8} {statistics.median(run['queries_per_second'] for run in runs):>10.2f} {median[name]:>24.2f} {ratio:>6.2f} {rate:>12.1f}")
    if options.json:
        options.json.write_text(json.dumps(seen, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
