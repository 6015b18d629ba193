"""Runs random queries on PostgreSQL and, in each execution mode, on Gnomon; shrinks a query that differs.

    client-tests/random_queries --seed 7 --count 5000        any number of queries
    client-tests/random_queries --seed 7 --only 123          one of them again
    client-tests/random_queries --seed 7 --count 5 --print   only show them
"""
import argparse
import copy
import dataclasses
import itertools
import sys
import threading
import time

import comparison
import query_generator
import query_types
import servers
import tpch_tables
from servers import MODES

POSTGRES_SECONDS_MAX = 10
GNOMON_SECONDS_MAX = 120
SHRINK_SECONDS_MAX = 120
CONNECTIONS_PER_MODE = 2


def postgres_settings() -> dict[str, str]:
    return {"work_mem": "64MB", "max_parallel_workers_per_gather": "0", "statement_timeout": f"{POSTGRES_SECONDS_MAX}s", "jit": "off"}


@dataclasses.dataclass
class Difference:
    number: int
    seed: int
    mode: str
    what: str
    sql: str
    expected: comparison.Answer
    actual: comparison.Answer

    def __str__(self):
        return (
            f"query {self.number} of seed {self.seed}, {self.mode} mode: {self.what}\n{self.sql};\n"
            f"postgresql: {self.expected.describe()}\ngnomon:     {self.actual.describe()}\n"
            f"again: client-tests/random_queries --seed {self.seed} --only {self.number} (--reshape where the tables were altered)"
        )


class ServerLost(Exception):
    pass


class Runner:
    """Keeps a few connections per mode and uses them in turn."""

    def __init__(self, postgres, gnomon, modes=MODES):
        self.postgres_server, self.gnomon_server = postgres, gnomon
        self.postgres = postgres.raw_connect()
        self.pools = {}
        for mode in modes:
            connections = [gnomon.raw_connect() for _ in range(CONNECTIONS_PER_MODE)]
            for connection in connections:
                gnomon.set_mode(connection, mode)
            self.pools[mode] = itertools.cycle(connections)
        self.shrink_seconds = SHRINK_SECONDS_MAX
        self.tolerated = 0
        self.skipped = 0
        self.errors = 0

    def ask_gnomon(self, mode: str, sql: str) -> comparison.Answer:
        connection = next(self.pools[mode])
        watchdog = threading.Timer(GNOMON_SECONDS_MAX, connection.get_cancel().cancel)
        watchdog.start()
        try:
            answer = comparison.run(connection, sql)
        finally:
            watchdog.cancel()
        return answer

    def difference(self, sql: str, order, modes=None):
        """(mode, what, expected, actual) of the first mode that differs, or None. The rows are ordered by the columns `order`."""
        expected = comparison.run(self.postgres, sql)
        if expected.sqlstate == "57014":
            self.skipped += 1
            return None
        for mode in modes or self.pools:
            actual = self.ask_gnomon(mode, sql)
            if actual.sqlstate == "lost":
                raise ServerLost(f"{mode} mode: the server is gone or closed the connection: {actual.message}\n{sql};\n{self.gnomon_server.log()}")
            if expected.sqlstate and expected.sqlstate[:2] == "22" and (not actual.sqlstate or actual.sqlstate[:2] == "22"):
                self.tolerated += 1
                continue
            what = comparison.ordered_difference(expected, actual, order)
            if what:
                return mode, what, expected, actual
        if expected.sqlstate:
            self.errors += 1
        return None

    def run(self, seed: int, number: int) -> Difference | None:
        query = query_generator.query_of(seed, number)
        found = self.difference(query.sql(), query.order_columns())
        if not found:
            return None
        if found[3].sqlstate == "0A000":
            return Difference(number, seed, found[0], "refused", query.sql(), found[2], found[3])
        smaller = self.shrink(query, found[0])
        mode, what, expected, actual = self.difference(smaller.sql(), smaller.order_columns(), [found[0]]) or found
        return Difference(number, seed, mode, what, smaller.sql(), expected, actual)

    def shrink(self, query, mode: str):
        """The smallest query found by leaving parts out that still differs in this mode."""
        deadline = time.monotonic() + self.shrink_seconds
        progress = True
        while progress and time.monotonic() < deadline:
            progress = False
            for candidate in smaller_queries(query):
                if time.monotonic() > deadline:
                    break
                found = self.difference(candidate.sql(), candidate.order_columns(), [mode])
                if found and not found[2].sqlstate:
                    query, progress = candidate, True
                    break
        return query


