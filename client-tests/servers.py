"""Starts and ends the servers the tests speak to: Gnomon and the PostgreSQL 15 beside it.

Each server has a folder and a port of its own and is ended by the process id it was started with.
"""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import psycopg

PROJECT = pathlib.Path(__file__).resolve().parent.parent
POSTGRES_BIN = pathlib.Path(os.environ.get("POSTGRES_BIN", "/usr/lib/postgresql/15/bin"))
PSQL = str(POSTGRES_BIN / "psql")
SYMBOLIZER = pathlib.Path("/usr/lib/llvm-19/bin/llvm-symbolizer")
# How Gnomon's sessions are made to run statements: "llvm" with quick machine code, "full" with optimised machine code.
MODES = ("vm", "llvm", "full", "auto")
START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 120


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_folder(name: str) -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(prefix=f"gnomon-test-{name}-"))


class Server:
    """One server process. Subclasses say how it is started and which modes a session can be put in."""

    name = "server"
    modes: tuple[str, ...] = ()
    stop_signal = signal.SIGTERM
    after_load: tuple[str, ...] = ()  # SQL that the server wants after much data came in
    host = "127.0.0.1"  # by which clients come

    def __init__(self):
        self.folder = test_folder(self.name)
        self.data = self.folder / "data"
        self.log_path = self.folder / "log"
        self.port = free_port()
        self.process = None

    def use_unix_socket(self):
        """Clients come by the server's folder, where its socket is."""
        self.host = str(self.folder)

    def command(self) -> list[str]:
        raise NotImplementedError

    def process_options(self) -> dict:
        return {}

    def start(self):
        """Returns once the server answers; a server that ends or stays silent raises with its log."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.process_options()
            )
        deadline = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                psycopg.connect(self.dsn(), connect_timeout=5).close()
                return self
            except psycopg.OperationalError as error:
                if self.process.poll() is not None:
                    raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{self.log()}") from error
                if time.monotonic() > deadline:
                    self.kill()
                    raise RuntimeError(f"{self.name} does not answer:\n{self.log()}") from error
                time.sleep(0.05)

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> int:
        """A clean end; returns the exit code."""
        if self.running():
            self.process.send_signal(self.stop_signal)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"{self.name} had not ended {STOP_SECONDS_MAX} s after its stop signal:\n{self.log()}") from None

    def kill(self):
        if self.running():
            self.process.kill()
        self.process.wait()

    def remove(self):
        if self.running():
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")[-10_000:] if self.log_path.exists() else ""

    def dsn(self) -> str:
        return f"host={self.host} port={self.port} user=postgres dbname=postgres"

    def connect(self, **options):
        """A psycopg connection in autocommit."""
        return psycopg.connect(self.dsn(), autocommit=True, **options)

    def raw_connect(self) -> "psycopg.pq.PGconn":
        """A bare libpq connection, for what a driver would hide."""
        connection = psycopg.pq.PGconn.connect(self.dsn().encode())
        if connection.status != psycopg.pq.ConnStatus.OK:
            raise psycopg.OperationalError(connection.get_error_message())
        return connection

    def psql(self, *arguments: str, input: str | None = None, timeout: float = 600) -> subprocess.CompletedProcess:
        command = [PSQL, "-X", "-v", "ON_ERROR_STOP=1", "-h", self.host, "-p", str(self.port), "-U", "postgres", "-d", "postgres"]
        return subprocess.run(
            [*command, *arguments], input=input, capture_output=True, text=True, timeout=timeout, cwd=PROJECT, check=False
        )

    def set_mode(self, connection, mode: str):
        """Puts a raw connection into an execution mode."""


class PostgresServer(Server):
    """PostgreSQL 15 in a folder of its own. It refuses to run as root: root hands it to the user postgres."""

    name = "postgresql"
    stop_signal = signal.SIGINT
    after_load = ("analyze;",)

    def __init__(self, settings: dict[str, str] | None = None):
        super().__init__()
        defaults = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "autovacuum": "off",
            "shared_buffers": "256MB",
            "max_connections": "300",
            "timezone": "UTC",
            "log_statement": "none",
            "log_min_messages": "fatal",
            "log_min_error_statement": "panic",
        }
        self.settings = defaults | (settings or {})

    def process_options(self) -> dict:
        if os.geteuid() != 0:
            return {}
        return {"user": "postgres", "group": pwd.getpwnam("postgres").pw_gid, "extra_groups": []}

    def start(self):
        if not self.data.exists():
            if os.geteuid() == 0:
                shutil.chown(self.folder, "postgres", "postgres")
            initdb = [POSTGRES_BIN / "initdb", "--locale=C", "--encoding=UTF8", "-A", "trust", "-U", "postgres", "-D", self.data]
            subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.process_options())
        return super().start()

    def command(self) -> list[str]:
        settings = [f"--{name}={value}" for name, value in self.settings.items()]
        return [str(POSTGRES_BIN / "postgres"), "-D", str(self.data), *settings]


class PostgresInGnomonsPlace(PostgresServer):
    """For testing the tests: with GNOMON_BINARY=postgresql PostgreSQL plays both sides, and must agree with itself."""

    modes = MODES
    is_gnomon = False


class GnomonServer(Server):
    name = "gnomon"
    modes = MODES
    is_gnomon = True

    def __init__(self, binary: pathlib.Path, workers: int = 2, buffer_pool: str = "1GB", data: pathlib.Path | None = None):
        super().__init__()
        self.more_options: list[str] = []
        self.binary = binary
        self.workers = workers
        self.buffer_pool = buffer_pool
        if data is not None:
            self.data = data

    def command(self) -> list[str]:
        return [
            str(self.binary), "serve", "--data", str(self.data), "--listen", f"127.0.0.1:{self.port}",
            "--socket-directory", str(self.folder), "--buffer-pool", self.buffer_pool, "--workers", str(self.workers), *self.more_options,
        ]  # fmt: skip

    def process_options(self) -> dict:
        """A build with sanitizers says where; other builds do not read these."""
        symbolizer = {"ASAN_SYMBOLIZER_PATH": str(SYMBOLIZER), "UBSAN_OPTIONS": f"print_stacktrace=1:external_symbolizer_path={SYMBOLIZER}"}
        return {"env": (symbolizer if SYMBOLIZER.exists() else {}) | os.environ}

    def dsn(self) -> str:
        """Sessions begin in the mode that GNOMON_MODE says, where it does."""
        mode = os.environ.get("GNOMON_MODE")
        return super().dsn() + (f" options='-c execution_mode={mode}'" if mode else "")

    def set_mode(self, connection, mode: str):
        optimisation = {"llvm": "quick", "full": "full"}.get(mode, "auto")
        for setting in (f"execution_mode = {'llvm' if mode == 'full' else mode}", f"llvm_optimisation = {optimisation}"):
            result = connection.exec_(f"set {setting}".encode())
            if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
                raise RuntimeError(f"set {setting}: {result.error_message.decode()}")

    def log(self) -> str:
        """A sanitizer's report from its beginning, or else the log's end."""
        return self.sanitizer_reports()[:6_000] or super().log()

    def sanitizer_reports(self) -> str:
        """What AddressSanitizer or UBSan wrote, whole; empty when nothing was found."""
        log = self.log_path.read_text(errors="replace") if self.log_path.exists() else ""
        marks = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", ": runtime error: ", "WARNING: ThreadSanitizer")
        start = min((log.index(mark) for mark in marks if mark in log), default=None)
        return "" if start is None else log[max(0, start - 200):][:20_000]


def end_statement_timeout(connection):
    """A timeout of a millisecond may end the very statement that takes it back."""
    while True:
        try:
            connection.execute("set statement_timeout = 0")
            return
        except psycopg.errors.QueryCanceled:
            pass


def binary_under_test() -> str:
    return os.environ.get("GNOMON_BINARY", "build/release/gnomon")


def new_gnomon(**options) -> Server:
    """The server under test, not yet started."""
    name = binary_under_test()
    if name == "postgresql":
        return PostgresInGnomonsPlace({"max_connections": "400"})
    binary = (PROJECT / name).resolve()
    if not binary.exists():
        raise RuntimeError(f"{binary} does not exist; build it or set GNOMON_BINARY")
    return GnomonServer(binary, **options)
