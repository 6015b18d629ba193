"""TPC-C (specification 5.11) on Gnomon and PostgreSQL 15 in turns; section 4.2 of paper 1.

    benchmarks/tpcc/run                                    10 warehouses; 1, 4 and 16 clients
    benchmarks/tpcc/run --warehouses 100 --pipeline 1,8 --seconds 30 --warmup 30
    benchmarks/tpcc/run --partitions 16                    Gnomon's tables are partitioned by hash of the warehouse, as in the paper
    benchmarks/tpcc/run --kill 5 --synchronous-commit on   SIGKILL amid the work, restart, checks

Each transaction is one call of a function in PL/pgSQL (routines.sql), the same on both. Calls come from one driver
(tpcc_benchmark.cc), by libpq, in pipelines of --pipeline calls. No terminal thinks or types, and deliveries are carried out at once.
After the load, after --verify transactions, after each run and each restart the consistency conditions 1 to 12 must hold.
"""
import argparse
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "client-tests"), str(PROJECT / "benchmarks")]

from oltp import comparison  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
PARTITION_KEYS = {
    "warehouse": "w_id", "district": "d_w_id", "customer": "c_w_id", "history": "h_w_id", "new_order": "no_w_id", "orders": "o_w_id",
    "order_line": "ol_w_id", "stock": "s_w_id",
}  # fmt: skip
LOADED_ORDERS = 3000  # of a district, as many as it has customers


def schema(partitions: int) -> str:
    text = (FOLDER / "schema.sql").read_text()
    if partitions == 0:
        return text
    for table, key in PARTITION_KEYS.items():
        text = re.sub(rf"(create table {table} \(.*?\n\));", rf"\1 partition by hash ({key});", text, count=1, flags=re.DOTALL)
        for part in range(partitions):
            text += f"create table {table}_{part} partition of {table} for values with (modulus {partitions}, remainder {part});\n"
    return text


def conditions() -> list[tuple[str, str]]:
    """Names and queries of consistency.sql."""
    return re.findall(r"^-- (\d+: [^\n]*)\n(.*?);$", (FOLDER / "consistency.sql").read_text(), flags=re.DOTALL | re.MULTILINE)


class Tpcc:
    name = "tpcc"
    # Of orders the hundredth is refused, for an item that there is not.
    expected = {"new_order": (0.01, 0.006), "payment": (0, 0), "order_status": (0, 0), "stock_level": (0, 0)}

    def title(self, options) -> str:
        partitions = f", {options.partitions} partitions (PostgreSQL {options.postgresql_partitions or 'none'})" if options.partitions else ""
        return f"TPC-C, {options.warehouses} warehouses{partitions}"

    def arguments(self, options) -> list[str]:
        return ["--warehouses", str(options.warehouses), *(["--any-home"] if options.any_home else [])]

    def fill(self, server, options):
        comparison.run_sql(server, schema(options.postgresql_partitions if server.name == "postgresql" else options.partitions))
        comparison.load(server, options, "--warehouses", str(options.warehouses))
        for file in ("keys.sql", *(["foreign_keys.sql"] if options.foreign_keys else []), "routines.sql"):
            comparison.run_sql(server, (FOLDER / file).read_text())

    def checks(self, server) -> list[str]:
        wrong = []
        with server.connect() as connection:
            for name, query in conditions():
                rows = connection.execute(query).fetchmany(5)
                if rows:
                    wrong.append(f"consistency condition {name}: {rows}")
        return wrong

    def contents(self, options) -> dict[str, str]:
        """All but the times that the transactions write."""
        return {
            "warehouse": "select * from warehouse order by w_id",
            "district": "select * from district order by d_w_id, d_id",
            "customer": "select * from customer order by c_w_id, c_d_id, c_id",
            "history": "select h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data from history order by 1, 2, 3, 4, 5, 6, 7",
            "new_order": "select * from new_order order by no_w_id, no_d_id, no_o_id",
            "orders": "select o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local from orders order by 1, 2, 3",
            "order_line": "select ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d is null, ol_quantity, ol_amount, ol_dist_info"
            " from order_line order by 1, 2, 3, 4",
            "stock": "select * from stock order by s_w_id, s_i_id",
        }

    def effects(self, server) -> dict[str, int]:
        """Orders and payments."""
        with server.connect() as connection:
            orders = connection.execute(f"select sum(d_next_o_id - {LOADED_ORDERS} - 1) from district").fetchone()[0]
            payments = connection.execute("select count(*) from history").fetchone()[0]
        return {"new_order": int(orders), "payment": int(payments)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    comparison.add_options(parser)
    parser.add_argument("--warehouses", type=int, default=10)
    parser.add_argument("--partitions", type=int, default=0, help="of Gnomon's tables, by hash of the warehouse; 0: none (0)")
    parser.add_argument("--postgresql-partitions", type=int, default=0, help="of PostgreSQL's, which are slower for it (0)")
    parser.add_argument("--foreign-keys", action="store_true", help="the references of clause 1.3 are declared")
    parser.add_argument("--any-home", action="store_true", help="each transaction is at home in any warehouse; usually clients have their own")
    return comparison.main(Tpcc(), parser)


if __name__ == "__main__":
    sys.exit(main())