def smaller_queries(query):
    """The query with one part left out, in each way that keeps its meaning decided."""
    if query.limit or query.order:
        candidate = copy.deepcopy(query)
        candidate.limit, candidate.order = "", []
        yield candidate
    for index in range(len(query.others)):
        yield dataclasses.replace(query, others=query.others[:index] + query.others[index + 1 :])
    if query.having:
        yield dataclasses.replace(query, having=[])
    for index in range(len(query.where)):
        yield dataclasses.replace(query, where=query.where[:index] + query.where[index + 1 :])
    positions = any(item.isdigit() for item in query.group)
    if len(query.select) > 1 and not query.order and not positions:
        for index in range(len(query.select)):
            yield dataclasses.replace(query, select=query.select[:index] + query.select[index + 1 :])
    if query.distinct and not query.limit and not query.distinct_on:
        yield dataclasses.replace(query, distinct=False)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="random_queries", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first query")
    parser.add_argument("--only", type=int, help="run this query alone")
    parser.add_argument("--scale", default="0.01", help="TPC-H scale factor (queries are bounded for 0.01)")
    parser.add_argument("--reshape", action="store_true", help="alter the tables and index them first")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep-going", action="store_true", help="report every difference instead of ending at the first")
    parser.add_argument("--shrink", type=int, default=SHRINK_SECONDS_MAX, help="seconds at most to make a query smaller")
    parser.add_argument("--print", action="store_true", help="print the queries and run nothing")
    return parser.parse_args(arguments)


def run_all(runner: Runner, seed: int, numbers, keep_going: bool, progress=None) -> list[Difference]:
    found = []
    for done, number in enumerate(numbers, 1):
        difference = runner.run(seed, number)
        if difference:
            found.append(difference)
            if progress:
                refused = difference.what == "refused"
                print(f"query {number} refused: {difference.actual.message}" if refused else f"{difference}\n", flush=True)
            if not keep_going:
                break
        if progress and done % progress == 0:
            print(f"{done} queries, {len(found)} differences", flush=True)
    return found


def main(arguments=None) -> int:
    options = parse_arguments(arguments)
    numbers = [options.only] if options.only is not None else range(options.first, options.first + options.count)
    if options.print:
        for number in numbers:
            print(f"-- {number}\n{query_generator.query_of(options.seed, number).sql()};\n")
        return 0
    folder = tpch_tables.data_folder(options.scale)
    postgres, gnomon = servers.PostgresServer(postgres_settings()), None
    try:
        gnomon = servers.new_gnomon(workers=options.workers) if servers.binary_under_test() != "postgresql" else servers.new_gnomon()
        for server in (postgres.start(), gnomon.start()):
            tpch_tables.load(server, folder)
            query_types.load(server)
            if options.reshape:
                tpch_tables.reshape(server)
                query_types.add_indexes(server)
        runner = Runner(postgres, gnomon, options.modes.split(","))
        runner.shrink_seconds = options.shrink
        started = time.monotonic()
        try:
            found = run_all(runner, options.seed, numbers, options.keep_going, progress=100)
        except ServerLost as lost:
            print(f"seed {options.seed}: {lost}")
            return 1
        seconds = time.monotonic() - started
        print(
            f"seed {options.seed}: {len(numbers)} queries in {seconds:.0f} s, {len(found)} differences, "
            f"{runner.errors} errors alike, {runner.tolerated} data errors that depend on evaluation order, {runner.skipped} too long for PostgreSQL"
        )
        code = gnomon.stop()
        reports = getattr(gnomon, "sanitizer_reports", str)()
        if code != 0 or reports:
            print(f"the server ended with {code}\n{reports}")
        return 1 if found or code != 0 or reports else 0
    finally:
        for server in (postgres, gnomon):
            if server is not None:
                if server.running():
                    server.stop()
                server.remove()


if __name__ == "__main__":
    sys.exit(main())
