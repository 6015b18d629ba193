"""The TPC-H tables in a server: making the data, creating the tables and loading them through psql's \\copy."""
import pathlib
import subprocess

from servers import PROJECT, Server

TABLES = ("region", "nation", "part", "supplier", "customer", "partsupp", "orders", "lineitem")
SCHEMA = PROJECT / "benchmarks" / "tpch" / "schema.sql"
QUERIES = PROJECT / "benchmarks" / "tpch" / "queries"


def data_folder(scale: str) -> pathlib.Path:
    """The folder with TABLE.tbl files, made at the first call of a scale."""
    generate = PROJECT / "benchmarks" / "tpch" / "generate"
    made = subprocess.run([str(generate), scale], capture_output=True, text=True, check=True)
    return PROJECT / made.stdout.strip()


def drop(server: Server):
    with server.connect() as connection:
        for table in TABLES:
            connection.execute(f"drop table {table}")


def load(server: Server, folder: pathlib.Path):
    """Creates and fills the eight tables; raises with psql's message when something fails."""
    copies = [f"\\copy {table} from '{folder / table}.tbl' with (delimiter '|')" for table in TABLES]
    script = SCHEMA.read_text() + "\n".join([*copies, *server.after_load]) + "\n"
    done = server.psql("-q", input=script, timeout=3600)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"loading {folder} into {server.name}: {done.stderr}")


def query_text(number: int) -> str:
    return (QUERIES / f"{number:02}.sql").read_text()


def query_numbers() -> list[int]:
    return sorted(int(path.stem) for path in QUERIES.glob("*.sql"))
