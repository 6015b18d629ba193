"""The life of a data directory: clean restarts, unclean ones, locks, and directories that are somebody else's."""
import os
import signal
import subprocess
import time

import psycopg
import pytest

import servers

SECONDS_MAX = 60


def run_to_its_end(server) -> subprocess.CompletedProcess:
    """A start that is expected to fail: its exit code and all it wrote."""
    return subprocess.run(server.command(), capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def fill(server):
    with server.connect() as connection:
        connection.execute("create table kept (n integer not null, s text default 'd', v numeric(10,2), d date)")
        connection.execute("insert into kept select a.n * 100 + b.n, repeat('x', a.n * 50), a.n / 7.0, date '2020-01-01' + b.n from (values " + ", ".join(f"({n})" for n in range(100)) + ") as a (n), (values " + ", ".join(f"({n})" for n in range(100)) + ") as b (n)")
        connection.execute("create table dropped (n integer)")
        connection.execute("drop table dropped")
        connection.execute("insert into kept (n, s) values (-1, %s)", ["y" * 1_000_000])


SUMS = "select count(*), sum(n), sum(length(s)), sum(v), min(d), max(d), min(s) from kept"


def sums(server):
    with server.connect() as connection:
        return connection.execute(SUMS).fetchone()


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT])
def test_data_is_there_after_a_clean_restart(server, stop_signal):
    server.start()
    fill(server)
    before = sums(server)
    server.stop_signal = stop_signal
    for _ in range(3):
        assert server.stop() == 0, server.log()
        server.start()
        assert sums(server) == before
    with server.connect() as connection:
        connection.execute("insert into kept (n) values (5)")
        assert connection.execute("select s from kept where n = 5 and v is null").fetchone() == ("d",)
        with pytest.raises(Exception, match="dropped"):
            connection.execute("select * from dropped")
        connection.execute("create table dropped (n text)")
    assert server.stop() == 0
    server.start()
    with server.connect() as connection:
        assert connection.execute("select count(*) from kept").fetchone() == (10_002,)
        assert connection.execute("select count(*) from dropped").fetchone() == (0,)


def test_altered_tables_are_there_after_a_restart(server):
    server.start()
    fill(server)
    with server.connect() as connection:
        connection.execute("alter table kept set (leaf_size = '256kB', vacuum_truncate = off, fillfactor = 70)")
        connection.execute("alter table kept add short text default 'dflt', add long text not null default 'more than twelve bytes of text', add f real default 0.1, add big numeric default 1e30, add num numeric(8,2) default 2.5")
        connection.execute("alter table kept drop column d, alter n drop not null, alter s drop default")
        connection.execute("alter table kept rename v to value")
        connection.execute("insert into kept (n, value) values (null, 1)")
        connection.execute("update kept set long = 'changed', short = null where n % 1000 = 0")
        connection.execute("create index kept_long on kept (long)")
        connection.execute("alter table kept rename to altered")
    query = "select count(*), count(n), count(s), sum(value), count(short), min(long), max(long), max(f), sum(big), sum(num), max(length(s)) from altered"
    found = "select n, short, long, f, big, num from altered where long = 'changed' order by n"
    with server.connect() as connection:
        before = connection.execute(query).fetchone(), connection.execute(found).fetchall()
    assert before[0][:2] == (10_002, 10_001) and before[0][5:7] == ("changed", "more than twelve bytes of text") and len(before[1]) == 10
    for _ in range(2):
        assert server.stop() == 0, server.log()
        checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        server.start()
        with server.connect() as connection:
            assert (connection.execute(query).fetchone(), connection.execute(found).fetchall()) == before
            with pytest.raises(psycopg.errors.UndefinedTable):
                connection.execute("select * from kept")
            with pytest.raises(psycopg.errors.UndefinedColumn):
                connection.execute("select d from altered")
            options = connection.execute("select reloptions from pg_class where relname = 'altered'").fetchone()
            assert options == (["vacuum_truncate=off", "fillfactor=70", "leaf_size=256kB"],)
    with server.connect() as connection:
        connection.execute("insert into altered (n) values (77)")
        assert connection.execute("select s, value, short, long from altered where n = 77 and s is null").fetchone() == (None, None, "dflt", "more than twelve bytes of text")
        frames = "select frames from gnomon_buffer where page_bytes = 262144"
        large = connection.execute(frames).fetchone()[0]
        connection.execute("insert into altered (n, s) select n, repeat('z', 100) from altered where n is not null")
        assert connection.execute(frames).fetchone()[0] >= large + 5, "leaves of the size that was set before the restart"
        connection.execute("alter table altered add more text default 'again'")
        assert connection.execute("select count(*) from altered where more = 'again'").fetchone() == (20_005,)


