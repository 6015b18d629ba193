"""The HTTP endpoint for metrics: off unless asked for, Prometheus' text format, the figures of the views."""
import re
import socket
import urllib.error
import urllib.request

import pytest

import servers

SECONDS_MAX = 60
LINE = re.compile(r'^([a-z_]+)(\{[a-z_]+="[^"]*"\})? (\d+)$')


@pytest.fixture
def server():
    made = servers.new_gnomon()
    if not made.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    yield made
    made.remove()


def scrape(port: int) -> tuple[dict, dict]:
    """The samples by name with labels, and the kinds by name."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=SECONDS_MAX) as answer:
        assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.read().decode().splitlines()
    samples, kinds = {}, {}
    for line in lines:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in kinds, "a metric stands in one place"
            kinds[name] = kind
            continue
        name, labels, value = LINE.match(line).groups()
        assert re.sub(r"_(bucket|sum|count)$", "", name) in kinds or name in kinds
        samples[name + (labels or "")] = int(value)
    return samples, kinds


def port_of(server) -> int:
    return int(re.search(r"serving metrics on 127\.0\.0\.1, port (\d+)", server.log()).group(1))


def test_figures_are_those_of_the_views(server):
    server.more_options = ["--metrics-listen", "127.0.0.1:0"]
    server.start()
    port = port_of(server)
    with server.connect() as connection, server.connect() as other:
        checkpoints = connection.execute("select checkpoints from gnomon_wal where log is null").fetchone()[0]
        connection.execute("create table counted (id integer)")
        connection.execute("insert into counted values (1)")
        other.execute("begin")
        other.execute("insert into counted values (2)")
        connection.execute("checkpoint")
        samples, kinds = scrape(port)
        assert kinds["gnomon_statements_run_total"] == "counter" and kinds["gnomon_statement_us"] == "histogram" and kinds["gnomon_sessions"] == "gauge"
        assert samples['gnomon_sessions{state="idle in transaction"}'] == 1 and samples['gnomon_sessions{state="idle"}'] == 1
        assert samples["gnomon_transactions_active"] == 1
        assert samples["gnomon_checkpoints_total"] == connection.execute("select checkpoints from gnomon_wal where log is null").fetchone()[0] == checkpoints + 1
        assert samples["gnomon_transactions_committed_total"] == connection.execute("select last_commit from gnomon_transactions").fetchone()[0]
        records = connection.execute("select records from gnomon_wal where log is null").fetchone()[0]
        assert samples["gnomon_wal_records_total"] == records
        connection.execute("insert into counted values (3)")
        later, _ = scrape(port)
        assert later["gnomon_transactions_committed_total"] == samples["gnomon_transactions_committed_total"] + 1
        assert later["gnomon_wal_commits_waited_total"] == samples["gnomon_wal_commits_waited_total"] + 1
        assert later["gnomon_statements_run_total"] > samples["gnomon_statements_run_total"]
        assert connection.execute("show metrics_listen_address").fetchone() == ("127.0.0.1:0",)
        rows = connection.execute("select backend_type from pg_stat_activity where backend_type = 'metrics'").fetchall()
        assert rows == [("metrics",)]
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/other", timeout=SECONDS_MAX)
    assert server.stop() == 0, server.log()


def test_there_is_none_unless_it_is_asked_for(server):
    server.start()
    assert "serving metrics" not in server.log()
    with server.connect() as connection:
        assert connection.execute("show metrics_listen_address").fetchone() == ("",)
    assert server.stop() == 0, server.log()


def test_an_address_that_is_not_to_be_had_is_said_at_the_start(server):
    server.more_options = ["--metrics-listen", "0.0.0.0:0"]
    with pytest.raises(RuntimeError, match="loopback"):
        server.start()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        server.more_options = ["--metrics-listen", f"127.0.0.1:{taken.getsockname()[1]}"]
        with pytest.raises(RuntimeError, match="cannot listen for metrics"):
            server.start()
