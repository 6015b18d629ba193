"""Sort, grouping and join over more than 4 GB of rows with query_memory = 256MB: times, the largest temporary files, the server's
own memory, and whether the answers are right, which is known from how the rows are made. A second time with memory enough."""
import argparse
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "client-tests"))
import servers  # noqa: E402

TEXT = "md5({0}::text) || md5(({0} * 7)::text) || repeat('x', 40)"


def statements(rows: int) -> dict[str, tuple[str, tuple]]:
    made = f"select i, {TEXT.format('i')} as t from generate_series(1, {rows}) i"
    half = f"select i, {TEXT.format('i')} as t from generate_series(1, {rows // 2}) i"
    total = rows * (rows + 1) // 2
    half_total = (rows // 2) * (rows // 2 + 1) // 2
    return {
        "sort": (f"select count(*), sum(i) from (select i, t from ({made}) r order by t offset 0) s", (rows, total)),
        "groups": (f"select count(*), sum(i), sum(n) from (select t, max(i) as i, count(*) as n from ({made}) r group by t) s", (rows, total, rows)),
        "join": (f"select count(*), sum(a.i) from ({made}) a join ({half}) b on a.t = b.t", (rows // 2, half_total)),
    }


class Watch(threading.Thread):
    """The largest resident memory of the server that is not of files, and the largest sum of its files without names."""

    def __init__(self, process: int):
        super().__init__(daemon=True)
        self.process, self.memory, self.files, self.over = process, 0, 0, False

    def run(self):
        while not self.over:
            status = pathlib.Path(f"/proc/{self.process}/status").read_text()
            self.memory = max(self.memory, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")))
            folder, size = f"/proc/{self.process}/fd", 0
            for name in os.listdir(folder):
                try:
                    if os.readlink(f"{folder}/{name}").endswith(" (deleted)"):
                        size += os.stat(f"{folder}/{name}").st_size
                except FileNotFoundError:
                    pass
            self.files = max(self.files, size)
            time.sleep(0.2)


def measure(server, memory: str, rows: int) -> bool:
    right = True
    for name, (text, expected) in statements(rows).items():
        watch = Watch(server.process.pid)
        watch.start()
        with server.connect() as connection:
            connection.execute(f"set query_memory = '{memory}'")
            connection.execute("set work_mem = '16GB'")
            begin = time.monotonic()
            answer = connection.execute(text).fetchone()
            seconds = time.monotonic() - begin
        watch.over = True
        watch.join()
        right &= answer == expected
        print(f"{memory:>6} {name:7} {seconds:8.1f} s   memory {watch.memory / 1024:8.0f} MB   files {watch.files / 2**20:8.0f} MB   {'right' if answer == expected else f'WRONG: {answer}'}", flush=True)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=35_000_000, help="about 130 bytes each in memory")
    parser.add_argument("--memory", default="256MB,12GB", help="values of query_memory")
    arguments = parser.parse_args()
    server = servers.new_gnomon(buffer_pool="256MB").start()
    try:
        right = all([measure(server, memory, arguments.rows) for memory in arguments.memory.split(",")])
    finally:
        server.stop()
        server.remove()
    sys.exit(0 if right else 1)


main()
