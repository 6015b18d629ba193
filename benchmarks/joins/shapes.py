"""Planning times of a point query and of chains, stars and cliques of 12 to 100 relations."""
import json

SIZES = (12, 20, 50, 100)
RUNS = 5


def explain(connection, text: str) -> dict:
    value = connection.execute(f"explain (summary, format json) {text}").fetchone()[0]
    return (json.loads(value) if isinstance(value, str) else value)[0]


def joins_without_key(node: dict) -> bool:
    """A nested loop whose inner side is not looked up by a key, in a query all of whose joins are equalities."""
    inputs = node.get("Plans", [])
    if node["Node Type"] == "Nested Loop" and not any("Index Cond" in child for child in inputs):
        return True
    return any(joins_without_key(child) for child in inputs)


def equalities(shape: str, size: int) -> list[str]:
    if shape == "chain":
        return [f"r{i}.a = r{i + 1}.b" for i in range(size - 1)]
    if shape == "star":
        return [f"r0.a + {i} = r{i}.a" for i in range(1, size)]  # an edge of its own for each
    return [f"r0.a = r{i}.a" for i in range(1, size)]  # one class: each is equal to each


def report(connection):
    connection.execute("create table point (id integer primary key, a integer)")
    connection.execute("insert into point select g, g % 100 from generate_series(1, 20000) g")
    connection.execute("create table shape (a integer, b integer)")
    connection.execute("insert into shape select g % 5000, g % 1000 from generate_series(1, 20000) g")
    connection.execute("analyze")
    spent = min(explain(connection, "select * from point where id = 5")["Planning Time"] for _ in range(RUNS))
    print(f"\nplanning, point query: {spent:.3f} ms\n")
    print("| planning, ms | " + " | ".join(f"{size} relations" for size in SIZES) + " |\n" + "| --- " * (len(SIZES) + 1) + "|")
    for shape in ("chain", "star", "clique"):
        figures = []
        for size in SIZES:
            tables = ", ".join(f"shape r{i}" for i in range(size))
            plans = [explain(connection, f"select count(*) from {tables} where {' and '.join(equalities(shape, size))}") for _ in range(RUNS)]
            if joins_without_key(plans[0]["Plan"]):
                raise ValueError(f"a {shape} of {size} relations has a cross product")
            figures.append(f"{min(plan['Planning Time'] for plan in plans):.2f}")
        print(f"| {shape} | " + " | ".join(figures) + " |", flush=True)
