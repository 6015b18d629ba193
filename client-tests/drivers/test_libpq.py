"""libpq itself, in C: the program prints what it sees, and must see the same from PostgreSQL and from Gnomon."""
import subprocess


def run(program, server) -> str:
    done = subprocess.run([str(program), server.dsn()], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_libpq_sees_what_it_sees_from_postgresql(libpq_program, postgres, gnomon):
    assert run(libpq_program, gnomon).splitlines() == run(libpq_program, postgres).splitlines()
