"""Clients that come by the Unix socket, and whose the files of the socket are."""
import os
import pathlib
import signal
import socket
import subprocess
import threading

import psycopg
import pytest

import servers

END_SECONDS_MAX = 60


@pytest.fixture
def lone(only_gnomon):
    """A server of this test's own, which has not been started."""
    server = servers.new_gnomon()
    yield server
    server.remove()


def socket_of(server) -> pathlib.Path:
    return server.folder / f".s.PGSQL.{server.port}"


def lock_of(server) -> pathlib.Path:
    return server.folder / f".s.PGSQL.{server.port}.lock"


def connect(server, **more):
    return psycopg.connect(host=str(server.folder), port=server.port, autocommit=True, **({"user": "postgres", "dbname": "postgres"} | more))


def refused_start(server, *more: str) -> subprocess.CompletedProcess:
    done = subprocess.run([*server.command(), *more], capture_output=True, text=True, timeout=END_SECONDS_MAX, check=False)
    assert done.returncode == 1
    return done


def test_statements_and_facts_of_the_connection(postgres, only_gnomon):
    facts = (
        "select client_addr, client_hostname, client_port from pg_stat_activity where pid = pg_backend_pid()",
        "select inet_client_addr(), inet_client_port(), inet_server_addr(), inet_server_port()",
        "show unix_socket_directories",
        "select name, context, vartype from pg_settings where name = 'unix_socket_directories'",
    )
    with connect(only_gnomon) as tested, connect(postgres) as reference:
        for fact in facts[:2]:
            assert tested.execute(fact).fetchall() == reference.execute(fact).fetchall()
        assert tested.execute(facts[2]).fetchone() == (str(only_gnomon.folder),)
        assert tested.execute(facts[3]).fetchall() == reference.execute(facts[3]).fetchall()
        rows = tested.execute("select n, repeat('x', 1000) from generate_series(1, 20000) n").fetchall()
        assert rows == [(n, "x" * 1000) for n in range(1, 20001)]


def test_passwords_are_asked_for(only_gnomon):
    with connect(only_gnomon) as connection:
        connection.execute("create role socket_secret login password 'pencil'")
        try:
            with connect(only_gnomon, user="socket_secret", password="pencil") as other:
                assert other.execute("select current_user").fetchone() == ("socket_secret",)
            with pytest.raises(psycopg.OperationalError, match='password authentication failed for user "socket_secret"'):
                connect(only_gnomon, user="socket_secret", password="pen")
        finally:
            connection.execute("drop role socket_secret")


def test_cancel_request(only_gnomon):
    with connect(only_gnomon) as connection:
        timer = threading.Timer(0.5, connection.cancel)
        timer.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b")
        timer.join()
        assert connection.execute("select 1").fetchone() == (1,)


def test_files_go_with_the_server(lone):
    lone.start()
    assert socket_of(lone).is_socket() and socket_of(lone).stat().st_mode & 0o777 == 0o777
    assert lock_of(lone).read_text().splitlines()[0] == str(lone.process.pid)
    assert lone.stop() == 0
    assert not socket_of(lone).exists() and not lock_of(lone).exists()


def test_what_a_killed_server_has_left_is_taken_over(lone):
    lone.start()
    lone.process.send_signal(signal.SIGKILL)
    lone.process.wait()
    assert socket_of(lone).exists() and lock_of(lone).exists()
    lone.start()
    with connect(lone) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_socket_in_use_is_left_alone(only_gnomon, lone):
    # As another server with the same port on another address would have it.
    command = ["--socket-directory", str(only_gnomon.folder), "--listen", f"127.0.0.2:{only_gnomon.port}"]
    done = subprocess.run([lone.command()[0], "serve", "--data", str(lone.data), *command], capture_output=True, text=True, timeout=END_SECONDS_MAX, check=False)
    assert done.returncode == 1 and "cannot listen on Unix socket" in done.stderr and "Address already in use" in done.stderr
    assert not lone.data.exists()
    with connect(only_gnomon) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_who_listens_without_a_lock_is_left_alone(lone):
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(socket_of(lone)))
        other.listen()
        lock_of(lone).write_text("1\n")
        assert "Address already in use" in refused_start(lone).stderr
        assert lock_of(lone).read_text() == "1\n" and socket_of(lone).is_socket()
    socket_of(lone).unlink()
    socket_of(lone).write_text("no socket")
    assert "File exists" in refused_start(lone).stderr
    assert socket_of(lone).read_text() == "no socket"


def test_directories_that_cannot_be_used(lone):
    missing = lone.folder / "missing"
    command = lone.command()
    place = command.index("--socket-directory") + 1
    command[place] = str(missing)
    done = subprocess.run(command, capture_output=True, text=True, timeout=END_SECONDS_MAX, check=False)
    assert done.returncode == 1 and f'cannot listen on Unix socket "{missing}' in done.stderr and "No such file" in done.stderr
    long = lone.folder / ("x" * 120)
    long.mkdir()
    command[place] = str(long)
    done = subprocess.run(command, capture_output=True, text=True, timeout=END_SECONDS_MAX, check=False)
    assert done.returncode == 1 and "File name too long" in done.stderr
    assert list(long.iterdir()) == []
    assert not lone.data.exists()


def test_usual_place_and_none(lone):
    """Without the option it is /tmp, and no socket is no reason not to serve."""
    command = lone.command()
    place = command.index("--socket-directory")
    del command[place : place + 2]
    lone.command = lambda: command
    usual = pathlib.Path(f"/tmp/.s.PGSQL.{lone.port}")
    lone.start()
    with psycopg.connect(host="/tmp", port=lone.port, user="postgres", dbname="postgres") as connection:
        assert connection.execute("show unix_socket_directories").fetchone() == ("/tmp",)
    lone.stop()
    assert not usual.exists()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(usual))
        try:
            other.listen()
            lone.start()
            assert "cannot listen on Unix socket" in lone.log()
            with lone.connect() as connection:
                assert connection.execute("show unix_socket_directories").fetchone() == ("",)
            lone.stop()
        finally:
            os.unlink(usual)
    command += ["--socket-directory", ""]
    lone.start()
    assert not usual.exists()
    lone.stop()
