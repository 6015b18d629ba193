"""How good the optimiser's join orders are: their true cost against the best order's.

    benchmarks/joins/run [--queries 45] [--seed 1] [--scale 1]

Queries of 4 to 12 relations over data.py's schema. For each the true rows of every connected set of its relations are known
(counts.py). From these comes the true cost of a tree by the optimiser's own cost of a join (joinCost in
sql/optimise/join_enumeration.cc), and the best tree without cross products by dynamic programming over all pairs of connected sets.
The ratio of the chosen tree's cost to the best one's says what wrong estimates and the search lose. Queries whose chosen tree is
cheap enough are also run, and their count compared. Times are of EXPLAIN (SUMMARY): parsing and binding are not in them.
"""
import argparse
import math
import pathlib
import statistics
import sys
from collections.abc import Iterator

import counts as counting
import data
import shapes

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402

ROWS_MAX = 100_000_000
RUN_COST_MAX = 20_000_000  # dearer queries are not run
SIZES = range(4, 13)


def join_cost(probe: float, build: float, result: float) -> float:
    return result + (1 + build / (build + 200_000)) * probe + 3 * build


def cost_of_pair(one: float, other: float, result: float) -> float:
    return join_cost(max(one, other), min(one, other), result)


def best_cost(rows: dict[int, float]) -> float:
    """Of the last set, the largest: rows has every connected set of relations, smaller ones first."""
    best = {}
    for group, result in rows.items():
        best[group] = 0.0 if group.bit_count() == 1 else math.inf
        part = group & (group - 1)  # all but the lowest relation; its parts are one side of a pair, what is left the other
        rest = part
        while part:
            other = group ^ part
            if part in best and other in best:
                cost = best[part] + best[other] + cost_of_pair(rows[part], rows[other], result)
                best[group] = min(best[group], cost)
            part = (part - 1) & rest
    return best[group]


def chosen_cost(node: dict, relations: dict[str, int], rows: dict[int, float]) -> tuple[int, float]:
    """The relations of a plan's node, and the true cost of its joins."""
    if "Alias" in node:
        return relations[node["Alias"]], 0.0
    parts = [chosen_cost(child, relations, rows) for child in node["Plans"]]
    if len(parts) == 1:
        return parts[0]
    (probed, probe_cost), (built, build_cost) = parts
    group = probed | built
    if node["Node Type"] != "Hash Join" or group not in rows:
        raise ValueError(f"a plan joins without a key: {node}")
    return group, probe_cost + build_cost + join_cost(rows[probed], rows[built], rows[group])


def load(connection, seed: int, scale: int):
    contents = data.rows(seed, scale)
    for table, columns in data.TABLES.items():
        connection.execute(f"create table {table} ({columns})")
        with connection.cursor().copy(f"copy {table} from stdin") as copy:
            for row in contents[table]:
                copy.write_row(row)
    connection.execute("analyze")


def drawn_queries(connection, seed: int, count: int) -> Iterator[tuple[data.Query, counting.TrueRows]]:
    """Those without a row are left out, for any order that comes upon an empty join early is the best, and those without an end."""
    number = 0
    while number < count:
        query = data.Query(seed, SIZES[number % len(SIZES)])
        seed += 1
        counts = counting.TrueRows(connection, query)
        if 0 < counts.rows[counts.all] <= ROWS_MAX:
            number += 1
            yield query, counts


def measure(connection, query: data.Query, counts: counting.TrueRows) -> dict[str, float]:
    text = query.text(counts.aliases)
    plans = [shapes.explain(connection, text) for _ in range(5)]
    relations = {alias: 1 << number for number, alias in enumerate(counts.aliases)}
    _, cost = chosen_cost(plans[0]["Plan"], relations, counts.rows)
    result = counts.rows[counts.all]
    if cost <= RUN_COST_MAX and connection.execute(text).fetchone()[0] != result:
        raise ValueError(f"wrong count of rows: {text}")
    return {"relations": len(relations), "sets": len(counts.rows), "result": result,
            "ratio": cost / best_cost(counts.rows), "planning_ms": min(plan["Planning Time"] for plan in plans)}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=45)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=int, default=1, help="this many times the rows")
    options = parser.parse_args()
    server = servers.new_gnomon()
    try:
        server.start()
        with server.connect() as connection:
            load(connection, options.seed, options.scale)
            measured = []
            print("| query | relations | connected sets | rows | chosen / best | planning ms |\n| --- | --- | --- | --- | --- | --- |")
            for number, (query, counts) in enumerate(drawn_queries(connection, options.seed, options.queries), 1):
                of = measure(connection, query, counts)
                measured.append(of)
                print(f"| {number} | {of['relations']} | {of['sets']} | {of['result']:.0f} | {of['ratio']:.2f} | {of['planning_ms']:.2f} |", flush=True)
        ratios = [of["ratio"] for of in measured]
        print(f"\nchosen / best: median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, of {len(ratios)}")
        for size in SIZES:
            spent = [of["planning_ms"] for of in measured if of["relations"] == size]
            if spent:
                print(f"planning, {size} relations: median {statistics.median(spent):.2f} ms")
        with server.connect() as connection:
            shapes.report(connection)
    finally:
        server.stop()
        server.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
