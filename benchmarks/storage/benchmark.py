"""What Gnomon does when the data is four times the pool: the bandwidth of a cold scan beside fio's on the same file, and TPC-H.

    benchmarks/storage/run                         1 GiB of rows, a pool of 256 MB, TPC-H at scale 1
    benchmarks/storage/run --pool-mb 512 --runs 5
    benchmarks/storage/run --no-tpch

Pages are read with O_DIRECT, so no cache of the kernel helps; the server is started anew before each scan. fio reads the same file at
random, 64 KiB at a time, directly, with as many threads as Gnomon has workers and as many requests under way. The two take turns.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import comparison  # noqa: E402
import servers  # noqa: E402
import tpch_tables  # noqa: E402

MIB = 1 << 20
QUERIES = (1, 3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 19)
ROW_BYTES = 24  # key, value and tuple id
REQUESTS_UNDER_WAY = 16


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def new_server(options, pool_mb: int, data: pathlib.Path | None = None):
    return servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=options.threads, buffer_pool=f"{pool_mb}MB", data=data)


def asked(server, text: str) -> tuple[float, comparison.Answer]:
    """Seconds from sending the text to holding its rows."""
    connection = server.raw_connect()
    started = time.perf_counter()
    answer = comparison.run(connection, text)
    seconds = time.perf_counter() - started
    connection.finish()
    if answer.sqlstate:
        raise RuntimeError(f"{answer.describe()}\n{text}")
    return seconds, answer


def fill(server, rows: int):
    numbers = ", ".join(f"({n})" for n in range(1000))
    with server.connect() as connection:
        connection.execute("create table pairs (key bigint not null, value bigint not null)")
        for first in range(0, rows, 1_000_000):
            connection.execute(f"insert into pairs select {first} + a.n * 1000 + b.n, b.n from (values {numbers}) as a (n), (values {numbers}) as b (n)")


def fio_bandwidth(options, file: pathlib.Path) -> float:
    """Bytes a second."""
    done = subprocess.run(
        ["fio", "--name=read", f"--filename={file}", "--readonly", "--rw=randread", "--bs=64k", "--direct=1", "--ioengine=io_uring",
         f"--iodepth={REQUESTS_UNDER_WAY}", f"--numjobs={options.threads}", "--group_reporting", "--time_based",
         f"--runtime={options.fio_seconds}", "--output-format=json"],
        capture_output=True, text=True, check=True)  # fmt: skip
    return json.loads(done.stdout)["jobs"][0]["read"]["bw_bytes"]


def measure_scan(options):
    millions = math.ceil(4 * options.pool_mb * MIB / ROW_BYTES / 1e6)
    server = new_server(options, options.pool_mb)
    scans, reads = [], []
    try:
        server.start()
        say(f"{millions} million rows")
        fill(server, millions * 1_000_000)
        if server.stop() != 0:
            raise RuntimeError(server.log())
        file = server.data / "pages.00"
        expected = str(millions * 1000 * sum(range(1000)))
        for _ in range(options.runs):
            server.start()
            seconds, answer = asked(server, "select sum(value) from pairs")
            if answer.rows[0][0] != expected.encode():
                raise RuntimeError(f"{answer.rows} instead of {expected}")
            if server.stop() != 0:
                raise RuntimeError(server.log())
            scans.append(file.stat().st_size / seconds)
            reads.append(fio_bandwidth(options, file))
            say(f"  scan {scans[-1] / MIB:.0f} MiB/s, fio {reads[-1] / MIB:.0f} MiB/s")
    finally:
        server.remove()
    scan, read = statistics.median(scans), statistics.median(reads)
    print(f"\nsum over {file_size(millions)} MiB with a pool of {options.pool_mb} MB, cold, {options.threads} threads, median of {options.runs} runs")
    print(f"  gnomon {scan / MIB:.0f} MiB/s, fio (64 KiB, random, direct, {REQUESTS_UNDER_WAY} requests a thread) {read / MIB:.0f} MiB/s")
    print(f"  gnomon/fio: {scan / read:.2f}")


def file_size(millions: int) -> int:
    return round(millions * 1_000_000 * ROW_BYTES / MIB)


def measure_tpch(options):
    folder = tpch_tables.data_folder(options.scale)
    server = new_server(options, 8192)
    try:
        server.start()
        tpch_tables.load(server, folder)
        texts = {query: tpch_tables.query_text(query) for query in QUERIES}
        warm = {query: min((asked(server, text) for _ in range(3)), key=lambda found: found[0]) for query, text in texts.items()}
        if server.stop() != 0:
            raise RuntimeError(server.log())
        pages = sum(path.stat().st_size for path in server.data.glob("pages.*"))
        pool_mb = max(16, pages // 4 // MIB)
        small = new_server(options, pool_mb, server.data)
        small.start()
        try:
            few = {query: min((asked(small, text) for _ in range(options.runs)), key=lambda found: found[0]) for query, text in texts.items()}
        finally:
            code = small.stop()
        if code != 0:
            raise RuntimeError(small.log())
    finally:
        server.remove()
    print(f"\nTPC-H at scale {options.scale}, {pages // MIB} MiB of pages: all in memory, and with a pool of {pool_mb} MB")
    print(f"{'query':>5} {'all ms':>10} {'quarter ms':>12} {'slowdown':>9}")
    for query in QUERIES:
        if warm[query][1].rows != few[query][1].rows:
            raise RuntimeError(f"query {query} has another answer with a small pool")
        print(f"{query:5} {warm[query][0] * 1000:10.1f} {few[query][0] * 1000:12.1f} {few[query][0] / warm[query][0]:9.2f}")
    slowdown = math.exp(statistics.fmean(math.log(few[q][0] / warm[q][0]) for q in QUERIES))
    print(f" mean {'':>23} {slowdown:9.2f}   (geometric); the same answers")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server's binary")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pool-mb", type=int, default=256)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--fio-seconds", type=int, default=3)
    parser.add_argument("--scale", default="1", help="of TPC-H")
    parser.add_argument("--no-tpch", action="store_true")
    options = parser.parse_args()
    measure_scan(options)
    if not options.no_tpch:
        measure_tpch(options)


if __name__ == "__main__":
    main()
