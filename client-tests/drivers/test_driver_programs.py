"""Small programs in the drivers' own languages: each prints the same transcript on Gnomon as on PostgreSQL.

Each does the same ten things: connect, types, prepared statements, transactions, errors, copy, cursor or stream, batch, metadata, cancel.
"""
import pathlib
import shutil
import subprocess
import sys

import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"
BUILD = pathlib.Path(__file__).parents[2] / "build" / "driver_programs"
SECONDS_MAX = 120

pytestmark = pytest.mark.release_only


def python_program(name: str) -> list[str]:
    return [sys.executable, str(PROGRAMS / name)]


def built(name: str, *steps: list[str]) -> pathlib.Path:
    """A copy of the program's folder below build/, in which the steps were taken since it changed last."""
    source, folder = PROGRAMS / name, BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "built"
    wanted = b"".join(path.name.encode() + path.read_bytes() for path in sorted(source.iterdir()))
    if not done.exists() or done.read_bytes() != wanted:
        shutil.copytree(source, folder, dirs_exist_ok=True)
        for step in steps:
            run = subprocess.run(step, cwd=folder, capture_output=True, text=True)
            assert run.returncode == 0, f"{step}:\n{run.stdout}\n{run.stderr}"
        done.write_bytes(wanted)
    return folder


def node_program() -> list[str]:
    folder = built("node", ["npm", "ci", "--no-audit", "--no-fund"])
    return ["node", str(folder / "client.js")]


def go_program() -> list[str]:
    return [str(built("pgx", ["go", "build", "-mod=readonly", "-o", "client", "."]) / "client")]


def rust_program() -> list[str]:
    folder = built("tokio_postgres", ["cargo", "build", "--quiet", "--offline", "--config", "sources.toml"])
    return [str(folder / "target" / "debug" / "client")]


def java_program() -> list[str]:
    copied = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"]
    folder = built("pgjdbc", copied, ["javac", "-cp", "lib/*", "-d", ".", "Client.java"])
    return ["java", "-cp", f"{folder}:{folder}/lib/*", "Client"]


COMMANDS = {
    "psycopg": lambda: python_program("psycopg_client.py"),
    "asyncpg": lambda: python_program("asyncpg_client.py"),
    "sqlalchemy": lambda: python_program("sqlalchemy_client.py"),
    "node-postgres": node_program,
    "pgx": go_program,
    "tokio-postgres": rust_program,
    "pgjdbc": java_program,
}


def transcript(command: list[str], server) -> list[str]:
    run = subprocess.run([*command, str(server.port)], capture_output=True, text=True, timeout=SECONDS_MAX)
    return [*run.stdout.splitlines(), f"exit code {run.returncode}", *run.stderr.splitlines()]


@pytest.mark.parametrize("driver", COMMANDS)
def test_a_driver_finds_no_difference(gnomon, postgres, driver):
    command = COMMANDS[driver]()
    expected = transcript(command, postgres)
    assert "exit code 0" in expected, "\n".join(expected)
    assert transcript(command, gnomon) == expected
