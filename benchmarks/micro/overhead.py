"""TPC-H queries 1 and 6 and a sum over 10 million pairs, through the buffer manager and over flat arrays, as the same generated code.

    benchmarks/micro/overhead                   scale 1, leaves of 64 kB and of 1 MB, 21 runs of each
    benchmarks/micro/overhead --scale 0.1 --runs 5 --leaf-sizes 64kB

Builds the release preset with its benchmarks. The first call loads data directories, build/overhead-scale-SCALE-SIZE, which later calls
use again; remove them after a change of the format on disk.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402
import tpch_tables  # noqa: E402

BUILD = PROJECT / "build" / "release"
PAIRS = 10_000_000
SUM_QUERY = "select sum(value) from pairs\n"


def build():
    subprocess.run(["cmake", "--preset", "release", "-DGNOMON_BENCHMARKS=ON"], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "gnomon", "overhead_benchmark"], cwd=PROJECT, check=True, stdout=sys.stderr)


def fill_pairs(server, leaf_size: str):
    numbers = ", ".join(f"({n})" for n in range(1000))
    with server.connect() as connection:
        connection.execute(f"create table pairs (key bigint not null, value bigint not null) with (leaf_size = '{leaf_size}')")
        for first in range(0, PAIRS, 1_000_000):
            connection.execute(f"insert into pairs select {first} + a.n * 1000 + b.n, b.n from (values {numbers}) as a (n), (values {numbers}) as b (n)")


def data_directory(scale: str, leaf_size: str) -> pathlib.Path:
    """Loaded and shut down; made at the first call of a scale."""
    directory = PROJECT / "build" / f"overhead-scale-{scale}-{leaf_size}"
    if directory.exists():
        return directory
    folder = tpch_tables.data_folder(scale)
    server = servers.GnomonServer(BUILD / "gnomon", buffer_pool="8GB")
    try:
        server.start()
        tpch_tables.load(server, folder, leaf_size)
        fill_pairs(server, leaf_size)
        if server.stop() != 0:
            raise RuntimeError(server.log())
        shutil.move(server.data, directory)
    finally:
        server.remove()
    return directory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1", help="of TPC-H")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--leaf-sizes", default="64kB,1MB", help="of all tables")
    options = parser.parse_args()
    build()
    sum_query = BUILD / "sum_of_pairs.sql"
    sum_query.write_text(SUM_QUERY)
    queries = [f"Q1={tpch_tables.QUERIES / '01.sql'}", f"Q6={tpch_tables.QUERIES / '06.sql'}", f"sum={sum_query}"]
    for leaf_size in options.leaf_sizes.split(","):
        directory = data_directory(options.scale, leaf_size)
        print(f"leaf_size {leaf_size}", flush=True)
        subprocess.run([BUILD / "overhead_benchmark", directory, str(options.runs), *queries], check=True)


if __name__ == "__main__":
    main()
