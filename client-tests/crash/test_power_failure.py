"""Power failures, on images of the disk that are put together from what the server wrote and synced."""
import random

import psycopg
import pytest

import servers
from crash import power, torture


@pytest.fixture
def traced(tmp_path):
    server = power.TracedServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="64MB")
    if not server.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    server.library = power.build_library(tmp_path)
    server.more_options = ["--io-method=pread", "--wal-segment-size=1MB", "--wal-logs=16"]
    server.data.mkdir()
    yield server
    server.remove()


def test_nothing_acknowledged_is_lost_in_power_failures():
    lines = []
    try:
        power.PowerFailures(seed=random.SystemRandom().randrange(10**6), rounds=3, images=1, say=lines.append).run()
    except torture.Failure as failure:
        pytest.fail("\n".join([*lines, str(failure)]))


def test_a_disk_that_lies_about_the_log_is_found_out(monkeypatch):
    """The check can fail."""
    monkeypatch.setattr(power.Disk, "lies", True)
    failures = power.PowerFailures(seed=1, rounds=3, images=3, say=lambda text: None)
    with pytest.raises((torture.Failure, psycopg.Error)):
        failures.run()
    failures.server.remove()


def test_each_synchronous_commit_is_flushed_and_flushed_once(traced):
    traced.launch()
    assert traced.wait_until_ready()
    count = 200
    with traced.connect() as connection:
        connection.execute("create table counted (n integer)")
        flushes = {}
        for mode in ("on", "off"):
            connection.execute(f"set synchronous_commit = {mode}")
            before = power.count_syncs(traced.trace)
            for number in range(count):
                connection.execute(f"insert into counted values ({number})")
            flushes[mode] = (power.count_syncs(traced.trace) - before) / count
    print(f"device flushes per commit of one session: {flushes['on']:.3f}, not waiting: {flushes['off']:.3f}")
    assert 1 <= flushes["on"] < 1.3
    assert flushes["off"] < 1


def test_new_data_directory_is_on_the_disk_with_those_above_it(traced):
    traced.root = traced.folder / "root"
    traced.root.mkdir()
    traced.data = traced.root / "some" / "where" / "data"
    disk = power.Disk(traced.root, traced.folder / "disk")
    traced.launch()
    assert traced.wait_until_ready()
    traced.kill()
    disk.replay(traced.trace)
    folder = disk.top
    for name in ("some", "where", "data", "gnomon.control"):
        assert name in folder.durable_names, name
        folder = folder.durable_names[name]


def test_recovery_syncs_the_log_before_it_writes_pages(traced):
    """A killed server may have left log records in the system's memory only."""
    disk = power.Disk(traced.data, traced.folder / "disk")
    traced.launch("wal.written:300")
    assert traced.wait_until_ready()
    with pytest.raises(psycopg.OperationalError), traced.connect() as connection:
        connection.execute("create table counted (n integer)")
        for number in range(1000):
            connection.execute(f"insert into counted values ({number})")
    traced.kill()
    disk.replay(traced.trace)
    disk.end_process()
    logs = {name: file for name, file in disk.top.names["wal"].names.items() if name.endswith(".log")}
    assert any(file.pending for file in logs.values()), "nothing of the log was unsynced"
    traced.launch("doublewrite.home_synced")
    if traced.wait_until_ready():
        with pytest.raises(psycopg.OperationalError), traced.connect() as connection:
            connection.execute("checkpoint")
    traced.kill()
    written = []

    def watch(file: power.File):
        if file in [page_file for name, page_file in disk.top.names.items() if name.startswith("pages.")]:
            written.append([name for name, log in disk.top.names["wal"].names.items() if name.endswith(".log") and log.pending])

    disk.replay(traced.trace, watch)
    assert written and not any(written)
