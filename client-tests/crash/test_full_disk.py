"""A disk that is full refuses writes with 53100 and nothing else: reads go on, what is open can be ended, and writes resume when there is room."""
import os
import subprocess

import psycopg
import pytest

import servers
from crash import torture

DISK_BYTES = 96 << 20


@pytest.fixture
def disk(tmp_path):
    """A small file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no file system can be mounted: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture(params=["log", "everything"])
def server(request, disk):
    """Its log, or all of it, is on the small disk."""
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part, and panics")
    made = torture.CrashServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2, buffer_pool="64MB")
    made.more_options = ["--wal-segment-size=1MB", "--max-wal-size=8MB"]
    if request.param == "everything":
        made.data = disk / "data"
    made.start()
    with made.connect() as connection:
        connection.execute("create table kept (n integer primary key, s text)")
        connection.execute("create table other (n integer)")
        connection.execute("create table third (n integer)")
    if request.param == "log":
        assert made.stop() == 0
        (made.data / "wal").rename(made.data / "moved")
        subprocess.run(["cp", "-r", made.data / "moved", disk / "wal"], check=True)
        (made.data / "wal").symlink_to(disk / "wal")
        subprocess.run(["rm", "-r", made.data / "moved"], check=True)
        made.start()
    yield made
    made.remove()


def fill_up(disk):
    """Leaves no room at all."""
    with open(disk / "ballast", "ab", buffering=0) as ballast:
        for size in (1 << 20, 4096):
            try:
                while True:
                    ballast.write(b"b" * size)
            except OSError:
                pass
    assert os.statvfs(disk).f_bavail == 0


def make_room(disk):
    (disk / "ballast").unlink()


def insert_until_full(connection, first: int) -> int:
    """Returns the first row that found no room."""
    for number in range(first, first + 100_000):
        try:
            connection.execute("insert into kept values (%s, %s)", [number, "s" * 2000])
        except psycopg.errors.DiskFull:
            return number
    raise AssertionError("the disk is never full")


def rows(connection) -> tuple:
    return connection.execute("select count(*), min(n), max(n), sum(length(s)) from kept").fetchone()


def expected(count: int) -> tuple:
    return (count, 0, count - 1, 2000 * count)


def test_full_disk_refuses_writes_keeps_reads_and_writes_resume(server, disk):
    committed, opened, undone = server.connect(), server.connect(), server.connect()
    committed.execute("insert into kept values (0, repeat('s', 2000))")
    count = 1
    for _ in range(3):
        for session in (opened, undone):
            session.execute("begin")
        opened.execute("insert into other values (1)")
        # As long as before: restoring what was longer may need a page more, and waits for room.
        undone.execute("update kept set s = repeat('u', 2000) where n = 0")
        fill_up(disk)
        leftovers = []
        count = insert_until_full(committed, count)
        assert rows(committed) == expected(count)
        # Everybody is refused, and nobody is hurt.
        with server.connect() as late:
            assert rows(late) == expected(count)
            late.execute("begin")
            with pytest.raises(psycopg.errors.DiskFull):
                for attempt in range(1, 1000):
                    late.execute("insert into kept select n + %s, s from kept where n < 1000000 and n <> 0", [attempt * 1000000])
            late.execute("rollback")
            assert rows(late) == expected(count)
            # What defines little may still find room, as all that is small; or not, and then nothing is left of it.
            for make, drop in (("create table made (n integer)", "drop table made"), ("create index made on third (n)", "drop index made")):
                try:
                    late.execute(make)
                except psycopg.errors.DiskFull:
                    continue
                try:
                    late.execute(drop)
                except psycopg.errors.DiskFull:
                    leftovers.append(drop)
            assert late.execute("select s from kept where n = 0").fetchone() == ("s" * 2000,)
        undone.execute("rollback")
        opened.execute("commit")
        make_room(disk)
        committed.execute("insert into kept values (%s, repeat('s', 2000))", [count])
        count += 1
        for drop in leftovers:
            committed.execute(drop)
        committed.execute("create table made (n integer)")
        committed.execute("drop table made")
        assert rows(committed) == expected(count)
    for session in (committed, opened, undone):
        session.close()
    server.kill()
    server.start()
    with server.connect() as connection:
        assert rows(connection) == expected(count)
        assert connection.execute("select count(*) from other").fetchone() == (3,)
    assert server.stop() == 0, server.log()
    verified = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout


def test_server_killed_on_a_full_disk_comes_back_when_there_is_room(server, disk):
    opened, connection = server.connect(), server.connect()
    connection.execute("insert into kept values (0, repeat('s', 2000))")
    opened.execute("begin")
    opened.execute("insert into kept select g.n * 100 + 7000000, repeat('u', 3000) from (values (1), (2), (3), (4)) as g (n)")
    fill_up(disk)
    count = insert_until_full(connection, 1)
    server.kill()
    opened.close()
    connection.close()
    for _ in range(2):
        server.launch()
        if server.wait_until_ready():
            with server.connect() as connection:
                assert rows(connection) == expected(count)
            server.kill()
        else:
            assert server.process.returncode == 1 and "No space left on device" in server.log() and not server.sanitizer_reports(), server.log()
    make_room(disk)
    server.start()
    with server.connect() as connection:
        assert rows(connection) == expected(count)
        connection.execute("insert into kept values (%s, repeat('s', 2000))", [count])
        assert rows(connection) == expected(count + 1)
    assert server.stop() == 0, server.log()
    verified = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout
