"""The system view gnomon_buffer, and what a system view may be used for."""
import psycopg
import pytest

COLUMNS = [
    "size_class", "page_bytes", "frames", "cooling", "dirty", "hits", "rescues", "faults", "reads", "writes", "evictions",
    "read_bytes", "written_bytes",
]  # fmt: skip


@pytest.fixture
def connection(only_gnomon):
    with only_gnomon.connect() as connection:
        yield connection


@pytest.mark.parametrize("mode", ["vm", "llvm", "auto"])
def test_view_is_an_input_like_any_other(connection, mode):
    connection.execute(f"set execution_mode = {mode}")
    whole = connection.execute("select * from gnomon_buffer order by size_class")
    assert [column.name for column in whole.description] == COLUMNS
    assert [column.type_code for column in whole.description] == [23] + [20] * 12
    rows = whole.fetchall()
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert [row[1] for row in rows] == [65536 << number for number in range(len(rows))]
    assert len(rows) == 15, "a pool of 1 GB has room for pages of 1 GB"
    assert all(value >= 0 for row in rows for value in row)
    query = "select page_bytes / 1024 from pg_catalog.gnomon_buffer b where b.size_class between 1 and 3 order by b.page_bytes desc"
    assert connection.execute(query).fetchall() == [(512,), (256,), (128,)]
    query = "select a.size_class, b.size_class from gnomon_buffer a join gnomon_buffer b on b.page_bytes = 2 * a.page_bytes where a.size_class < 2 order by 1"
    assert connection.execute(query).fetchall() == [(0, 1), (1, 2)]
    assert connection.execute("select count(*), min(size_class), max(page_bytes) from gnomon_buffer").fetchone() == (15, 0, 1 << 30)
    query = "select a.size_class % 2, count(*) from gnomon_buffer a, gnomon_buffer b where b.size_class = 0 group by 1 order by 1"
    assert connection.execute(query).fetchall() == [(0, 8), (1, 7)]
    query = "select x.n, b.page_bytes from (values (0), (99)) as x (n) left join gnomon_buffer b on b.size_class = x.n order by 1"
    assert connection.execute(query).fetchall() == [(0, 65536), (99, None)]
    assert connection.execute("select count(*) from gnomon_buffer where false").fetchone() == (0,)


def test_changes_move_the_counts(connection):
    totals = "select sum(frames), sum(hits), sum(dirty * page_bytes), sum(frames * page_bytes) from gnomon_buffer"
    connection.execute("create table seen (n integer, s text)")
    try:
        before = connection.execute(totals).fetchone()
        connection.execute("insert into seen select a.n, repeat('x', 1000) from (values " + ", ".join(f"({n})" for n in range(1000)) + ") as a (n)")
        after = connection.execute(totals).fetchone()
        assert after[0] >= before[0] + 10, "a megabyte takes pages"
        assert after[2] >= before[2] + 600_000, "which nobody has written yet"
        assert after[3] <= 1 << 30
        hits = [connection.execute("select hits from gnomon_buffer where size_class = 0").fetchone()[0]]
        for _ in range(2):
            connection.execute("select sum(length(s)) from seen")
            hits.append(connection.execute("select hits from gnomon_buffer where size_class = 0").fetchone()[0])
        assert hits[1] >= hits[0] + 10 and hits[2] >= hits[1] + 10, "each scan uses each page"
    finally:
        connection.execute("drop table seen")


def test_prepared_statement_has_fresh_rows_each_time(connection):
    connection.execute("create table seen (n integer)")
    try:
        seen = []
        for _ in range(8):
            connection.execute("insert into seen values (1)")
            connection.execute("select count(*) from seen where n > 0", prepare=True)
            seen.append(connection.execute("select hits + dirty from gnomon_buffer where size_class = %s", [0], prepare=True).fetchone()[0])
        assert seen == sorted(seen) and seen[-1] > seen[0]
        again = [connection.execute("select sum(hits) from gnomon_buffer").fetchone()[0] for _ in range(3)]
        assert again == sorted(again)
    finally:
        connection.execute("drop table seen")


def test_view_can_be_copied_and_inserted_elsewhere(connection):
    with connection.cursor().copy("copy (select size_class, page_bytes from gnomon_buffer where size_class < 2 order by 1) to stdout") as copy:
        assert b"".join(copy) == b"0\t65536\n1\t131072\n"
    connection.execute("create table kept (size_class integer, page_bytes bigint)")
    try:
        connection.execute("insert into kept select size_class, page_bytes from gnomon_buffer")
        connection.execute("update kept set page_bytes = b.frames - b.frames from gnomon_buffer b where b.size_class = kept.size_class and b.size_class > 3")
        assert connection.execute("select count(*), sum(page_bytes) from kept").fetchone() == (15, 65536 * 15)
    finally:
        connection.execute("drop table kept")


def test_explain_names_the_view_and_counts_its_rows(connection):
    plan = [row[0] for row in connection.execute("explain analyze select b.frames from gnomon_buffer b where b.size_class > 12")]
    assert plan[0].startswith("Output  (cost=") and " rows=2 loops=1)" in plan[0]
    [scan] = [line for line in plan if "->  Virtual Scan on gnomon_buffer b  (cost=" in line]
    assert scan.count(" rows=15 ") == 2
    plan = [row[0] for row in connection.execute("explain (verbose) select b.frames from gnomon_buffer b where b.size_class > 12")]
    assert any("Columns: size_class, frames" in line for line in plan)
    steps = [row[0] for row in connection.execute("explain (pipelines) select * from gnomon_buffer")]
    assert steps[0].startswith("step 1: scan gnomon_buffer")


REFUSED = [
    "insert into gnomon_buffer values (1)",
    "insert into gnomon_buffer default values",
    "insert into gnomon_buffer select 1",
    "explain insert into gnomon_buffer values (1)",
    "update gnomon_buffer set size_class = 1",
    "update gnomon_buffer b set size_class = 1 from other where true",
    "delete from gnomon_buffer",
    "delete from gnomon_buffer using other where true",
    "truncate gnomon_buffer",
    "truncate other, gnomon_buffer",
    "drop table gnomon_buffer",
    "drop table if exists gnomon_buffer",
    "drop table other, gnomon_buffer",
    "drop index gnomon_buffer",
    "drop index if exists gnomon_buffer",
    "create index on gnomon_buffer (size_class)",
    "create unique index if not exists some on gnomon_buffer (nothing)",
    "copy gnomon_buffer from stdin",
    "copy gnomon_buffer to stdout",
    "select q from gnomon_buffer",
    "select frames.size_class from gnomon_buffer frames, gnomon_buffer frames",
    "select * from nowhere.gnomon_buffer",
]


def error_of(connection, statement: str):
    """What a statement is refused with."""
    result = connection.pgconn.exec_(statement.encode())
    if result.status == psycopg.pq.ExecStatus.COPY_IN:  # PostgreSQL asks for the data before it looks at what is to be filled
        connection.pgconn.put_copy_end()
        result = connection.pgconn.get_result()
        while connection.pgconn.get_result():
            pass
    status = psycopg.pq.ExecStatus(result.status)
    assert status == psycopg.pq.ExecStatus.FATAL_ERROR, (statement, status)
    fields = psycopg.pq.DiagnosticField
    return [result.error_field(field) for field in (fields.SQLSTATE, fields.MESSAGE_PRIMARY, fields.MESSAGE_DETAIL, fields.MESSAGE_HINT, fields.STATEMENT_POSITION)]


def test_statements_that_want_a_table_are_refused_as_postgresql_refuses_them(postgres, connection):
    view = "create view gnomon_buffer as select a as size_class, a as frames from generate_series(0, 3) as s (a)"
    connection.execute("create table other (n integer)")
    with postgres.connect() as reference:
        reference.execute("create table other (n integer)")
        reference.execute(view)
        try:
            for statement in REFUSED:
                assert error_of(connection, statement) == error_of(reference, statement), statement
            # It is a relation of pg_catalog, which is searched first: a table may have its name.
            connection.execute("create table gnomon_buffer (n integer)")
            assert connection.execute("select count(*) from gnomon_buffer").fetchone() == (15,)
            assert connection.execute("select count(*) from public.gnomon_buffer").fetchone() == (0,)
            connection.execute("drop table public.gnomon_buffer")
        finally:
            reference.execute("drop view gnomon_buffer")
            reference.execute("drop table other")
            connection.execute("drop table other")
    assert connection.execute("select count(*) from gnomon_buffer").fetchone() == (15,)
