"""The TPC-H queries give PostgreSQL's answer digit for digit: in each mode, with one
and two workers, and again after a clean restart. Data comes in through psql's \\copy.

TPCH_SCALE chooses the scale factor: 0.1, or by hand 1.
"""
import os

import pytest

import comparison
import servers
import statements
import tpch_tables
from servers import MODES

SCALE = os.environ.get("TPCH_SCALE", "0.1")
QUERIES = tuple(range(1, 23))

pytestmark = pytest.mark.release_only


class Instances:
    """PostgreSQL and one Gnomon directory, opened with one worker, then two, then two again after a restart."""

    STAGES = ("one worker", "two workers", "two workers after a restart")

    def __init__(self, postgres, folder):
        self.postgres = postgres
        self.gnomon = servers.new_gnomon(**self.options(1)).start()
        self.stage = self.STAGES[0]
        tpch_tables.load(postgres, folder)
        tpch_tables.add_indexes(postgres)
        tpch_tables.load(self.gnomon, folder)
        self.answers = {}

    @staticmethod
    def options(workers: int) -> dict:
        pool = "4GB" if float(SCALE) >= 1 else "1GB"
        return {} if servers.binary_under_test() == "postgresql" else {"workers": workers, "buffer_pool": pool}

    def at(self, stage: str):
        """Restarts the server on its data until it is at this stage."""
        while self.stage != stage:
            assert self.gnomon.stop() == 0, self.gnomon.log()
            self.gnomon.workers = 2
            self.gnomon.start()
            self.stage = self.STAGES[self.STAGES.index(self.stage) + 1]
        return self.gnomon

    def expected(self, number: int) -> comparison.Answer:
        if number not in self.answers:
            connection = self.postgres.raw_connect()
            self.answers[number] = comparison.run(connection, tpch_tables.query_text(number))
            connection.finish()
        return self.answers[number]

    def end(self):
        tpch_tables.drop(self.postgres)
        code = self.gnomon.stop() if self.gnomon.running() else "died before the end"
        log = self.gnomon.log()
        self.gnomon.remove()
        assert code == 0, f"{code}\n{log}"


@pytest.fixture(scope="module")
def instances(postgres):
    made = Instances(postgres, tpch_tables.data_folder(SCALE))
    yield made
    made.end()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stage", Instances.STAGES)
def test_answers_are_postgresqls_digit_for_digit(instances, stage, mode):
    server = instances.at(stage)
    connection = server.raw_connect()
    server.set_mode(connection, mode)
    different = []
    for number in QUERIES:
        text = tpch_tables.query_text(number)
        expected, actual = instances.expected(number), comparison.run(connection, text)
        what = comparison.difference(expected, actual, ordered=True)
        if what:
            different.append(comparison.report(statements.Statement(f"TPC-H query {number}", 1), expected, actual, what))
    connection.finish()
    if different:
        pytest.fail("\n".join(different), pytrace=False)


def test_every_table_holds_what_was_copied(instances):
    with instances.gnomon.connect() as gnomon, instances.postgres.connect() as postgres:
        for table in tpch_tables.TABLES:
            for sql in (f"select count(*) from {table}", f"select * from {table}"):
                if table in ("lineitem", "orders", "partsupp") and "*) " not in sql:
                    continue
                left, right = postgres.execute(sql).fetchall(), gnomon.execute(sql).fetchall()
                assert sorted(left, key=str) == sorted(right, key=str), table
