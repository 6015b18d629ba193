"""Large objects beside what one session sees: other sessions, read-only transactions, other databases, libpq's functions."""
import ctypes
import ctypes.util
import os

import psycopg
import pytest

INV_WRITE, INV_READ = 0x20000, 0x40000


def ask(connection, sql):
    return connection.execute(sql).fetchall()


@pytest.fixture
def sessions(gnomon):
    first, second = gnomon.connect(), gnomon.connect()
    yield first, second
    for each in (first, second):
        each.close()
    with gnomon.connect() as last:
        last.execute("select lo_unlink(oid) from pg_largeobject_metadata")


def test_others_see_what_is_committed(sessions):
    first, second = sessions
    first.execute("begin; select lo_from_bytea(930001, 'secret')")
    assert ask(second, "select count(*) from pg_largeobject_metadata where oid = 930001") == [(0,)]
    with pytest.raises(psycopg.errors.UndefinedObject):
        second.execute("select lo_get(930001)")
    first.execute("commit")
    assert ask(second, "select lo_get(930001)") == [(b"secret",)]


def test_a_descriptor_for_reading_keeps_what_it_saw(sessions):
    first, second = sessions
    first.execute("select lo_from_bytea(930001, 'before')")
    first.execute(f"begin; select lo_open(930001, {INV_READ}), lo_open(930001, {INV_READ | INV_WRITE})")
    second.execute("select lo_put(930001, 0, 'AFTER.')")
    assert ask(first, "select loread(0, 10), loread(1, 10), lo_get(930001)") == [(b"before", b"AFTER.", b"AFTER.")]
    second.execute("select lo_unlink(930001)")
    assert ask(first, "select lo_lseek(0, 0, 0), loread(0, 10)") == [(0, b"before")]
    first.execute("commit")


def test_a_snapshot_that_is_kept_sees_the_object_as_it_was(sessions):
    first, second = sessions
    first.execute("select lo_from_bytea(930001, 'before')")
    first.execute("begin isolation level repeatable read; select 1")
    second.execute("select lo_put(930001, 0, 'AFTER.'), lo_create(930002)")
    assert ask(first, "select lo_get(930001)") == [(b"before",)]
    with pytest.raises(psycopg.errors.UndefinedObject):
        first.execute("select lo_get(930002)")
    first.execute("rollback")
    assert ask(first, "select lo_get(930001)") == [(b"AFTER.",)]


def test_two_who_create_the_same_one_wait_for_each_other(gnomon, sessions):
    first, second = sessions
    first.execute("begin; select lo_create(930001)")
    second.execute("set lock_timeout = '100ms'")
    with pytest.raises(psycopg.errors.LockNotAvailable):
        second.execute("select lo_create(930001)")
    first.execute("rollback")
    assert ask(second, "select lo_create(930001)") == [(930001,)]
    with pytest.raises(psycopg.errors.UniqueViolation, match="pg_largeobject_metadata_oid_index"):
        first.execute("select lo_create(930001)")


def test_a_read_only_transaction_changes_nothing(sessions):
    first, _ = sessions
    first.execute("select lo_from_bytea(930001, 'kept')")
    for call in ("lo_create(930002)", "lo_creat(-1)", "lo_from_bytea(0, 'x')", "lo_put(930001, 0, 'x')", "lo_unlink(930001)", f"lo_open(930001, {INV_WRITE})", "lo_import('/etc/hostname')"):  # fmt: skip
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            first.execute(f"begin read only; select {call}")
        first.execute("rollback")
    first.execute("begin read only")
    assert ask(first, f"select lo_get(930001), lo_open(930001, {INV_READ}), loread(0, 2)") == [(b"kept", 0, b"ke")]
    first.execute("commit")


def test_an_object_is_one_of_its_database(gnomon, sessions):
    first, _ = sessions
    first.execute("select lo_from_bytea(930001, 'here')")
    first.execute("create database lobby_other")
    try:
        with psycopg.connect(gnomon.dsn().replace("dbname=postgres", "dbname=lobby_other"), autocommit=True) as other:
            assert ask(other, "select count(*) from pg_largeobject_metadata") == [(0,)]
            assert ask(other, "select lo_from_bytea(930001, 'there')") == [(930001,)]
            assert ask(other, "select lo_get(930001)") == [(b"there",)]
        first.execute("create database lobby_copy template lobby_other")
        with psycopg.connect(gnomon.dsn().replace("dbname=postgres", "dbname=lobby_copy"), autocommit=True) as copy:
            assert ask(copy, "select lo_get(930001)") == [(b"there",)]
            assert ask(copy, "select lo_put(930001, 5, '!'), lo_unlink(930001)") == [("", 1)]
        first.execute("drop database lobby_copy")
    finally:
        first.execute("drop database lobby_other")
    assert ask(first, "select lo_get(930001)") == [(b"here",)]


