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
        is_named = server.process.returncode in (1, 7) and f'{server.data}/wal' in log and not server.sanitizer_reports()
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
