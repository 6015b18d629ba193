"""Update transactions over four times as much data as the pool holds: figure 7 of paper 1 (section 4.3.2).

    benchmarks/mvcc/memory                              a pool of 256 MB, three minutes
    benchmarks/mvcc/memory --pool-mb 512 --seconds 600 --clients 8

pgbench updates random rows, two in a transaction, and moves an amount between them, with prepared statements. Each second throughput, version
memory, version maps, what was read and written, and the size of the log are noted. The table at the end compares the thirds of the time;
curves go to OUT.csv and OUT.png. At the end the sum over all rows is what it was.
"""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402

MIB = 1 << 20
ROW_BYTES = 116  # with the tuple id
SCRIPT = """\\set one random(1, :rows)
\\set other random(1, :rows)
\\set amount random(1, 1000)
BEGIN;
UPDATE account SET amount = amount - :amount WHERE id = :one;
UPDATE account SET amount = amount + :amount WHERE id = :other;
END;
"""
SAMPLED = (
    "version_bytes", "version_maps", "orphaned_maps", "retained", "reads", "writes", "evictions", "log_bytes", "log_disk_bytes", "checkpoint_rounds",
)  # fmt: skip
SAMPLING = """
select t.version_bytes, t.version_maps, t.orphaned_maps, t.retained, b.reads, b.writes, b.evictions, w.log_bytes, w.log_disk_bytes, w.rounds
from gnomon_transactions t,
     (select sum(reads) as reads, sum(writes) as writes, sum(evictions) as evictions from gnomon_buffer) b,
     (select sum(appended_bytes) as log_bytes, sum(disk_bytes) as log_disk_bytes, max(checkpoint_rounds) as rounds from gnomon_wal) w
"""


def say(text: str):
    print(text, file=sys.stderr, flush=True)


def fill(server, rows: int):
    with server.connect() as connection:
        connection.execute("create table account (id integer not null, amount bigint not null, filler char(84) not null)")
        with connection.cursor().copy("copy account from stdin") as copy:
            for first in range(1, rows + 1, 10_000):
                copy.write("".join(f"{id}\t1000\t{id}\n" for id in range(first, min(first + 10_000, rows + 1))))
        connection.execute("alter table account add primary key (id)")
        connection.execute("checkpoint")


class Sampler(threading.Thread):
    """Notes each second what the server says of itself."""

    def __init__(self, server):
        super().__init__()
        self.server, self.samples, self.stopping = server, [], threading.Event()

    def run(self):
        with self.server.connect() as connection:
            begun = time.monotonic()
            while not self.stopping.wait(1 - (time.monotonic() - begun) % 1):
                row = connection.execute(SAMPLING).fetchone()
                self.samples.append({"second": round(time.monotonic() - begun)} | dict(zip(SAMPLED, (int(value or 0) for value in row))))


def run(server, rows: int, options) -> list[dict]:
    script = server.folder / "update.sql"
    script.write_text(SCRIPT)
    sampler = Sampler(server)
    sampler.start()
    command = [
        str(servers.POSTGRES_BIN / "pgbench"), "-n", "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", "-f", str(script), "-M", "prepared",
        "-c", str(options.clients), "-j", "2", "-T", str(options.seconds), "-P", "1", "-D", f"rows={rows}", "--max-tries", "10", "postgres",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PGOPTIONS": f"-c synchronous_commit={options.synchronous_commit}"})
    sampler.stopping.set()
    sampler.join()
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr + server.log())
    rates = {round(float(second)): float(rate) for second, rate in re.findall(r"progress: ([0-9.]+) s, ([0-9.]+) tps", done.stderr)}
    return [sample | {"transactions": rates[sample["second"]]} for sample in sampler.samples if sample["second"] in rates]


def thirds(samples: list[dict]) -> list[list[dict]]:
    size = len(samples) // 3
    return [samples[:size], samples[size : 2 * size], samples[2 * size :]]


def report(samples: list[dict]):
    print(f"{'':<10} {'transactions/s':>15} {'version memory, KiB':>24} {'version maps':>16} {'log on disk, MiB':>18}")
    print(f"{'':<10} {'median':>15} {'mean':>12} {'largest':>11} {'largest':>16} {'largest':>18}")
    for name, part in zip(("first", "second", "last third"), thirds(samples)):
        memory = [sample["version_bytes"] / 1024 for sample in part]
        print(f"{name:<10} {statistics.median(sample['transactions'] for sample in part):>15,.0f} {statistics.mean(memory):>12,.0f} {max(memory):>11,.0f}"
              f" {max(sample['version_maps'] for sample in part):>16,} {max(sample['log_disk_bytes'] for sample in part) / MIB:>18,.0f}")  # fmt: skip


def draw(samples: list[dict], path: pathlib.Path, title: str):
    import matplotlib  # noqa: PLC0415: only drawing needs it

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot  # noqa: PLC0415

    def rate(name: str) -> list[float]:
        return [0.0] + [max(0, after[name] - before[name]) for before, after in zip(samples, samples[1:])]

    curves = (
        ("transactions/s", [sample["transactions"] for sample in samples]),
        ("version memory, KiB", [sample["version_bytes"] / 1024 for sample in samples]),
        ("version maps", [sample["version_maps"] for sample in samples]),
        ("pages read/s", rate("reads")),
        ("pages written/s", rate("writes")),
        ("log, MiB/s", [bytes / MIB for bytes in rate("log_bytes")]),
        ("log on disk, MiB", [sample["log_disk_bytes"] / MIB for sample in samples]),
    )
    figure, axes = plot.subplots(len(curves), 1, sharex=True, figsize=(9, 1.5 * len(curves)))
    for axis, (name, values) in zip(axes, curves):
        axis.plot([sample["second"] for sample in samples], values, linewidth=0.9)
        axis.set_ylim(bottom=0)
        axis.set_title(name, fontsize=8, loc="left")
        axis.tick_params(labelsize=7)
    axes[-1].set_xlabel("seconds", fontsize=8)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pool-mb", type=int, default=256)
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--synchronous-commit", choices=("on", "off"), default="off")
    parser.add_argument("--gnomon", default="build/release/gnomon", help="the server binary")
    parser.add_argument("--out", type=pathlib.Path, default=PROJECT / "build" / "memory", help="of OUT.csv and OUT.png")
    options = parser.parse_args()
    rows = 4 * options.pool_mb * MIB // ROW_BYTES
    server = servers.GnomonServer((PROJECT / options.gnomon).resolve(), workers=os.cpu_count(), buffer_pool=f"{options.pool_mb}MB")
    try:
        server.start()
        fill(server, rows)
        pages = sum(path.stat().st_size for path in server.data.glob("pages.*"))
        say(f"{rows:,} rows, {pages / MIB:,.0f} MiB of pages")
        samples = run(server, rows, options)
        with server.connect() as connection:
            total = int(connection.execute("select sum(amount) from account").fetchone()[0])
        if total != 1000 * rows:
            raise RuntimeError(f"the sum is {total} instead of {1000 * rows}")
        if server.stop() != 0:
            raise RuntimeError(server.log())
    finally:
        server.remove()
    title = f"{rows:,} rows, {pages / MIB:,.0f} MiB of pages, a pool of {options.pool_mb} MB, {options.clients} clients, synchronous_commit {options.synchronous_commit}"
    print(f"\n{title}\n")
    report(samples)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with open(options.out.with_suffix(".csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, ["second", "transactions", *SAMPLED])
        writer.writeheader()
        writer.writerows(samples)
    draw(samples, options.out.with_suffix(".png"), title)
    return 0


if __name__ == "__main__":
    sys.exit(main())
