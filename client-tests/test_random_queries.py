"""A bounded number of random queries, half of them over tables that were altered and have indexes; client-tests/random_queries runs any
number by hand."""
import os

import pytest

import query_runner
import query_types
import tpch_tables

SEED = int(os.environ.get("RANDOM_QUERY_SEED", "20"))
COUNT = int(os.environ.get("RANDOM_QUERY_COUNT", "100"))
QUERIES_PER_TEST = 25


@pytest.fixture(scope="module", params=["as loaded", "reshaped"])
def runner(request, postgres, gnomon_holder, small_tpch_folder):
    """Both servers with the small tables; PostgreSQL's settings hold for this runner's session alone."""
    gnomon = gnomon_holder.alive()
    for server in (postgres, gnomon):
        tpch_tables.load(server, small_tpch_folder)
        query_types.load(server)
        if request.param == "reshaped":
            tpch_tables.reshape(server)
            query_types.add_indexes(server)
    made = query_runner.Runner(postgres, gnomon)
    for name, value in query_runner.postgres_settings().items():
        made.postgres.exec_(f"set {name} = '{value}'".encode())
    made.first = COUNT if request.param == "reshaped" else 0
    yield made
    made.postgres.finish()
    for server in (postgres, gnomon):
        if server.running():
            tpch_tables.drop(server)
            query_types.drop(server)


@pytest.mark.parametrize("first", range(0, COUNT // 2, QUERIES_PER_TEST))
def test_random_queries_give_postgresqls_answers(runner, gnomon, first):
    assert gnomon is runner.gnomon_server, "the server with the tables is gone"
    numbers = range(runner.first + first, runner.first + min(COUNT // 2, first + QUERIES_PER_TEST))
    found = query_runner.run_all(runner, SEED, numbers, keep_going=False)
    if found:
        pytest.fail(str(found[0]), pytrace=False)
