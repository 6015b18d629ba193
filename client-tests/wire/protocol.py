"""A protocol 3.0 client that sends exactly the bytes it is told to: well-formed, malformed, split or cut short.

The tests run one scenario against PostgreSQL and against Gnomon and compare transcripts: the messages each sent back, without
what may rightly differ (table ids, process ids, error texts' wording, source file and line).
"""
import socket
import struct

PROTOCOL_3 = 196608
SSL_REQUEST = 80877103
GSSENC_REQUEST = 80877104
CANCEL_REQUEST = 80877102
SECONDS_MAX = 60
STARTUP = {"user": "postgres", "database": "postgres"}


class Closed(Exception):
    """The server closed the connection."""


def message(kind: str, payload: bytes = b"") -> bytes:
    return kind.encode() + struct.pack("!i", len(payload) + 4) + payload


def text(value: str | bytes) -> bytes:
    return (value.encode() if isinstance(value, str) else value) + b"\0"


def query(sql: str | bytes) -> bytes:
    return message("Q", text(sql))


def parse(sql: str, name: str = "", types=()) -> bytes:
    return message("P", text(name) + text(sql) + struct.pack(f"!h{len(types)}i", len(types), *types))


def bind(values=(), portal: str = "", statement: str = "", value_formats=(), result_formats=()) -> bytes:
    payload = text(portal) + text(statement)
    payload += struct.pack(f"!h{len(value_formats)}h", len(value_formats), *value_formats)
    payload += struct.pack("!h", len(values))
    for value in values:
        payload += struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
    payload += struct.pack(f"!h{len(result_formats)}h", len(result_formats), *result_formats)
    return message("B", payload)


def describe(kind: str, name: str = "") -> bytes:
    return message("D", kind.encode() + text(name))


def execute(portal: str = "", rows_max: int = 0) -> bytes:
    return message("E", text(portal) + struct.pack("!i", rows_max))


def close(kind: str, name: str = "") -> bytes:
    return message("C", kind.encode() + text(name))


def sync() -> bytes:
    return message("S")


def flush() -> bytes:
    return message("H")


def copy_data(data: bytes) -> bytes:
    return message("d", data)


def copy_done() -> bytes:
    return message("c")


def copy_fail(reason: str) -> bytes:
    return message("f", text(reason))


def terminate() -> bytes:
    return message("X")


def startup(parameters: dict[str, str] | None = None, version: int = PROTOCOL_3) -> bytes:
    body = b"".join(text(name) + text(value) for name, value in (STARTUP if parameters is None else parameters).items()) + b"\0"
    return struct.pack("!ii", len(body) + 8, version) + body


def request(code: int) -> bytes:
    return struct.pack("!ii", 8, code)


def cancel(process_id: int, secret: int) -> bytes:
    return struct.pack("!iiii", 16, CANCEL_REQUEST, process_id, secret)


def split_texts(payload: bytes) -> list[str]:
    return [part.decode() for part in payload.split(b"\0") if part]


def error_fields(payload: bytes) -> dict[str, str]:
    return {part[0]: part[1:] for part in split_texts(payload)}


def row_description(payload: bytes):
    """(name, column number, type id, type size, type modifier, format) of each column; the table id is left out."""
    count, position, columns = struct.unpack_from("!h", payload)[0], 2, []
    for _ in range(count):
        end = payload.index(b"\0", position)
        name = payload[position:end].decode()
        _, number, type_id, size, modifier, form = struct.unpack_from("!ihihih", payload, end + 1)
        columns.append((name, number, type_id, size, modifier, form))
        position = end + 19
    return columns


def data_row(payload: bytes):
    count, position, values = struct.unpack_from("!h", payload)[0], 2, []
    for _ in range(count):
        size = struct.unpack_from("!i", payload, position)[0]
        position += 4
        if size < 0:
            values.append(None)
        else:
            values.append(payload[position : position + size])
            position += size
    return values


def readable(kind: str, payload: bytes):
    """A message as a tuple that compares equal when two servers said the same."""
    if kind == "T":
        return ("RowDescription", *row_description(payload))
    if kind == "D":
        return ("DataRow", *data_row(payload))
    if kind in "EN":
        fields = error_fields(payload)
        return ("Error" if kind == "E" else "Notice", fields.get("V"), fields.get("C"))
    if kind == "C":
        return ("CommandComplete", payload[:-1].decode())
    if kind == "S":
        return ("ParameterStatus", *split_texts(payload))
    if kind == "K":
        return ("BackendKeyData",)
    if kind == "t":
        return ("ParameterDescription", *struct.unpack(f"!{(len(payload) - 2) // 4}i", payload[2:]))
    names = {
        "Z": "ReadyForQuery", "1": "ParseComplete", "2": "BindComplete", "3": "CloseComplete", "n": "NoData", "s": "PortalSuspended",
        "I": "EmptyQueryResponse", "G": "CopyInResponse", "H": "CopyOutResponse", "d": "CopyData", "c": "CopyDone", "R": "Authentication", "v": "NegotiateProtocolVersion",
    }  # fmt: skip
    return (names.get(kind, kind), payload) if payload else (names.get(kind, kind),)


class Client:
    """One socket to a server."""

    def __init__(self, port: int, seconds_max: float = SECONDS_MAX):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds_max)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = bytearray()
        self.process_id = self.secret = 0
        self.parameters = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def start(self, parameters: dict[str, str] | None = None):
        """Does the start-up and reads up to the first ReadyForQuery."""
        self.send(startup(parameters))
        while True:
            kind, payload = self.read_raw()
            if kind == "S":
                name, value = (split_texts(payload) + [""])[:2]
                self.parameters[name] = value
            elif kind == "K":
                self.process_id, self.secret = struct.unpack("!ii", payload)
            elif kind == "E":
                raise Closed(f"refused at start-up: {error_fields(payload)}")
            elif kind == "Z":
                return self

    def send(self, *messages: bytes):
        self.socket.sendall(b"".join(messages))

    def read_bytes(self, count: int) -> bytes:
        while len(self.received) < count:
            try:
                chunk = self.socket.recv(1 << 20)
            except ConnectionResetError as error:
                raise Closed from error
            if not chunk:
                raise Closed
            self.received += chunk
        taken = bytes(memoryview(self.received)[:count])
        del self.received[:count]
        return taken

    def read_raw(self) -> tuple[str, bytes]:
        kind = self.read_bytes(1).decode("latin-1")
        size = struct.unpack("!i", self.read_bytes(4))[0]
        return kind, self.read_bytes(size - 4)

    def read(self):
        return readable(*self.read_raw())

    def read_until(self, *kinds: str) -> list:
        """The messages up to and with the first whose name is among these; "Closed" ends the list when the server closes."""
        seen = []
        while True:
            try:
                seen.append(self.read())
            except Closed:
                return [*seen, ("Closed",)]
            if seen[-1][0] in kinds:
                return seen

    def until_ready(self) -> list:
        return self.read_until("ReadyForQuery")

    def ask(self, sql: str) -> list:
        self.send(query(sql))
        return self.until_ready()

    def ends(self) -> bool:
        """Reads whatever still comes; true when the server closes the connection."""
        try:
            while True:
                self.read_raw()
        except Closed:
            return True
        except TimeoutError:
            return False


def rows_of(transcript) -> list[tuple]:
    return [entry[1:] for entry in transcript if entry[0] == "DataRow"]


def sqlstates(transcript) -> list[str]:
    return [entry[2] for entry in transcript if entry[0] == "Error"]
