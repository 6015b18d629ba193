"""The processes of a server (client-tests/servers.py): their processor time, and their end by SIGKILL."""
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


def crash(server):
    """SIGKILL for all processes of the server at once."""
    pid = server.process.pid
    children = [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    for each in (pid, *children):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
    server.process.wait()
    while any(pathlib.Path(f"/proc/{child}").exists() for child in children):
        time.sleep(0.01)