def test_checks_are_there_after_a_restart(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table ruled (a integer constraint first check (a > 0), b text, c numeric(38), constraint second check (b <> 'bad' or ruled.a > 5), check (c * c > 4))")
        connection.execute("insert into ruled values (1, 'x', 3), (50, 'y', null)")
        connection.execute("alter table ruled rename b to \"B b\"")
        connection.execute("alter table ruled add constraint third check (a < 40) not valid, add d integer default 7, add check (d > a) not valid")
        connection.execute("alter table ruled rename constraint first to zeroth")
        connection.execute("alter table ruled drop constraint if exists nosuch")
        connection.execute("create table unruled (a integer check (a > 0), b integer check (b > 0))")
        connection.execute("alter table unruled drop constraint unruled_a_check, drop b")

    def violated(connection, statement):
        with pytest.raises(psycopg.errors.CheckViolation) as caught:
            connection.execute(statement)
        return caught.value.diag.constraint_name, caught.value.diag.message_detail

    for _ in range(2):
        assert server.stop() == 0, server.log()
        server.start()
        with server.connect() as connection:
            assert violated(connection, "insert into ruled values (0)") == ("zeroth", "Failing row contains (0, null, null, 7).")
            assert violated(connection, "insert into ruled values (2, 'bad')") == ("second", "Failing row contains (2, bad, null, 7).")
            assert violated(connection, "insert into ruled values (2, 'x', 1)") == ("ruled_c_check", "Failing row contains (2, x, 1, 7).")
            assert violated(connection, "insert into ruled values (9)") == ("ruled_check", "Failing row contains (9, null, null, 7).")
            assert violated(connection, "update ruled set c = 99999999999999999999999999999999999999") == ("ruled_check", "Failing row contains (50, y, 99999999999999999999999999999999999999, 7).")
            assert violated(connection, "update ruled set a = 45, d = 60 where a = 50") == ("third", "Failing row contains (45, y, null, 60).")
            assert connection.execute("insert into unruled values (-1)").rowcount == 1
            with pytest.raises(psycopg.errors.CheckViolation, match='check constraint "third" of relation "ruled" is violated by some row'):
                connection.execute("alter table ruled validate constraint third")
            with pytest.raises(psycopg.errors.DuplicateObject):
                connection.execute("alter table ruled add constraint second check (a > 1)")
    with server.connect() as connection:
        connection.execute("alter table ruled drop constraint second")
        connection.execute("delete from ruled where a = 50")
        connection.execute("alter table ruled validate constraint third")
        assert connection.execute("insert into ruled values (2, 'bad')").rowcount == 1
    assert server.stop() == 0, server.log()


def test_sigterm_with_sessions_open_and_a_query_running_ends_with_0(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table long_a (n integer)")
        connection.execute("insert into long_a values " + ", ".join(f"({n})" for n in range(2000)))
    idle, busy = server.raw_connect(), server.raw_connect()
    busy.send_query(b"select count(*) from long_a, long_a b, long_a c, long_a d")
    time.sleep(0.5)
    assert server.stop() == 0, server.log()
    idle.finish()
    busy.finish()
    server.start()
    with server.connect() as connection:
        assert connection.execute("select count(*) from long_a").fetchone() == (2000,)


def test_killed_server_comes_back_with_what_was_committed(server):
    server.start()
    fill(server)
    before = sums(server)
    for _ in range(3):
        with server.connect() as connection:
            connection.execute("create table if not exists counted (n integer primary key, s text)")
            connection.execute("insert into counted select coalesce(max(n), 0) + 1, repeat('c', 100) from counted")
            connection.execute("update counted set s = s || 'u'")
        server.kill()
        server.start()
        assert sums(server) == before
    with server.connect() as connection:
        assert connection.execute("select n, length(s) from counted order by n").fetchall() == [(1, 103), (2, 102), (3, 101)]
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("insert into counted values (2)")
    assert server.stop() == 0
    checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_second_server_on_a_directory_is_refused(server, new_server):
    server.start()
    second = new_server(data=server.data)
    failed = run_to_its_end(second)
    text = failed.stdout + failed.stderr
    assert failed.returncode > 0, text
    assert "lock" in text or "in use" in text, text
    with server.connect() as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    assert server.stop() == 0
    second.start()
    assert second.stop() == 0


def test_port_in_use_is_an_error_and_the_directory_stays_clean(server, new_server):
    server.start()
    second = new_server()
    second.port = server.port
    failed = run_to_its_end(second)
    assert failed.returncode > 0
    assert "use" in failed.stdout + failed.stderr
    second.port = servers.free_port()
    second.start()
    assert second.stop() == 0


def test_directory_of_something_else_is_refused_and_left_alone(server):
    server.data.mkdir()
    (server.data / "precious").write_text("not a database")
    failed = run_to_its_end(server)
    assert failed.returncode > 0
    assert str(server.data) in failed.stdout + failed.stderr
    assert [path.name for path in server.data.iterdir()] == ["precious"]
    assert (server.data / "precious").read_text() == "not a database"


def test_postgresqls_directory_is_refused(server, postgres):
    server.data = postgres.data
    failed = run_to_its_end(server)
    assert failed.returncode > 0
    with postgres.connect() as connection:
        assert connection.execute("select 1").fetchone() == (1,)


@pytest.mark.parametrize("data", ["/proc/nosuch/dir", "/dev/null", ""])
def test_impossible_directory_is_an_error(server, data):
    server.data = data
    failed = run_to_its_end(server)
    assert failed.returncode > 0
    assert failed.stdout + failed.stderr


@pytest.mark.parametrize(
    "arguments",
    [["--nosuch"], ["serve"], ["serve", "--data"], ["serve", "--data", "{data}", "--workers", "x"], ["serve", "--data", "{data}", "--buffer-pool", "lots"],
     ["serve", "--data", "{data}", "--listen", "nonsense"], ["serve", "--data", "{data}", "--listen", "127.0.0.1:99999"], ["nosuch"]],
)  # fmt: skip
def test_wrong_arguments_are_an_error_on_one_screen(server, arguments):
    command = [str(server.binary), *(argument.format(data=server.data) for argument in arguments)]
    failed = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert failed.returncode > 0
    text = failed.stdout + failed.stderr
    assert text and text.count("\n") < 60, text


def test_version_and_help(server):
    version = subprocess.run([str(server.binary), "--version"], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert version.returncode == 0 and "nomon" in version.stdout.lower() and "." in version.stdout
    for arguments in (["--help"], ["serve", "--help"]):
        shown = subprocess.run([str(server.binary), *arguments], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        assert shown.returncode == 0
        assert "serve" in shown.stdout or "--data" in shown.stdout
    for option in ("--data", "--listen", "--buffer-pool", "--workers"):
        assert option in shown.stdout, option


def resident_bytes(process_id: int) -> int:
    with open(f"/proc/{process_id}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


@pytest.mark.parametrize("options", [["--io-method=io_uring"], ["--io-method=pread", "--no-double-write"]], ids=["io_uring", "pread"])
def test_more_data_than_the_buffer_pool_holds(server, options):
    """Pages leave the pool and come back; the server's memory stays where the pool's limit says."""
    server.buffer_pool = "64MB"
    server.more_options = options
    server.start()
    rows = 400_000
    with server.connect() as connection:
        connection.execute("create table small (n integer)")
        connection.execute("insert into small values (1)")
        before = resident_bytes(server.process.pid)
        connection.execute("create table much (n integer, s text)")
        with connection.cursor().copy("copy much from stdin") as copy:
            for first in range(0, rows, 1000):
                copy.write("".join(f"{n}\t{'z' * 1000}{n}\n" for n in range(first, first + 1000)))
        expected = (rows, rows * (rows - 1) // 2, sum(1000 + len(str(n)) for n in range(rows)))
        question = "select count(*), sum(n), sum(length(s)) from much"
        for _ in range(2):
            assert connection.execute(question).fetchone() == expected
            if "release" in str(server.binary):
                assert resident_bytes(server.process.pid) < before + (64 << 20) + (48 << 20)
        with pytest.raises(Exception) as raised:
            with connection.cursor().copy("copy much from stdin") as copy:
                for first in range(0, 100_000, 1000):
                    copy.write("".join(f"{n}\t{'y' * 1000}\n" for n in range(first, first + 1000)))
                copy.write("not a number\tx\n")
        assert raised.value.sqlstate == "22P02", raised.value
        assert connection.execute(question).fetchone() == expected
        assert connection.execute("select * from small").fetchone() == (1,)
    assert server.stop() == 0, server.log()
    server.start()
    with server.connect() as connection:
        assert connection.execute(question).fetchone() == expected
        connection.execute("drop table much")
        assert connection.execute("select * from small").fetchone() == (1,)
    assert server.stop() == 0, server.log()


def test_descriptors_and_memory_do_not_grow_with_connections(server):
    server.start()
    descriptors = []
    for _ in range(3):
        for _ in range(100):
            with server.connect() as connection:
                connection.execute("select 1")
        time.sleep(0.3)
        descriptors.append(len(os.listdir(f"/proc/{server.process.pid}/fd")))
    assert descriptors[2] <= descriptors[0] + 5, descriptors


def test_indexes_are_there_after_a_clean_restart(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table keyed (id integer primary key, name text unique, v numeric(8,2))")
        connection.execute("insert into keyed select a.n * 100 + b.n, 'name ' || (a.n * 100 + b.n), a.n / 4.0 from (values " + ", ".join(f"({n})" for n in range(100)) + ") as a (n), (values " + ", ".join(f"({n})" for n in range(100)) + ") as b (n)")
        connection.execute("create index keyed_v on keyed (v desc, id)")
        connection.execute("update keyed set id = id + 50000 where id % 10 = 3")
        connection.execute("delete from keyed where id % 10 = 4")
        connection.execute("create table gone (id integer primary key)")
        connection.execute("drop table gone")
        connection.execute("create table sole (a integer, b integer, unique nulls not distinct (a))")
        connection.execute("create unique index sole_b on sole (b) nulls not distinct")
        connection.execute("insert into sole values (null, 1), (2, null)")
        connection.execute("create index gone on keyed (name)")
        connection.execute("drop index gone")
    for _ in range(2):
        assert server.stop() == 0, server.log()
        server.start()
        with server.connect() as connection:
            assert "keyed_pkey" in str(connection.execute("explain select * from keyed where id = 77").fetchall())
            assert connection.execute("select name from keyed where id = 77").fetchall() == [("name 77",)]
            assert connection.execute("select name from keyed where id = 50073").fetchall() == [("name 73",)]
            assert connection.execute("select id from keyed where name = 'name 73'").fetchall() == [(50073,)]
            assert connection.execute("select * from keyed where id = 74").fetchall() == []
            assert connection.execute("select id from keyed order by v desc, id limit 2").fetchall() == [(9900,), (9901,)]
            for statement, constraint in (("insert into keyed values (77, 'new')", "keyed_pkey"),
                                          ("insert into keyed values (74, 'name 77')", "keyed_name_key"),
                                          ("insert into sole values (null, 3)", "sole_a_key"), ("insert into sole values (3, null)", "sole_b")):
                with pytest.raises(Exception, match=constraint):
                    connection.execute(statement)
            connection.execute("insert into keyed values (74, 'name 74')")
            connection.execute("delete from keyed where id = 74")
            with pytest.raises(Exception, match="gone"):
                connection.execute("drop index gone")


def test_indexes_on_expressions_and_partial_ones_are_there_after_a_clean_restart(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table keyed (id integer primary key, name text, state text, v numeric(8,2), d date)")
        connection.execute("insert into keyed select a.n * 100 + b.n, 'Name ' || (a.n * 100 + b.n), 'state ' || b.n, a.n / 4.0 from (values " + ", ".join(f"({n})" for n in range(100)) + ") as a (n), (values " + ", ".join(f"({n})" for n in range(100)) + ") as b (n)")
        connection.execute("create unique index keyed_lower on keyed (lower(name), (id % 7) desc) where state <> 'state 5'")
        connection.execute("create index keyed_sum on keyed ((v * 2), extract(year from d)) where v > 20 and state is not null")
        connection.execute("create index on keyed (coalesce(state, 'none'))")
    for _ in range(3):
        assert server.stop() == 0, server.log()
        checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert 'index "keyed_lower"' in subprocess.run([str(server.binary), "inspect", str(server.data)], capture_output=True, text=True, check=False).stdout
        server.start()
        with server.connect() as connection:
            for query, index, rows in (("lower(name) = 'name 77' and state = 'state 77'", "keyed_lower", [(77,)]),
                                       ("v * 2 = 49.5 and v > 24 and state = 'state 77'", "keyed_sum", [(9977,)]),
                                       ("coalesce(state, 'none') = 'state 3' and id < 200", "keyed_coalesce_idx", [(3,), (103,)])):
                assert index in str(connection.execute(f"explain select id from keyed where {query}").fetchall())
                assert connection.execute(f"select id from keyed where {query} order by id").fetchall() == rows
            with pytest.raises(Exception, match="keyed_lower"):
                connection.execute("insert into keyed values (70077, 'NAME 77', 'new', 1)")
            connection.execute("insert into keyed values (70077, 'NAME 77', 'state 5', 1)")
            with pytest.raises(Exception, match="keyed_lower"):
                connection.execute("update keyed set state = 'state 6' where id = 70077")
            connection.execute("delete from keyed where id = 70077")


def estimated_rows(connection, query: str) -> int:
    """The rows EXPLAIN gives for the operator below the output."""
    lines = [row[0] for row in connection.execute("explain " + query)]
    return int([line for line in lines if "(cost=" in line][1].split(" rows=")[1].split()[0])


def test_estimates_are_as_good_after_a_restart(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table skewed (n integer, kind text)")
        with connection.cursor().copy("copy skewed from stdin") as copy:
            for n in range(50_000):
                copy.write_row((n % 700, "rare" if n % 50 == 0 else "common"))
    for _ in range(2):
        with server.connect() as connection:
            # A sample of 1,024 has some 20 of them, and hardly ever fewer than 6.
            assert 250 < estimated_rows(connection, "select * from skewed where kind = 'rare'") < 2000
            assert 40_000 < estimated_rows(connection, "select * from skewed where kind like 'com%'") <= 50_000
            assert 400 < estimated_rows(connection, "select n from skewed group by n") < 1200
        assert server.stop() == 0, server.log()
        server.start()
    with server.connect() as connection:
        connection.execute("truncate skewed")
        connection.execute("insert into skewed values (1, 'rare'), (2, 'rare')")
        assert estimated_rows(connection, "select * from skewed where kind = 'rare'") == 2
