"""One long run, in intervals: whether throughput stays, and how much memory and disk it takes (--steady of tpcc/run and tatp/run)."""
import json
import pathlib
import statistics
import time

from oltp import report

WINDOWS = 6  # rows of the table


def memory_bytes(server) -> int:
    """What the server's processes have in memory, shared pages counted once."""
    pid = server.process.pid
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    total = 0
    for each in (str(pid), *children):
        try:
            rollup = pathlib.Path(f"/proc/{each}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


def disk_bytes(server) -> int:
    total = 0
    for path in pathlib.Path(server.data).rglob("*"):
        try:
            if path.is_file():
                total += path.stat().st_blocks * 512
        except FileNotFoundError:
            continue  # a file that went meanwhile
    return total


def run(measured, benchmark, server, options) -> list[dict]:
    """`measured`: of oltp/comparison.py. The samples, one for each interval of options.seconds."""
    case = {"clients": options.clients[0], "pipeline": options.pipeline[0]}
    begun = time.monotonic()
    samples = []
    while time.monotonic() - begun < options.steady:
        interval = measured(benchmark, server, case, options.seed + len(samples), options)
        kind = next(iter(interval["transactions"].values()))
        samples.append({
            "second": time.monotonic() - begun, "rate": interval["rate"], "p99": kind["p99"], "max": kind["max"],
            "memory": memory_bytes(server), "disk": disk_bytes(server),
        })  # fmt: skip
    return samples


def rows(name: str, samples: list[dict]) -> list[list[str]]:
    length = max(1, (len(samples) + WINDOWS - 1) // WINDOWS)
    found = []
    for begin in range(0, len(samples), length):
        window = samples[begin : begin + length]
        rates = [sample["rate"] for sample in window]
        found.append([
            name, f"{window[-1]['second'] / 60:.0f}", f"{statistics.mean(rates):,.0f}", f"{min(rates):,.0f}", f"{max(rates):,.0f}",
            f"{statistics.median(sample['p99'] for sample in window):,.0f}", f"{max(sample['max'] for sample in window) / 1000:,.0f}",
            f"{max(sample['memory'] for sample in window) / 2**20:,.0f}", f"{window[-1]['disk'] / 2**20:,.0f}",
        ])  # fmt: skip
    return found


def draw(by_server: dict, title: str, kind: str, path: pathlib.Path):
    import matplotlib  # noqa: PLC0415: only drawing needs it

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot  # noqa: PLC0415

    figure, (rate, latency, memory) = plot.subplots(3, 1, figsize=(9, 8), sharex=True)
    for (name, samples), color in zip(by_server.items(), ("tab:blue", "tab:orange")):
        minutes = [sample["second"] / 60 for sample in samples]
        rate.plot(minutes, [sample["rate"] for sample in samples], color=color, label=name)
        latency.plot(minutes, [sample["p99"] for sample in samples], color=color, label=name)
        memory.plot(minutes, [sample["memory"] / 2**30 for sample in samples], color=color, label=f"{name}, memory")
        memory.plot(minutes, [sample["disk"] / 2**30 for sample in samples], "--", color=color, label=f"{name}, disk")
    rate.set_ylabel("transactions a second")
    rate.set_ylim(bottom=0)
    latency.set_ylabel(f"{kind}: p99, microseconds", fontsize=8)
    latency.set_yscale("log")
    memory.set_ylabel("GiB")
    memory.set_ylim(bottom=0)
    memory.set_xlabel("minutes")
    for axis in (rate, latency, memory):
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def write(by_server: dict, title: str, kind: str, out: pathlib.Path):
    """OUT-steady.md, which is printed as well, .json and .png. `kind`: of the transactions whose latencies are shown."""
    out = out.with_name(f"{out.name}-steady")
    out.parent.mkdir(parents=True, exist_ok=True)
    header = ["system", "until minute", "rate", "least", "most", f"{kind} p99 us", "max ms", "memory MiB", "disk MiB"]
    table = report.table(header, [row for name, samples in by_server.items() for row in rows(name, samples)], 1)
    print(f"\n{title}\n\n{table}\n")
    out.with_suffix(".md").write_text(f"{title}\n\n{table}\n")
    out.with_suffix(".json").write_text(json.dumps({"title": title, "samples": by_server}, indent=1))
    draw(by_server, title, kind, out.with_suffix(".png"))
