"""Loads TPC-H into Gnomon and prints distinct counts and selectivities as the optimiser estimates them beside the truth.

    benchmarks/tpch/estimates [SCALE]      default 0.1; GNOMON_TPCH_DATA: another folder with TABLE.tbl files

An estimate is the `rows` of the top operator below the output, as EXPLAIN shows it; the truth is counted. The factor is the larger
of the two by the smaller.
"""
import os
import pathlib
import re
import statistics
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402
import tpch_tables  # noqa: E402

PREDICATES = {
    "lineitem": (
        "l_shipdate <= date '1998-09-02'", "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'",
        "l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and l_discount between 0.05 and 0.07 and l_quantity < 24",
        "l_quantity < 24", "l_discount between 0.05 and 0.07", "l_shipmode in ('MAIL', 'SHIP')", "l_commitdate < l_receiptdate",
        "l_returnflag = 'R'", "l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON'",
        "l_shipdate < l_commitdate and l_commitdate < l_receiptdate", "l_comment like '%express%'", "l_orderkey = 1000",
        "l_partkey = 155", "l_extendedprice > 90000", "l_suppkey between 1 and 10", "not (l_returnflag = 'N' or l_tax > 0.05)"),
    "orders": (
        "o_orderdate < date '1995-03-15'", "o_orderdate between date '1995-01-01' and date '1996-12-31'", "o_orderstatus = 'F'",
        "o_comment not like '%special%requests%'", "o_orderpriority <> '1-URGENT'", "o_totalprice > 400000", "o_custkey = 370",
        "o_clerk = 'Clerk#000000042'"),
    "part": (
        "p_type like 'PROMO%'", "p_name like '%green%'", "p_size = 15", "p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')",
        "p_brand = 'Brand#12' and p_size between 1 and 5", "p_type = 'ECONOMY ANODIZED STEEL'"),
    "customer": ("c_mktsegment = 'BUILDING'", "c_acctbal < 0", "c_nationkey in (3, 7)", "c_phone like '13%'"),
    "partsupp": ("ps_availqty > 5000", "ps_supplycost < 100", "ps_partkey = 77"),
    "supplier": ("s_acctbal > 5000", "s_comment like '%Customer%Complaints%'"),
}  # fmt: skip


def estimated_rows(connection, query: str) -> float:
    lines = [row[0] for row in connection.execute("explain " + query)]
    operators = [line for line in lines if "(cost=" in line]
    return float(re.search(r" rows=(\d+)", operators[1])[1])


def factor(estimate: float, truth: float) -> float:
    low, high = sorted((max(estimate, 1), max(truth, 1)))
    return high / low


def report(title: str, rows: list[tuple[str, float, float]]):
    print(f"\n{title:58} {'estimate':>10} {'truth':>10} {'factor':>7}")
    for name, estimate, truth in rows:
        print(f"{name[:58]:58} {estimate:10.0f} {truth:10.0f} {factor(estimate, truth):7.2f}")
    factors = sorted(factor(estimate, truth) for _, estimate, truth in rows)
    print(f"median factor {statistics.median(factors):.2f}, nine in ten up to {factors[len(factors) * 9 // 10]:.2f}, "
          f"largest {factors[-1]:.2f}, of {len(factors)}")  # fmt: skip


def main() -> int:
    scale = sys.argv[1] if len(sys.argv) > 1 else "0.1"
    folder = os.environ.get("GNOMON_TPCH_DATA")
    server = servers.new_gnomon()
    try:
        server.start()
        tpch_tables.load(server, pathlib.Path(folder) if folder else tpch_tables.data_folder(scale))
        distinct, selected = [], []
        with server.connect() as connection:
            for table in tpch_tables.TABLES:
                for column in [each.name for each in connection.execute(f"select * from {table} limit 0").description]:
                    groups = f"select {column} from {table} group by {column}"
                    truth = connection.execute(f"select count(distinct {column}) from {table}").fetchone()[0]
                    distinct.append((column, estimated_rows(connection, groups), truth))
                for predicate in PREDICATES.get(table, ()):
                    truth = connection.execute(f"select count(*) from {table} where {predicate}").fetchone()[0]
                    selected.append((predicate, estimated_rows(connection, f"select * from {table} where {predicate}"), truth))
        report("distinct values of", distinct)
        report("rows with", selected)
    finally:
        server.stop()
        server.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
