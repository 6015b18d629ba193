"""Logs that were cut or damaged: what starts is a prefix of what was done, or nothing starts and the file is named.

Clients work until the server is killed. Then each log is damaged in turn, in a copy of the directory. A server that starts on it has
every client after one of its transactions, whichever, with all sums right, and `gnomon verify` finds nothing; one that refuses says
which file it is.
"""
import os
import random
import shutil
import subprocess
import threading
import time

import psycopg
import pytest

import servers
from crash import torture, workload

SEED = int(os.environ.get("DAMAGED_LOGS_SEED", "0")) or random.SystemRandom().randrange(10**6)
WORK_SECONDS = 3


@pytest.fixture
def crashed(tmp_path):
    """A killed server and what its clients did, every state of theirs."""
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    server = torture.CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="16MB")
    server.more_options = ["--wal-segment-size=1MB", "--max-wal-size=4MB", "--wal-logs=16"]
    server.start()
    with server.connect() as connection:
        for statement in workload.SCHEMA:
            connection.execute(statement)
    clients = [workload.Client(number, False) for number in range(torture.CLIENTS)]
    stop = threading.Event()
    for client in clients:
        client.history.keep_all()
    threads = [threading.Thread(target=client.run, args=(server.dsn(), f"{SEED}-{client.number}", stop)) for client in clients]
    for thread in threads:
        thread.start()
    time.sleep(WORK_SECONDS)
    server.kill()
    stop.set()
    for thread in threads:
        thread.join()
    assert not any(client.problem for client in clients), [client.problem for client in clients]
    shutil.copytree(server.data, tmp_path / "crashed")
    yield server, clients, tmp_path / "crashed"
    server.remove()


def place(path, draw) -> int:
    """Somewhere in what was written, and often near its end."""
    written = max(1, len(path.read_bytes().rstrip(b"\0")))
    return draw.choice([draw.randrange(written), max(0, written - 1 - draw.randrange(20_000))])


def cut(path, draw):
    with open(path, "r+b") as file:
        file.truncate(place(path, draw))


def overwrite(path, draw, data_of):
    size = path.stat().st_size
    begin = place(path, draw)
    with open(path, "r+b") as file:
        file.seek(begin)
        file.write(data_of(min(draw.choice([1, 100, 4096, size]), size - begin)))


DAMAGES = {
    "cut": cut,
    "zeros": lambda path, draw: overwrite(path, draw, bytes),
    "garbage": lambda path, draw: overwrite(path, draw, draw.randbytes),
    "missing": lambda path, draw: path.unlink(),
}


def outcome(server, clients) -> str:
    """Starts the server on the damaged directory. "started", "refused", or what is wrong."""
    with open(server.log_path, "wb"):
        pass
    server.launch()
    if not server.wait_until_ready():
        log = server.log()
        is_named = server.process.returncode == 7 and f'{server.data}/wal' in log and not server.sanitizer_reports()
        return "refused" if is_named else f"ended with {server.process.returncode}: {log[-3000:]}"
    with server.connect() as connection:
        problems = [f"client {client.number}: {wrong}" for client in clients if (wrong := client.history.settle(workload.found_state(connection, client), goes_on=False))]
        problems += workload.check_sums(connection)
    if server.stop() != 0 or server.sanitizer_reports():
        problems.append(server.log()[-3000:])
    verified = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=torture.SECONDS_MAX, check=False)
    if verified.returncode != 0:
        problems.append(verified.stdout[-2000:])
    return "; ".join(problems) or "started"


def test_damage_of_any_log_leaves_a_prefix_or_a_refusal_that_names_the_file(crashed):
    server, clients, directory = crashed
    draw = random.Random(SEED)
    shutil.rmtree(server.data)
    shutil.copytree(directory, server.data)
    segments = sorted(path.name for path in (directory / "wal").glob("*.log"))
    assert outcome(server, clients) == "started", "without damage"
    outcomes = []
    for log in sorted({name.split("-")[0] for name in segments}):
        for kind, damage in DAMAGES.items():
            name = draw.choice([name for name in segments if name.startswith(log + "-")][-2:])
            shutil.rmtree(server.data)
            shutil.copytree(directory, server.data)
            damage(server.data / "wal" / name, draw)
            found = outcome(server, clients)
            assert found in ("started", "refused"), f"seed {SEED}: {kind} in {name}: {found}"
            outcomes.append(found)
    print({found: outcomes.count(found) for found in set(outcomes)})
    assert "refused" in outcomes


def test_a_last_flush_that_pages_build_on_is_no_torn_tail(tmp_path):
    """Nothing in the log knows of it. The pages that went home after it do."""
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    server = torture.CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="64MB")
    try:
        server.launch()
        assert server.wait_until_ready()
        with server.connect() as connection:
            connection.execute("create table numbers (n integer primary key)")
            connection.execute("insert into numbers values (1)")
        assert server.stop() == 0
        logs = sorted((server.data / "wal").glob("*.log"))
        # The start takes a checkpoint; the second one ends when pages are home, before it says so.
        server.launch("checkpoint.pages_written:2")
        assert server.wait_until_ready()
        with server.connect() as connection, pytest.raises(psycopg.OperationalError):
            before = {path: path.read_bytes() for path in logs}
            connection.execute("insert into numbers values (2)")
            connection.execute("checkpoint")
        server.kill()
        assert server.process.returncode == torture.KILLED
        changed = [path for path in logs if path.read_bytes() != before[path]]
        assert len(changed) == 1, "one session, one log"
        shutil.copytree(server.data, tmp_path / "crashed")
        size = len(changed[0].read_bytes().rstrip(b"\0"))
        with open(changed[0], "r+b") as file:
            file.seek(size - 20)
            byte = file.read(1)[0]
            file.seek(size - 20)
            file.write(bytes([byte ^ 1]))
        open(server.log_path, "wb").close()
        server.launch()
        assert not server.wait_until_ready()
        assert server.process.returncode == 7
        assert str(changed[0]) in server.log() and "had been synced" in server.log(), server.log()
        inspected = subprocess.run([str(server.binary), "inspect", str(server.data), "--log", "all"], capture_output=True, text=True, check=False)
        assert "problem: " in inspected.stdout and str(changed[0]) in inspected.stdout, inspected.stdout + inspected.stderr
        # As it was, it starts.
        shutil.rmtree(server.data)
        shutil.copytree(tmp_path / "crashed", server.data)
        server.launch()
        assert server.wait_until_ready()
        with server.connect() as connection:
            assert connection.execute("select n from numbers order by n").fetchall() == [(1,), (2,)]
        assert server.stop() == 0
    finally:
        server.remove()
