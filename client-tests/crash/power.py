#!/usr/bin/env -S build/venv/bin/python
"""Power failures: of what a server wrote to its disk, only what it had synced survives for certain.

    client-tests/crash/power.py --rounds 50 --seed 7

The server runs beneath disk_trace.c, which writes down every write, sync and change of a directory. When it has been killed, images of
its directory are put together from that: what was synced before is there; of every other write each sector of 512 bytes is there or
not, or all of it, or none, or the first sectors, or whole blocks of 4 KiB; of files that grew and of names that changed, a first part
of the changes. A server must come up on each image with all that was acknowledged, and go on from one of them. A kill without a power
failure may come before, so that the next process finds in memory what is not on the disk.
"""
import argparse
import dataclasses
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import threading
import time

import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import servers  # noqa: E402
from crash import torture, workload  # noqa: E402

OPENED, CLOSING, DONE, FAILED, WRITE, SYNC, TRUNCATE, ALLOCATE, RENAME, UNLINK, MAKE_DIRECTORY = range(1, 12)
RECORD = struct.Struct("<IiQQQ")
SECTOR = 512
BLOCK = 4096
COPY = ["cp", "-r", "--sparse=always"]


@dataclasses.dataclass(eq=False)
class Change:
    """Something done to a file or a directory that is not certain to be on the disk yet."""

    kind: int
    offset: int = 0  # of data; where a file ends from now on
    data: bytes = b""
    name: str = ""  # in a directory
    target: "File | None" = None  # what the name means from now on; None: nothing
    is_done: bool = False
    is_extending: bool = False


@dataclasses.dataclass(eq=False)
class File:
    """A file or directory of the disk, apart from its names."""

    number: int
    is_directory: bool = False
    size: int = 0  # of a file, as the process sees it
    durable_size: int = 0
    names: dict = dataclasses.field(default_factory=dict)  # of a directory, as the process sees it
    durable_names: dict = dataclasses.field(default_factory=dict)
    pending: list[Change] = dataclasses.field(default_factory=list)


