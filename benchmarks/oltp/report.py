"""Tables and curves of what oltp/comparison.py has measured."""
import json
import pathlib
import statistics


def ratio(result: dict) -> str:
    """Of Gnomon's median to that of the other system."""
    others = [name for name in result["runs"] if name != "gnomon"]
    if len(others) != 1 or len(result["runs"]) != 2:
        return ""
    return f"{result['runs']['gnomon']['rate'] / result['runs'][others[0]]['rate']:.2f}"


def turns(result: dict) -> str:
    """The mean of the turns' ratios, and its error: what tells little differences on a machine that is not quiet."""
    if not ratio(result) or len(result["rates"]["gnomon"]) < 3:
        return ""
    other = next(rates for name, rates in result["rates"].items() if name != "gnomon")
    ratios = [own / of_other for own, of_other in zip(result["rates"]["gnomon"], other)]
    return f"{statistics.mean(ratios):.3f} ({statistics.stdev(ratios) / len(ratios) ** 0.5:.3f})"


def line(result: dict) -> str:
    rates = ", ".join(f"{name} {run['rate']:,.0f}/s" for name, run in result["runs"].items())
    said = f"{result['clients']:>3} clients, {result['pipeline']:>3} in a pipeline: {rates}{', ratio ' if ratio(result) else ''}{ratio(result)}"
    return f"{said}, in turns {turns(result)}" if turns(result) else said


def table(header: list[str], rows: list[list[str]], left: int) -> str:
    """Markdown; the first `left` columns are texts."""
    rule = ["---"] * left + ["---:"] * (len(header) - left)
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def rates(results: list[dict]) -> str:
    systems = list(results[0]["runs"])
    header = ["clients", "pipeline", *(f"{name}/s" for name in systems), "ratio", *(f"{name} us" for name in systems), "driver's share"]
    rows = [
        [str(result["clients"]), str(result["pipeline"]), *(f"{result['runs'][name]['rate']:,.0f}" for name in systems), ratio(result),
         *(f"{result['runs'][name]['server_us']:.1f}" for name in systems),
         ", ".join(f"{result['runs'][name]['driver_share']:.0%}" for name in systems)]
        for result in results
    ]  # fmt: skip
    return table(header, rows, 0)


def latencies(results: list[dict]) -> str:
    header = ["clients", "pipeline", "transaction", "system", "a second", "p50 us", "p95 us", "p99 us", "max us", "failed", "retries"]
    rows = []
    for result in results:
        for kind in next(iter(result["runs"].values()))["transactions"]:
            for name, run in result["runs"].items():
                counts = run["transactions"][kind]
                done = counts["committed"] + counts["refused"]
                failed = (counts["fruitless"] + counts["refused"]) / max(1, done)
                rows.append([str(result["clients"]), str(result["pipeline"]), kind, name, f"{done / run['seconds']:,.0f}",
                             *(f"{counts[share]:,.0f}" for share in ("p50", "p95", "p99", "max")), f"{failed:.1%}", str(counts["retries"])])  # fmt: skip
    return table(header, rows, 0)


def draw(results: list[dict], title: str, path: pathlib.Path):
    import matplotlib  # noqa: PLC0415: only drawing needs it

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot  # noqa: PLC0415

    figure, (throughput, latency) = plot.subplots(1, 2, figsize=(10, 4))
    kinds = list(next(iter(results[0]["runs"].values()))["transactions"])
    pipelines = sorted({result["pipeline"] for result in results})
    for name, color in zip(results[0]["runs"], ("tab:blue", "tab:orange")):
        for pipeline, style in zip(pipelines, ("-", "--", ":", "-.")):
            chosen = [result for result in results if result["pipeline"] == pipeline]
            label = name + (f", {pipeline} in a pipeline" if len(pipelines) > 1 else "")
            clients = [str(result["clients"]) for result in chosen]
            throughput.plot(clients, [result["runs"][name]["rate"] for result in chosen], style, color=color, marker="o", label=label)
            # The median of the commonest transaction, and, thin, its 99th percentile.
            middle, high = ([result["runs"][name]["transactions"][kinds[0]][share] for result in chosen] for share in ("p50", "p99"))
            latency.plot(clients, middle, style, color=color, marker="o", label=label)
            latency.plot(clients, high, style, color=color, marker="x", linewidth=0.7)
    throughput.set_ylabel("transactions a second")
    throughput.set_ylim(bottom=0)
    latency.set_ylabel(f"{kinds[0]}: microseconds, p50, p99 thin", fontsize=8)
    latency.set_yscale("log")
    for axis in (throughput, latency):
        axis.set_xlabel("clients")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def write(results: list[dict], title: str, out: pathlib.Path):
    """OUT.md, which is printed as well, OUT.json and OUT.png."""
    out.parent.mkdir(parents=True, exist_ok=True)
    text = f"{title}\n\n{rates(results)}\n\n{latencies(results)}\n"
    print("\n" + text)
    out.with_suffix(".md").write_text(text)
    out.with_suffix(".json").write_text(json.dumps({"title": title, "results": results}, indent=1))
    draw(results, title, out.with_suffix(".png"))
