"""The processes of a server (client-tests/servers.py): their processor time, standing still, and their end by SIGKILL."""
import contextlib
import os
import pathlib
import signal
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def processor_seconds(server) -> float:
    """What the server has used so far; of PostgreSQL's processes those that have ended count with their parent."""
    def fields(process: int) -> list[str]:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()

    own = fields(server.process.pid)
    ticks = sum(map(int, own[11:15]))
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            found = fields(int(entry.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(found[1]) == server.process.pid:
            ticks += sum(map(int, found[11:13]))
    return ticks / TICKS_PER_SECOND


def children_of(pid: int) -> list[int]:
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def send_all(server, number: signal.Signals) -> list[int]:
    """The signal to all processes of the server; those that are its children."""
    pid = server.process.pid
    children = children_of(pid)
    for each in (pid, *children):
        try:
            os.kill(each, number)
        except ProcessLookupError:
            pass
    return children


@contextlib.contextmanager
def alone(server, all_servers: list):
    """The others stand still meanwhile: what they still have to clean up is their own turn's work. Nothing waits to be written."""
    others = [each for each in all_servers if each is not server]
    for each in others:
        send_all(each, signal.SIGSTOP)
    os.sync()
    try:
        yield
    finally:
        for each in others:
            send_all(each, signal.SIGCONT)


def crash(server):
    """SIGKILL for all processes of the server at once."""
    children = send_all(server, signal.SIGKILL)
    server.process.wait()
    while any(pathlib.Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.01)
