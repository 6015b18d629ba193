"""Servers of a test's own, on an empty data directory."""
import pytest

import servers


@pytest.fixture
def new_server():
    """Makes servers that are gone after the test, started or not."""
    made = []

    def make(**options):
        made.append(servers.new_gnomon(**options))
        return made[-1]

    yield make
    for server in made:
        server.remove()


@pytest.fixture
def server(new_server):
    made = new_server()
    if not made.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    return made
