"""`gnomon inspect --log` prints the records of the log, also of a directory that was not shut down cleanly, and changes nothing."""
import contextlib
import re

import psycopg

from . import test_damage
from .test_inspect import inspect

RECORD = re.compile(r"^log (\d+) at (\d+): gsn (\d+)")


def contents(server) -> dict:
    return {path.name: path.read_bytes() for path in (server.data / "wal").iterdir()}


def records(text: str) -> list[str]:
    return [line for line in text.splitlines() if RECORD.match(line)]


def write_and_kill(server):
    server.start()
    with contextlib.suppress(psycopg.OperationalError), server.connect() as connection:
        connection.execute("create table logged (n integer primary key, s text)")
        connection.execute("insert into logged values (1, 'one'), (2, 'two'), (3, 'three')")
        connection.execute("update logged set s = 'deux' where n = 2")
        connection.execute("delete from logged where n = 3")
        connection.execute("begin")
        connection.execute("insert into logged values (4, 'open')")
        with server.connect() as other:
            other.execute("insert into logged values (5, 'another')")
        server.kill()


def test_records_of_a_killed_server_are_shown_in_their_order(server):
    write_and_kill(server)
    before = contents(server)
    shown = inspect(server, "--log", "all")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert contents(server) == before
    lines = records(shown.stdout)
    numbers = [int(RECORD.match(line).group(3)) for line in lines]
    assert numbers == sorted(numbers) and numbers
    whole = "\n".join(lines)
    table = re.search(r"relation (\d+) page \d+ .*rows appended, tuples 0 to 2; changes page 0:\d+ after gsn \d+ \([^)]*1 tuple ids[^)]*\)", whole)
    assert table, whole[-4000:]
    relation = table.group(1)
    assert re.search(rf"relation {relation} .*row updated, tuple 1, 1 columns; changes page", whole)
    assert re.search(rf"relation {relation} .*rows deleted, tuple 2; changes page .*1 delete rows", whole)
    assert re.search(r"entry inserted; changes page \d+:\d+ after gsn \d+ \(1 insert entry\)", whole)
    assert re.search(rf"relations changed.*, relation {relation} has tree \d+:\d+, next tuple 0", whole)
    assert re.search(r" commit 0 bytes$", whole, re.MULTILINE)
    assert "something unknown" not in whole and "damaged" not in whole
    assert re.search(r"^log 0: from \d+ to \d+, gsn \d+ to \d+$", shown.stdout, re.MULTILINE)
    [open_one] = re.findall(r"^transaction (\d+) has not ended: its last record in log (\d+) is at (\d+), gsn (\d+)$", shown.stdout, re.MULTILINE)
    assert any(re.match(rf"log {open_one[1]} at {open_one[2]}: gsn {open_one[3]} transaction {open_one[0]} ", line) for line in lines)


def test_log_begin_and_number_are_chosen(server):
    write_and_kill(server)
    everything = records(inspect(server, "--log", "all").stdout)
    middle = int(RECORD.match(everything[len(everything) // 2]).group(3))
    later = [line for line in everything if int(RECORD.match(line).group(3)) >= middle]
    assert records(inspect(server, "--log", "all", "--from", str(middle)).stdout) == later
    assert records(inspect(server, "--log", "all", "--from", str(middle), "--limit", "3").stdout) == later[:3]
    own = [line for line in everything if line.startswith("log 0 ")]
    assert records(inspect(server, "--log", "0").stdout) == own
    for wrong in (("--log", "63"), ("--log", "some"), ("--from", "1"), ("--log", "all", "--page", "0:1")):
        assert inspect(server, *wrong).returncode == 2, wrong


def test_a_torn_end_is_named(server):
    write_and_kill(server)
    everything = records(inspect(server, "--log", "0").stdout)
    _, last, _ = RECORD.match(everything[-1]).groups()
    [path] = sorted((server.data / "wal").glob("00-*.log"))[-1:]
    segment_bytes = path.stat().st_size
    offset = int(last) % segment_bytes
    bytes_before = path.read_bytes()
    torn = bytearray(bytes_before)
    torn[offset + 20] ^= 1
    # Something is left behind the tear.
    path.write_bytes(torn)
    shown = inspect(server, "--log", "0")
    kept = records(shown.stdout)
    assert kept == everything[:-1] or shown.returncode == 7, shown.stdout
    path.write_bytes(bytes_before)


def test_damage_in_what_was_synced_is_a_problem_and_the_rest_is_shown(server):
    write_and_kill(server)
    everything = records(inspect(server, "--log", "0").stdout)
    _, position, _ = RECORD.match(everything[len(everything) // 2]).groups()
    path = sorted((server.data / "wal").glob("00-*.log"))[0]
    damaged = bytearray(path.read_bytes())
    damaged[int(position) % len(damaged) + 20] ^= 1
    path.write_bytes(damaged)
    shown = inspect(server, "--log", "0")
    assert shown.returncode == 7
    assert re.search(r'^problem: log file ".*" is damaged at offset \d+: records up to number \d+ had been synced', shown.stdout, re.MULTILINE)
    assert records(shown.stdout) == everything[: len(everything) // 2]


def test_a_clean_directory_has_a_log_too(server):
    test_damage.fill_with_indexes(server)
    shown = inspect(server, "--log", "all")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "has not ended" not in shown.stdout
    assert re.match(r"segments of \d+ bytes, changes below gsn \d+ are on the pages\nlog 0: from ", shown.stdout)
