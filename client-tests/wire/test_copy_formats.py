"""COPY in binary format and to files on the server: the same bytes as PostgreSQL's, and back."""
import struct

import psycopg
import pytest

SETUP = """create table copy_kinds (id integer, b boolean, s smallint, l bigint, n numeric, d numeric(12,3), r real, f double precision,
 t text, v varchar(5), c char(4), y bytea, da date, ti time, ts timestamp, tz timestamptz, iv interval, u uuid, ia integer[], ta text[], na numeric(8,2)[])"""
ROWS = """insert into copy_kinds values
 (1, true, -3, 1234567890123, 123456789012345678901234567890.12345, -1.5, 1.25, -0.1, 'ä€ text', 'five5', 'ab', '\\x00ff', '2020-02-29', '12:34:56.789',
  '2020-02-29 12:34:56', '2020-02-29 12:34:56+02', '1 mon 2 days 03:04:05', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{1,2,null}', '{{a,b},{c,d}}', '{1.25,null}'),
 (2, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
 (3, false, 0, 0, 'NaN', 0, 'Infinity', '-Infinity', '', '', '', '', '0001-01-01', '00:00', '1999-12-31', '1970-01-01 00:00+00', '0', null, '{}', '{""}', '{}')"""
SIGNATURE = b"PGCOPY\n\xff\r\n\0"


@pytest.fixture
def connection(gnomon):
    with gnomon.connect() as made:
        made.execute("drop table if exists copy_kinds")
        made.execute(SETUP)
        made.execute("set timezone = 'UTC'")
        yield made
        made.execute("drop table if exists copy_kinds")


def copied(connection, statement: str) -> bytes:
    with connection.cursor().copy(statement) as copy:
        return b"".join(bytes(part) for part in copy)


def copy_in(connection, statement: str, data: bytes, piece: int = 1 << 20):
    with connection.cursor().copy(statement) as copy:
        for at in range(0, len(data), piece):
            copy.write(data[at : at + piece])


def test_binary_out_has_postgresqls_bytes_and_goes_in_again(connection, postgres):
    statement = "copy (select * from copy_kinds order by id) to stdout (format binary)"
    with postgres.connect() as other:
        other.execute("drop table if exists copy_kinds")
        other.execute(SETUP)
        other.execute("set timezone = 'UTC'")
        other.execute(ROWS)
        expected = copied(other, statement)
        other.execute("drop table copy_kinds")
    connection.execute(ROWS)
    assert copied(connection, statement) == expected
    before = connection.execute("select * from copy_kinds order by id").fetchall()
    for piece in (1 << 20, 1, 7):
        connection.execute("truncate copy_kinds")
        copy_in(connection, "copy copy_kinds from stdin binary", expected, piece)
        assert repr(connection.execute("select * from copy_kinds order by id").fetchall()) == repr(before)
    copy_in(connection, "copy copy_kinds from stdin (format binary) where id = 2", expected)
    assert connection.execute("select count(*) from copy_kinds where id = 2").fetchone() == (2,)


def header(flags: int = 0, extension: bytes = b"") -> bytes:
    return SIGNATURE + struct.pack("!ii", flags, len(extension)) + extension


def row(*fields: bytes | None) -> bytes:
    parts = [struct.pack("!h", len(fields))]
    for field in fields:
        parts.append(struct.pack("!i", -1) if field is None else struct.pack("!i", len(field)) + field)
    return b"".join(parts)


END = struct.pack("!h", -1)
BROKEN = {
    "signature": b"PGCOPY\n\xff\r\nX" + bytes(8) + END,
    "empty": b"",
    "no flags": SIGNATURE + b"\0",
    "no length": SIGNATURE + bytes(4),
    "critical flags": header(1 << 20) + END,
    "with oids": header(1 << 16) + END,
    "extension": header(0, b"abc") + row(b"\0\0\0\1", b"x") + END,
    "short extension": SIGNATURE + struct.pack("!ii", 0, 10) + b"x",
    "field count": header() + row(b"\0\0\0\1") + END,
    "behind the end": header() + row(b"\0\0\0\1", b"x") + END + b"x",
    "no end": header() + row(b"\0\0\0\1", b"x"),
    "in a row": header() + row(b"\0\0\0\1", b"xyz")[:-1],
    "field size": header() + struct.pack("!hi", 2, -7),
    "integer size": header() + row(b"\0\0\1", b"x") + END,
    "not utf-8": header() + row(b"\0\0\0\1", b"\xff") + END,
    "too long": header() + row(b"\0\0\0\1", b"too long") + END,
    "null": header() + row(None, b"x") + END,
    "good": header() + row(b"\0\0\0\1", b"x") + row(b"\0\0\0\2", None) + END,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_binary_is_refused_as_by_postgresql(gnomon, postgres, name):
    answers = []
    for server in (postgres, gnomon):
        with server.connect() as made:
            made.execute("create table copy_broken (i integer not null, v varchar(5))")
            try:
                copy_in(made, "copy copy_broken from stdin binary", BROKEN[name])
                answers.append(made.execute("select * from copy_broken order by i").fetchall())
            except psycopg.Error as error:
                answers.append((error.sqlstate, error.diag.message_primary, error.diag.context))
            finally:
                made.execute("drop table copy_broken")
    assert answers[1] == answers[0]


@pytest.mark.parametrize("format", ["text", "csv", "binary"])
def test_files_on_the_server(connection, tmp_path, format):
    connection.execute(ROWS)
    file = tmp_path / "rows"
    assert connection.execute(f"copy copy_kinds to '{file}' (format {format})").rowcount == 3
    before = connection.execute("select * from copy_kinds order by id").fetchall()
    assert file.read_bytes() == copied(connection, f"copy copy_kinds to stdout (format {format})")
    connection.execute("truncate copy_kinds")
    assert connection.execute(f"copy copy_kinds from '{file}' (format {format})").rowcount == 3
    assert repr(connection.execute("select * from copy_kinds order by id").fetchall()) == repr(before)


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("format", ["", "csv header", "binary"])
def test_messages_are_cut_as_by_postgresql(gnomon, postgres, format, rows):
    """Clients take each message for a row."""
    seen = []
    for server in (postgres, gnomon):
        with server.connect() as made, made.cursor().copy(f"copy (select g, 'x'::text from generate_series(1, {rows}) g) to stdout {format}") as copy:
            seen.append([bytes(message) for message in copy])
    assert seen[1] == seen[0]
