"""Conditions on jsonb and arrays with and without inverted indexes, and what these cost, on Gnomon and PostgreSQL 15: medians of times.

    benchmarks/gin/run                  200,000 rows, fifteen rounds

Both servers hold the same data, after ANALYZE; while one is measured the other is idle. The answers must be the same with and without
the index, on both.
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402

QUERIES = {
    "`@>`, 40 rows": """select count(*) from documents where body @> '{"n": 77}'""",
    "`@>` of two elements, 26 rows": """select count(*) from documents where body @> '{"tags": ["t7", "u7"]}'""",
    "`@>`, 15,000 rows": """select count(*) from documents where body @> '{"in": {"a": 7}}'""",
    "`?`, no row": "select count(*) from documents where body ? 'nothing'",
    "arrays `@>`, 28 rows": "select count(*) from documents where numbers @> '{77,3}'",
    "arrays `&&`, 600 rows": "select count(*) from documents where numbers && '{77,78,79}'",
}


def fill(rows: int) -> str:
    return f"""
        insert into documents
        select g, jsonb_build_object('n', g % 5000, 'name', 'name ' || g, 'tags', jsonb_build_array('t' || (g % 700), 'u' || (g % 11), g % 50),
                                     'in', jsonb_build_object('a', g % 13, 'b', g % 3 = 0)),
               array[g % 1000, g % 7, g]
        from generate_series(1, {rows}) g"""


def timed(connection, statement: str, rounds: int = 1):
    """Milliseconds, the median, and the rows."""
    times, rows = [], None
    for _ in range(rounds):
        begun = time.perf_counter()
        cursor = connection.execute(statement)
        rows = cursor.fetchall() if cursor.description else None
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times), rows


def measure(server, options) -> tuple[dict, dict]:
    """Times by (what, with the index or not), and answers by query."""
    times, answers = {}, {}
    with server.connect() as connection:
        connection.execute("create table documents (id integer primary key, body jsonb, numbers integer[])")
        times["INSERT", False], _ = timed(connection, fill(options.rows))
        connection.execute("analyze documents")
        for name, query in QUERIES.items():
            times[name, False], answers[name] = timed(connection, query, options.rounds)
        times["CREATE INDEX on jsonb", True], _ = timed(connection, "create index on documents using gin (body)")
        times["CREATE INDEX on arrays", True], _ = timed(connection, "create index on documents using gin (numbers)")
        connection.execute("analyze documents")
        for name, query in QUERIES.items():
            times[name, True], answer = timed(connection, query, options.rounds)
            assert answer == answers[name], f"{server.name}: {query}: {answer} with the index, {answers[name]} without"
        connection.execute("truncate documents")
        times["INSERT", True], _ = timed(connection, fill(options.rows))
    return times, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    os.environ.setdefault("GNOMON_BINARY", str(PROJECT / "build/release/gnomon"))
    results = {}
    for make in (servers.new_gnomon, servers.PostgresServer):
        server = make().start()
        try:
            results[server.name] = measure(server, options)
        finally:
            server.stop()
            server.remove()
    (own, own_answers), (other, other_answers) = results["gnomon"], results["postgresql"]
    assert own_answers == other_answers, (own_answers, other_answers)
    print("| | without an index, ms | with it, ms | PostgreSQL / Gnomon, without | with it |\n| --- | ---: | ---: | ---: | ---: |")
    for what in dict.fromkeys(name for name, _ in own):
        cells = [f"{own[what, has]:.2f}" if (what, has) in own else "" for has in (False, True)]
        ratios = [f"{other[what, has] / own[what, has]:.2f}" if (what, has) in own else "" for has in (False, True)]
        print(f"| {what} | {cells[0]} | {cells[1]} | {ratios[0]} | {ratios[1]} |")


if __name__ == "__main__":
    main()