class Disk:
    """The disk under a data directory: the part that is certain, and what a power failure may take or leave."""

    lies = False  # it says that the log's files are synced when they are not

    def __init__(self, root: pathlib.Path, folder: pathlib.Path):
        """`root`: as it is now, all of it is certain. `folder`: for the certain bytes of files."""
        self.root, self.folder = root, folder
        self.next_number = 0
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.top = self.adopt(root)
        self.begin_process()

    def begin_process(self):
        self.descriptors, self.operations, self.is_writing_through = {}, {}, {}

    def new_file(self, is_directory: bool = False) -> File:
        self.next_number += 1
        file = File(self.next_number, is_directory)
        if not is_directory:
            self.bytes_of(file).touch()
        return file

    def bytes_of(self, file: File) -> pathlib.Path:
        return self.folder / str(file.number)

    def adopt(self, path: pathlib.Path) -> File:
        file = self.new_file(path.is_dir())
        if file.is_directory:
            file.names = {child.name: self.adopt(child) for child in path.iterdir()}
            file.durable_names = dict(file.names)
        else:
            subprocess.run(["cp", "--sparse=always", path, self.bytes_of(file)], check=True)
            file.size = file.durable_size = path.stat().st_size
        return file

    # From the trace

    def replay(self, trace: pathlib.Path, on_write=None):
        """All that one process did; `on_write` is told of each file that is about to be written to."""
        self.begin_process()
        with open(trace, "rb") as records:
            while len(head := records.read(RECORD.size)) == RECORD.size:
                kind, descriptor, identity, offset, length = RECORD.unpack(head)
                payload = records.read(length)
                if len(payload) < length:
                    return
                if on_write and kind == WRITE:
                    on_write(self.descriptors[descriptor])
                self.take(kind, descriptor, identity, offset, payload)

    def take(self, kind: int, descriptor: int, identity: int, offset: int, payload: bytes):
        if kind == OPENED:
            self.open(descriptor, offset, payload.decode())
        elif kind == CLOSING:
            self.descriptors.pop(descriptor, None)
        elif kind in (DONE, FAILED):
            self.finish(identity, kind == DONE, offset)
        elif kind in (RENAME, UNLINK, MAKE_DIRECTORY):
            self.operations[identity] = (kind, payload.decode().split("\0"))
        else:
            file = self.descriptors[descriptor]
            if kind == SYNC:
                self.operations[identity] = (kind, file, [change for change in file.pending if change.is_done])
                return
            change = Change(kind, offset, payload)
            change.is_extending = kind == WRITE and offset + len(payload) > file.size
            if kind != ALLOCATE or offset > file.size:
                file.pending.append(change)
            self.operations[identity] = (kind, file, change, descriptor)

    def find(self, path: str) -> tuple[File, str]:
        """The directory of a path, and the name in it."""
        parts = pathlib.PurePath(path).relative_to(self.root).parts
        directory = self.top
        for part in parts[:-1]:
            directory = directory.names[part]
        return directory, parts[-1] if parts else ""

    def open(self, descriptor: int, flags: int, path: str):
        directory, name = self.find(path)
        file = directory.names.get(name) if name else self.top
        if file is None:
            file = self.new_file()
            self.link(directory, name, file)
        elif flags & os.O_TRUNC and file.size > 0:
            file.pending.append(Change(TRUNCATE, 0, is_done=True))
            file.size = 0
        self.descriptors[descriptor] = file
        self.is_writing_through[descriptor] = bool(flags & os.O_DSYNC)

    def link(self, directory: File, name: str, target: File | None):
        if target is None:
            directory.names.pop(name, None)
        else:
            directory.names[name] = target
        directory.pending.append(Change(RENAME, name=name, target=target, is_done=True))

    def finish(self, identity: int, is_success: bool, result: int):
        kind, *operands = self.operations.pop(identity)
        if not is_success:
            if kind in (WRITE, TRUNCATE, ALLOCATE) and operands[1] in operands[0].pending:
                operands[0].pending.remove(operands[1])
            return
        if kind == SYNC:
            logs = self.top.names["wal"].names.values() if self.lies and "wal" in self.top.names else []
            if operands[0] not in logs:
                self.settle(operands[0], operands[1])
        elif kind in (RENAME, UNLINK, MAKE_DIRECTORY):
            self.change_names(kind, operands[0])
        else:
            file, change, descriptor = operands
            if kind == WRITE:
                change.data = change.data[:result]
            end = change.offset + len(change.data)
            file.size = end if kind == TRUNCATE else max(file.size, end)
            change.is_done = True
            if kind == WRITE and self.is_writing_through[descriptor]:
                self.settle(file, [earlier for earlier in file.pending if earlier is change or (earlier.kind != WRITE and earlier.is_done)])

    def change_names(self, kind: int, paths: list[str]):
        directory, name = self.find(paths[0])
        if kind == MAKE_DIRECTORY:
            return self.link(directory, name, self.new_file(is_directory=True))
        file = directory.names.get(name)
        self.link(directory, name, None)
        if kind == RENAME:
            # One change: a name that is replaced is never missing.
            into, new_name = self.find(paths[1])
            assert into is directory
            directory.pending.pop()
            into.names[new_name] = file
            into.pending.append(Change(RENAME, name=new_name, target=file, data=name.encode(), is_done=True))

    def settle(self, file: File, changes: list[Change]):
        """They are on the disk for certain; some may have been since a sync ended that began later."""
        pending = set(map(id, file.pending))
        changes = [change for change in changes if id(change) in pending]
        if not changes:
            return
        if file.is_directory:
            for change in changes:
                apply_name(file.durable_names, change)
        else:
            with open(self.bytes_of(file), "r+b") as bytes_file:
                for change in changes:
                    file.durable_size = apply_change(bytes_file, change, file.durable_size)
        gone = set(map(id, changes))
        file.pending = [change for change in file.pending if id(change) not in gone]

    def end_process(self):
        """The process was killed, the disk goes on: what was under way when it ended is as the directory has it now."""
        for kind, *operands in self.operations.values():
            if kind in (RENAME, UNLINK, MAKE_DIRECTORY):
                path = pathlib.Path(operands[0][0])
                if path.exists() == (kind == MAKE_DIRECTORY):
                    self.change_names(kind, operands[0])
            elif kind != SYNC:
                file, change, _ = operands
                path = self.path_of(self.top, file, self.root)
                if path is not None and path.exists():
                    change.is_done = True
                    if kind == WRITE:
                        with open(path, "rb") as real:
                            real.seek(change.offset)
                            change.data = real.read(len(change.data))
                    file.size = path.stat().st_size
        self.begin_process()

    def path_of(self, directory: File, wanted: File, path: pathlib.Path) -> pathlib.Path | None:
        for name, file in directory.names.items():
            if file is wanted:
                return path / name
            if file.is_directory and (found := self.path_of(file, wanted, path / name)):
                return found
        return None

    # The image

    def write_image(self, target: pathlib.Path, draw: random.Random):
        """The directory as a power failure may leave it now."""
        shutil.rmtree(target, ignore_errors=True)
        # Much is lost in some images, little in others.
        self.write_directory(self.top, target, draw, draw.choice([0.0, 0.1, 0.5, 0.9, 1.0]))

    def write_directory(self, directory: File, target: pathlib.Path, draw: random.Random, survival: float):
        target.mkdir()
        names = dict(directory.durable_names)
        for change in directory.pending[: draw_count(draw, len(directory.pending))]:
            apply_name(names, change)
        for name, file in sorted(names.items()):
            if file.is_directory:
                self.write_directory(file, target / name, draw, survival)
            else:
                self.write_file(file, target / name, draw, survival)

    def write_file(self, file: File, target: pathlib.Path, draw: random.Random, survival: float):
        subprocess.run(["cp", "--sparse=always", self.bytes_of(file), target], check=True)
        # A file grows and shrinks in order; what was written behind its end is lost with it.
        sizes = [change for change in file.pending if change.kind != WRITE or change.is_extending]
        kept = set(map(id, sizes[: draw_count(draw, len(sizes))]))
        size = file.durable_size
        with open(target, "r+b") as image:
            for change in file.pending:
                if change.kind != WRITE:
                    if id(change) in kept:
                        size = apply_change(image, change, size)
                    continue
                if change.is_extending and id(change) in kept:
                    size = max(size, change.offset + len(change.data))
                    image.truncate(size)
                for offset, data in surviving(change, draw, survival):
                    if offset < size:
                        image.seek(offset)
                        image.write(data[: size - offset])
            image.truncate(size)


