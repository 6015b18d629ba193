"""Fixtures shared by all client tests: one PostgreSQL and one Gnomon for the whole run."""
import os
import pathlib
import subprocess

import pytest

import servers
import tpch_tables


@pytest.fixture(scope="session")
def postgres():
    server = servers.PostgresServer().start()
    yield server
    server.stop()
    server.remove()


class GnomonUnderTest:
    """The shared Gnomon. One that died is replaced by a fresh one, so that one crash fails one test and not all that follow."""

    def __init__(self):
        self.server = servers.new_gnomon().start()
        self.deaths = []

    def alive(self):
        if not self.server.running():
            self.deaths.append(f"exit code {self.server.process.returncode}:\n{self.server.log()}")
            self.server.remove()
            self.server = servers.new_gnomon().start()
        return self.server

    def end(self):
        """Raises when the server died, does not end cleanly, or a sanitizer complained."""
        self.alive()
        server = self.server
        code = server.stop()
        reports = getattr(server, "sanitizer_reports", str)()
        log = server.log()
        server.remove()
        assert not self.deaths, "the server died during the tests: " + "\n".join(self.deaths)
        assert code == 0, f"the server ended with {code}:\n{log}"
        assert not reports, reports


@pytest.fixture(scope="session")
def gnomon_holder():
    holder = GnomonUnderTest()
    yield holder
    holder.end()


@pytest.fixture
def gnomon(gnomon_holder):
    """The shared server, alive at the start of the test and at its end."""
    server = gnomon_holder.alive()
    yield server
    assert server.running(), f"the server died during this test:\n{server.log()}"


@pytest.fixture
def only_gnomon(gnomon):
    """For statements about Gnomon alone, which a PostgreSQL in its place cannot meet."""
    if not gnomon.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    return gnomon


@pytest.fixture(scope="session")
def small_tpch_folder():
    return tpch_tables.data_folder(os.environ.get("RANDOM_QUERY_SCALE", "0.01"))


@pytest.fixture(scope="session")
def libpq_program(tmp_path_factory) -> pathlib.Path:
    """The C program that uses libpq with no driver between."""
    source = pathlib.Path(__file__).parent / "drivers" / "libpq_client.c"
    program = tmp_path_factory.mktemp("libpq") / "libpq_client"
    include = subprocess.run(["pg_config", "--includedir"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["clang-19", "-Wall", "-Werror", f"-I{include}", str(source), "-lpq", "-o", str(program)], check=True)
    return program
