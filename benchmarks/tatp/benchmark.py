"""TATP (description 1.0) on Gnomon and PostgreSQL 15 in turns; section 4.2 of paper 1.

    benchmarks/tatp/run                                    a million subscribers; 1, 4 and 16 clients; 1 and 16 calls in a pipeline
    benchmarks/tatp/run --subscribers 10000000 --uniform   as in the paper
    benchmarks/tatp/run --as-statements                    prepared statements instead of calls
    benchmarks/tatp/run --kill 5 --synchronous-commit on   SIGKILL amid the work, restart, checks

Each transaction is one call of a function in PL/pgSQL (routines.sql), the same on both. Calls come from one driver
(tatp_benchmark.cc), by libpq, in pipelines of --pipeline calls. Rates count all transactions, also those that the description lets
fail; their shares must be those that follow from it.
"""
import argparse
import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(PROJECT / "client-tests"), str(PROJECT / "benchmarks")]

from oltp import comparison  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
# What never holds: keys are unique, facilities and forwardings belong to somebody.
BROKEN = {
    "numbers of subscribers": "select s_id, sub_nbr from subscriber where sub_nbr <> lpad(s_id::text, 15, '0')",
    "access without subscriber": "select * from access_info a where not exists (select 1 from subscriber s where s.s_id = a.s_id)",
    "facility without subscriber": "select * from special_facility f where not exists (select 1 from subscriber s where s.s_id = f.s_id)",
    "forwarding without facility":
        "select * from call_forwarding c where not exists (select 1 from special_facility f where f.s_id = c.s_id and f.sf_type = c.sf_type)",
    "keys": "select s_id, sf_type, start_time from call_forwarding group by s_id, sf_type, start_time having count(*) > 1",
}  # fmt: skip


class Tatp:
    name = "tatp"
    # Each subscriber has 1 to 4 of 4 kinds of access and facilities; each facility 0 to 3 forwardings at 3 times.
    expected = {
        "get_subscriber_data": (0, 0), "get_access_data": (0.375, 0.03), "update_subscriber_data": (0.375, 0.05), "update_location": (0, 0),
        "insert_call_forwarding": (0.6875, 0.05), "delete_call_forwarding": (0.6875, 0.05),
    }  # fmt: skip

    def title(self, options) -> str:
        return f"TATP, {options.subscribers:,} subscribers{', uniform' if options.uniform else ''}{', prepared statements' if options.as_statements else ''}"

    def arguments(self, options) -> list[str]:
        flags = [flag for flag, wanted in (("--uniform", options.uniform), ("--as-statements", options.as_statements)) if wanted]
        return ["--subscribers", str(options.subscribers), *flags]

    def fill(self, server, options):
        comparison.run_sql(server, (FOLDER / "schema.sql").read_text())
        comparison.load(server, options, "--subscribers", str(options.subscribers))
        comparison.run_sql(server, (FOLDER / "keys.sql").read_text())
        if not options.as_statements:
            comparison.run_sql(server, (FOLDER / "routines.sql").read_text())

    def checks(self, server) -> list[str]:
        wrong = []
        with server.connect() as connection:
            for name, query in BROKEN.items():
                rows = connection.execute(query).fetchmany(5)
                if rows:
                    wrong.append(f"{name}: {rows}")
        return wrong

    def contents(self, options) -> dict[str, str]:
        keys = {"subscriber": "s_id", "special_facility": "s_id, sf_type", "call_forwarding": "s_id, sf_type, start_time"}
        return {table: f"select * from {table} order by {key}" for table, key in keys.items()}

    def effects(self, server) -> dict[str, int]:
        return {}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    comparison.add_options(parser)
    parser.set_defaults(pipeline=[1, 16])
    parser.add_argument("--subscribers", type=int, default=1_000_000)
    parser.add_argument("--uniform", action="store_true", help="all subscribers alike, as in paper 1")
    parser.add_argument("--as-statements", action="store_true", help="prepared statements instead of calls of functions")
    return comparison.main(Tatp(), parser)


if __name__ == "__main__":
    sys.exit(main())
