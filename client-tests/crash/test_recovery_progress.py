"""What the server's log says of a recovery."""
import re

import pytest

import servers
from crash import torture


@pytest.fixture
def server():
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    server = torture.CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="64MB")
    server.launch()
    assert server.wait_until_ready()
    yield server
    server.remove()


def lines_of_start(server, failpoint: str = "") -> list[str]:
    """What a start logs, without dates."""
    open(server.log_path, "wb").close()
    server.launch(failpoint)
    assert server.wait_until_ready()
    return [line.split("LOG:  ")[1] for line in server.log().splitlines() if "LOG:  " in line]


def test_a_recovery_says_what_it_does_and_how_long_it_took(server):
    connection, loser = server.connect(), server.connect()
    connection.execute("create table numbers (n integer primary key, t text)")
    loser.execute("begin")
    loser.execute("insert into numbers values (-1, 'lost'), (-2, 'lost')")
    connection.execute("insert into numbers values (1, 'kept')")
    server.kill()
    connection.close()
    loser.close()
    # One that takes long to undo, so that it is said how far it is.
    lines = lines_of_start(server, "recovery.undone~5200:1")
    patterns = [
        r"database system was not properly shut down; automatic recovery in progress$",
        r"redo starts at record \d+, \d+ MB of log in \d+ logs$",
        r"redo done at record \d+: (\d+) records of \d+ MB, (\d+) changes of (\d+) pages$",
        r"undo in progress, elapsed time 5\.\d s: 1 changes undone$",
        r"undo done: (\d+) changes of 1 transactions that had not committed$",
        r"recovery done in (\d+\.\d+) s: analysis (\d+\.\d+) s, redo (\d+\.\d+) s, undo (\d+\.\d+) s$",
        r"database system is ready",
    ]
    found = [next((match for line in lines if (match := re.match(pattern, line))), None) for pattern in patterns]
    assert all(found), lines
    places = [next(i for i, line in enumerate(lines) if re.match(pattern, line)) for pattern in patterns]
    assert places == sorted(places), lines
    assert all(int(number) > 0 for number in found[2].groups())
    assert int(found[4].group(1)) >= 2, "rows, and entries of the key"
    seconds = [float(number) for number in found[5].groups()]
    assert abs(seconds[0] - sum(seconds[1:])) < 0.05 and seconds[3] >= 5.2
    with server.connect() as connection:
        assert connection.execute("select n, t from numbers").fetchall() == [(1, "kept")]


def test_a_clean_start_says_nothing_of_recovery(server):
    assert server.stop() == 0
    lines = lines_of_start(server)
    assert not any(re.search("recover|redo|undo", line) for line in lines), lines