def count_syncs(trace: pathlib.Path) -> int:
    count = 0
    with open(trace, "rb") as records:
        while len(head := records.read(RECORD.size)) == RECORD.size:
            kind, _, _, _, length = RECORD.unpack(head)
            count += kind == SYNC
            records.seek(length, os.SEEK_CUR)
    return count


def draw_count(draw: random.Random, count: int) -> int:
    return draw.choice([0, count, draw.randint(0, count)])


def apply_name(names: dict, change: Change):
    if change.data:
        names.pop(change.data.decode(), None)
    if change.target is None:
        names.pop(change.name, None)
    else:
        names[change.name] = change.target


def apply_change(file, change: Change, size: int) -> int:
    """Returns the file's size."""
    if change.kind == WRITE:
        file.seek(change.offset)
        file.write(change.data)
        return max(size, change.offset + len(change.data))
    size = change.offset if change.kind == TRUNCATE else max(size, change.offset)
    file.flush()
    file.truncate(size)
    return size


def surviving(change: Change, draw: random.Random, survival: float):
    """The parts of a write that the disk has."""
    fate = draw.random()
    if fate < survival * 0.7:
        yield change.offset, change.data
    elif fate < survival:
        unit = draw.choice([SECTOR, BLOCK])
        pieces = [(at, change.data[at : at + unit]) for at in range(0, len(change.data), unit)]
        if draw.random() < 0.3:
            pieces = pieces[: draw.randint(0, len(pieces))]
        else:
            pieces = [piece for piece in pieces if draw.random() < 0.5]
        for at, piece in pieces:
            yield change.offset + at, piece