def test_nobody_finds_the_tables_behind(sessions):
    first, _ = sessions
    for statement in ("select * from pg_catalog.pg_largeobject_pages", "insert into pg_largeobject_owners values (1, 10)", "drop table pg_catalog.pg_largeobject_pages", "drop index pg_catalog.pg_largeobject_loid_pn_index", "truncate pg_largeobject_owners", "alter table pg_catalog.pg_largeobject_pages add x integer", "create index on pg_catalog.pg_largeobject_pages (loid)", "grant select on pg_catalog.pg_largeobject_pages to public", "copy pg_catalog.pg_largeobject_pages to stdout", "comment on table pg_catalog.pg_largeobject_pages is 'x'", "create view pages as select * from pg_catalog.pg_largeobject_pages", "vacuum pg_catalog.pg_largeobject_pages"):  # fmt: skip
        with pytest.raises((psycopg.errors.UndefinedTable, psycopg.errors.UndefinedObject)):
            first.execute(statement)
    with pytest.raises(psycopg.errors.UndefinedTable):
        first.execute("begin; lock table pg_catalog.pg_largeobject_pages")
    first.execute("rollback")
    assert ask(first, "select count(*) from pg_class where relname in ('pg_largeobject_pages', 'pg_largeobject_owners')") == [(0,)]
    # The text of the statements of its own finds none of their plans.
    first.execute("select lo_from_bytea(930001, 'x')")
    with pytest.raises(psycopg.errors.UndefinedTable):
        first.execute("select lomowner, lomacl, comment from pg_catalog.pg_largeobject_owners where loid = %s::oid", [930001])


def test_megabytes(sessions):
    first, second = sessions
    content = os.urandom(3_000_001)
    first.execute("select lo_from_bytea(930001, %b)", [content])
    assert ask(second, "select lo_get(930001)") == [(content,)]
    assert ask(second, "select lo_get(930001, 2999999, 100), lo_get(930001, 1000000, 5)") == [(content[2999999:], content[1000000:1000005])]
    assert ask(second, "select count(*), sum(length(data)) from pg_largeobject where loid = 930001") == [(1465, 3_000_001)]


def test_files_of_the_server(sessions, tmp_path):
    first, _ = sessions
    (tmp_path / "in").write_bytes(content := os.urandom(5000))
    assert ask(first, f"select lo_import('{tmp_path}/in', 930001)") == [(930001,)]
    assert ask(first, "select lo_get(930001)") == [(content,)]
    assert ask(first, f"select lo_export(930001, '{tmp_path}/out')") == [(1,)]
    assert (tmp_path / "out").read_bytes() == content


class Libpq:
    """libpq's functions on large objects, and the connection that they are called with."""

    def __init__(self, dsn: str):
        self.library = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
        self.library.PQconnectdb.restype = self.library.PQexec.restype = ctypes.c_void_p
        self.library.lo_tell64.restype = self.library.lo_lseek64.restype = ctypes.c_int64
        for name in ("lo_creat", "lo_create", "lo_import", "lo_import_with_oid"):
            getattr(self.library, name).restype = ctypes.c_uint
        self.connection = ctypes.c_void_p(self.library.PQconnectdb(dsn.encode()))

    def __getattr__(self, name):
        return lambda *arguments: getattr(self.library, name)(self.connection, *arguments)


def libpq_transcript(server, folder) -> list:
    (folder / "source").write_bytes(b"from a file" * 1000)
    pq, seen, buffer = Libpq(server.dsn()), [], ctypes.create_string_buffer(20000)
    oid = pq.lo_create(ctypes.c_uint(930001))
    seen.append(oid)
    pq.PQexec(b"begin")
    descriptor = pq.lo_open(ctypes.c_uint(oid), INV_READ | INV_WRITE)
    seen += [descriptor, pq.lo_write(descriptor, b"0123456789" * 500, ctypes.c_size_t(5000)), pq.lo_tell(descriptor)]
    seen += [pq.lo_lseek64(descriptor, ctypes.c_int64(-10), 2), pq.lo_read(descriptor, buffer, ctypes.c_size_t(100)), buffer.raw[:10]]
    seen += [pq.lo_lseek(descriptor, 4, 0), pq.lo_tell64(descriptor), pq.lo_truncate(descriptor, ctypes.c_size_t(7)), pq.lo_read(descriptor, buffer, ctypes.c_size_t(100)), buffer.raw[:3]]
    seen += [pq.lo_truncate64(descriptor, ctypes.c_int64(3000)), pq.lo_lseek64(descriptor, ctypes.c_int64(0), 2), pq.lo_lseek64(descriptor, ctypes.c_int64(1 << 41), 0), pq.lo_close(descriptor)]
    pq.PQexec(b"commit")
    seen += [pq.lo_read(0, buffer, ctypes.c_size_t(5)), pq.lo_open(ctypes.c_uint(930999), INV_READ)]
    pq.PQexec(b"begin")
    imported = pq.lo_import_with_oid(str(folder / "source").encode(), ctypes.c_uint(930002))
    seen += [imported, pq.lo_export(ctypes.c_uint(imported), str(folder / "target").encode()), (folder / "target").read_bytes()]
    pq.PQexec(b"commit")
    seen += [pq.lo_unlink(ctypes.c_uint(930001)), pq.lo_unlink(ctypes.c_uint(930002)), pq.lo_unlink(ctypes.c_uint(930002))]
    created = pq.lo_creat(INV_READ | INV_WRITE)
    seen += [created > 0, pq.lo_unlink(ctypes.c_uint(created))]
    pq.PQfinish()
    return seen


def test_libpq_sees_what_it_sees_from_postgresql(postgres, gnomon, tmp_path):
    assert libpq_transcript(gnomon, tmp_path) == libpq_transcript(postgres, tmp_path)