class TracedServer(torture.CrashServer):
    """A server whose writes are written down."""

    library: pathlib.Path
    root: pathlib.Path | None = None  # what is written down; None: the data directory
    lives = 0

    def process_options(self) -> dict:
        options = super().process_options()
        if self.library is None:
            return options
        trace = {"LD_PRELOAD": str(self.library), "DISK_TRACE_ROOT": str(self.root or self.data), "DISK_TRACE_FILE": str(self.trace)}
        return options | {"env": options["env"] | trace}

    @property
    def trace(self) -> pathlib.Path:
        return self.folder / f"trace.{self.lives}"

    def launch(self, failpoint: str = ""):
        self.lives += 1
        super().launch(failpoint)


def build_library(folder: pathlib.Path) -> pathlib.Path:
    library = folder / "disk_trace.so"
    source = pathlib.Path(__file__).parent / "disk_trace.c"
    subprocess.run(["clang-19", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", str(source), "-ldl", "-o", str(library)], check=True)
    return library


class PowerFailures:
    """Work, kills, power failures and checks, in rounds."""

    def __init__(self, seed: int, rounds: int, images: int = 2, say=print):
        self.seed, self.rounds, self.images, self.say = seed, rounds, images, say
        self.draw = random.Random(seed)
        self.server = TracedServer((servers.PROJECT / servers.binary_under_test()).resolve(), workers=2)
        self.server.library = build_library(self.server.folder)
        self.clients = [workload.Client(number, False) for number in range(torture.CLIENTS)]
        self.round_count = self.image_count = self.lost_writes = 0

    def run(self):
        try:
            self.begin()
            while self.round_count < self.rounds:
                self.round()
        except Exception as error:
            self.say(f"FAILED in round {self.round_count}: {error}")
            if self.server.running():
                self.server.kill()
            self.say(f"directory, traces and server log: {self.server.folder}")
            self.say(f"again: client-tests/crash/power.py --seed {self.seed} --rounds {self.rounds}")
            raise
        self.server.remove()
        self.say(f"{self.round_count} power failures, {self.image_count} images checked, {self.lost_writes} writes were not certain to be on the disk; all is well (seed {self.seed})")

    def choose_options(self):
        self.server.buffer_pool = self.draw.choice(["16MB", "16MB", "64MB"])
        method = self.draw.choice(["fdatasync"] * 3 + ["fsync", "open_datasync"])
        self.server.more_options = ["--io-method=pread", "--wal-segment-size=1MB", f"--max-wal-size={self.draw.choice(['4MB', '16MB'])}", f"--wal-sync-method={method}", f"--wal-logs={self.draw.choice([1, 16])}"]

    def begin(self):
        """The directory is new, and what creating it wrote is not certain to be there either."""
        self.choose_options()
        self.server.data.mkdir()
        self.disk = Disk(self.server.data, self.server.folder / "disk")
        self.start()
        with self.server.connect() as connection:
            for statement in workload.SCHEMA:
                connection.execute(statement)

    def start(self, failpoint: str = "") -> bool:
        self.choose_options()
        self.server.launch(failpoint)
        is_up = self.server.wait_until_ready()
        if not is_up and not failpoint:
            raise torture.Failure(f"the server does not start and ends with {self.server.process.returncode}:\n{self.server.log()[-4000:]}")
        return is_up

    def round(self):
        self.work()
        # A kill alone, and then somebody who recovers or works before the power fails.
        while self.draw.random() < 0.4:
            self.take_trace()
            self.disk.end_process()
            failpoint = torture.draw_failpoint(self.draw, torture.RECOVERING) if self.draw.random() < 0.5 else ""
            if self.start(failpoint) and self.draw.random() < 0.7:
                if self.is_all_there(failpoint):
                    self.work()
            elif self.server.running():
                self.server.kill()
        self.take_trace()
        self.fail_power()
        self.round_count += 1

    def is_all_there(self, failpoint: str) -> bool:
        """False: a checkpoint in the background met the failpoint before everything had been looked at."""
        try:
            self.require_all(goes_on=True)
        except psycopg.OperationalError:
            if not failpoint or self.server.process.wait(torture.SECONDS_MAX) != torture.KILLED:
                raise
            return False
        return True

    def work(self):
        stop = threading.Event()
        threads = [threading.Thread(target=client.run, args=(self.server.dsn(), f"{self.seed}-{self.server.lives}-{client.number}", stop)) for client in self.clients]
        for thread in threads:
            thread.start()
        time.sleep(self.draw.choice([0.1, 0.5, 1]) * (0.2 + self.draw.random()))
        self.server.kill()
        stop.set()
        for thread in threads:
            thread.join(torture.SECONDS_MAX)
        problems = [client.problem for client in self.clients if client.problem]
        if problems or self.server.process.returncode != torture.KILLED:
            raise torture.Failure(f"the server ended with {self.server.process.returncode}: {'; '.join(problems)} {self.server.sanitizer_reports()}")

    def take_trace(self):
        self.disk.replay(self.server.trace)
        self.server.trace.unlink()

    def fail_power(self):
        """Images are looked at and thrown away; with the last one the server goes on."""
        self.lost_writes += sum(len(file.pending) for file in all_files(self.disk.top))
        library, self.server.library = self.server.library, None
        for _ in range(self.images):
            self.disk.write_image(self.server.data, random.Random(self.draw.random()))
            # As it was, for whoever wants to know why it failed.
            kept = self.server.folder / "image"
            shutil.rmtree(kept, ignore_errors=True)
            subprocess.run([*COPY, self.server.data, kept], check=True)
            self.start()
            self.require_all(goes_on=False)
            self.stop_and_verify()
            self.image_count += 1
        self.server.library = library
        self.disk.write_image(self.server.data, random.Random(self.draw.random()))
        self.disk = Disk(self.server.data, self.server.folder / "disk")
        self.start()
        self.require_all(goes_on=True)

    def require_all(self, goes_on: bool):
        problems = []
        with self.server.connect() as connection:
            for client in self.clients:
                wrong = client.history.settle(workload.found_state(connection, client), goes_on)
                if wrong:
                    problems.append(f"client {client.number}: {wrong}")
            problems += workload.check_sums(connection)
        if problems:
            raise torture.Failure("; ".join(problems))

    def stop_and_verify(self):
        if self.server.stop() != 0 or self.server.sanitizer_reports():
            raise torture.Failure(f"the server ended with {self.server.process.returncode}:\n{self.server.log()[-4000:]}")
        verified = subprocess.run([str(self.server.binary), "verify", str(self.server.data)], capture_output=True, text=True, timeout=torture.SECONDS_MAX, check=False)
        if verified.returncode != 0:
            raise torture.Failure(f"verify ended with {verified.returncode}:\n{verified.stdout[-2000:]}{verified.stderr[-2000:]}")


def all_files(directory: File):
    yield directory
    for file in directory.names.values():
        if file.is_directory:
            yield from all_files(file)
        else:
            yield file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--images", type=int, default=2, help="beside the one that the server goes on with")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    try:
        PowerFailures(options.seed, options.rounds, options.images, lambda text: print(text, flush=True)).run()
    except torture.Failure:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
