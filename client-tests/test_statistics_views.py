"""pg_stat_database, pg_stat_*_tables, pg_stat_*_indexes and pg_statio_*: columns as PostgreSQL's, counts as what was done."""
import threading
import time

import psycopg
import pytest

VIEWS = ["pg_stat_database", *(f"{prefix}_{which}_{subject}" for which in ("all", "user", "sys") for prefix, subject in (
    ("pg_stat", "tables"), ("pg_stat", "indexes"), ("pg_statio", "tables"), ("pg_statio", "indexes"), ("pg_statio", "sequences")))]
CHANGES = [
    "create table counted (k integer primary key, v integer, t text)",
    "insert into counted select i, i, 'text ' || i from generate_series(1, 100) i",
    "update counted set v = v + 1 where k <= 30",
    "update counted set k = k + 1000 where k > 95",
    "delete from counted where k between 40 and 49",
    "insert into counted values (1, 0, 'x') on conflict (k) do update set t = excluded.t",
    "insert into counted values (1, 0, 'x') on conflict do nothing",
    "insert into counted values (200, 0, 'y') on conflict do nothing",
    "begin; insert into counted select i, i, '' from generate_series(300, 319) i; delete from counted where k < 10; rollback",
    "merge into counted c using (values (1), (700)) s (k) on s.k = c.k when matched then delete when not matched then insert values (s.k, 0, '')",
]


@pytest.fixture
def connection(only_gnomon):
    with only_gnomon.connect() as connection:
        yield connection
        connection.execute("rollback; drop table if exists counted, read")


@pytest.mark.parametrize("view", VIEWS)
def test_columns_are_postgresqls(postgres, connection, view):
    with postgres.connect() as reference:
        theirs = reference.execute(f"select * from {view}").description
    ours = connection.execute(f"select * from pg_catalog.{view}").description
    assert [(column.name, column.type_code) for column in ours] == [(column.name, column.type_code) for column in theirs]


def test_changes_are_counted_as_postgresql_counts_them(postgres, connection):
    question = "select n_tup_ins, n_tup_upd, n_tup_del from pg_stat_user_tables where relname = 'counted' and schemaname = 'public'"
    with postgres.connect() as reference:
        try:
            for statement in CHANGES:
                reference.execute(statement)
                connection.execute(statement)
            reference.execute("select pg_stat_force_next_flush()")
            assert connection.execute(question).fetchone() == reference.execute(question).fetchone()
        finally:
            reference.execute("drop table if exists counted")


def test_reads_are_counted_by_how_rows_were_found(connection):
    connection.execute("create table read (k integer primary key, v integer)")
    connection.execute("insert into read select i, i % 10 from generate_series(1, 50000) i")
    connection.execute("analyze read")
    question = "select seq_scan, seq_tup_read, idx_scan, idx_tup_fetch from pg_stat_all_tables where relname = 'read'"
    before = connection.execute(question).fetchone()
    connection.execute("select sum(v) from read")
    connection.execute("select v from read where k = 77")
    connection.execute("select v from read where k = 77000")
    connection.execute("select sum(v) from read where k in (1, 2, 3)")
    after = connection.execute(question).fetchone()
    assert tuple(b - a for a, b in zip(before, after)) == (1, 50000, 3, 4)
    index = connection.execute("select idx_scan, idx_tup_read, idx_tup_fetch from pg_stat_user_indexes where indexrelname = 'read_pkey'")
    assert index.fetchone() == (3, 4, 4)


def test_maintenance_is_noted(connection):
    connection.execute("create table counted (k integer)")
    connection.execute("insert into counted select generate_series(1, 1000)")
    connection.execute("delete from counted where k > 900")
    question = """select n_live_tup, n_mod_since_analyze, n_ins_since_vacuum, vacuum_count, analyze_count, last_vacuum is null, last_analyze is null
                  from pg_stat_user_tables where relname = 'counted'"""
    assert connection.execute(question).fetchone() == (900, 1100, 1000, 0, 0, True, True)
    connection.execute("vacuum analyze counted")
    assert connection.execute(question).fetchone() == (900, 0, 0, 1, 1, False, False)
    assert connection.execute("select last_vacuum between now() - interval '1 hour' and clock_timestamp() from pg_stat_user_tables where relname = 'counted'").fetchone()[0]


def test_functions_tell_what_the_views_show(connection):
    connection.execute("create table counted (k integer primary key, v integer)")
    connection.execute("insert into counted select i, i from generate_series(1, 50000) i")
    connection.execute("analyze counted")
    connection.execute("update counted set v = v + 1 where k < 11")
    connection.execute("delete from counted where k > 49995")
    connection.execute("select count(*) from counted").fetchone()
    connection.execute("select v from counted where k = 50").fetchone()
    shown = connection.execute(
        "select seq_scan, seq_tup_read, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del, n_live_tup, n_dead_tup, n_mod_since_analyze, n_ins_since_vacuum, vacuum_count, analyze_count, last_vacuum, last_analyze from pg_stat_user_tables where relname = 'counted'"
    ).fetchone()
    asked = connection.execute(
        "select "
        + ", ".join(
            f"pg_stat_get_{name}('counted'::regclass)"
            for name in "numscans tuples_returned tuples_fetched tuples_inserted tuples_updated tuples_hot_updated tuples_deleted live_tuples dead_tuples mod_since_analyze ins_since_vacuum vacuum_count analyze_count last_vacuum_time last_analyze_time".split()
        )
    ).fetchone()
    assert asked == shown
    assert shown[3] == 50000 and shown[6] == 5 and shown[7] == 49995 and shown[8] == 5 and shown[12] == 1
    shown = connection.execute("select idx_scan, idx_tup_read, idx_tup_fetch from pg_stat_user_indexes where indexrelname = 'counted_pkey'").fetchone()
    asked = connection.execute("select " + ", ".join(f"pg_stat_get_{name}('counted_pkey'::regclass)" for name in ("numscans", "tuples_returned", "tuples_fetched"))).fetchone()
    assert asked == shown and shown[0] > 0


def test_transactions_of_the_database_are_counted(connection):
    question = "select xact_commit, xact_rollback, numbackends > 0, tup_inserted from pg_stat_database where datname = current_database()"
    connection.execute("create table counted (k integer)")
    before = connection.execute(question).fetchone()
    for statement in ("select 1", "begin; insert into counted values (1); commit", "begin; insert into counted values (2); rollback"):
        connection.execute(statement)
    for statement in ("select 1 / 0", "begin; select 1 / 0"):
        with pytest.raises(psycopg.Error):
            connection.execute(statement)
    connection.execute("rollback")
    after = connection.execute(question).fetchone()
    # Other sessions of the harness may have ended a transaction meanwhile, and the first question itself ends with a commit.
    assert after[0] - before[0] >= 3
    assert after[1] - before[1] >= 3
    assert after[2] and after[3] - before[3] == 2


def test_sequences_and_tables_of_the_system_are_apart(connection):
    connection.execute("create table counted (k serial primary key)")
    assert connection.execute("select count(*) from pg_statio_user_sequences where relname = 'counted_k_seq'").fetchone() == (1,)
    assert connection.execute("select count(*) from pg_stat_user_tables where relname like 'counted%'").fetchone() == (1,)
    assert connection.execute("select count(*) from pg_stat_sys_tables where relname like 'counted%'").fetchone() == (0,)


def test_blocking_pids_names_who_holds_the_row(only_gnomon, connection):
    connection.execute("create table counted (k integer primary key, v integer)")
    connection.execute("insert into counted values (1, 1)")
    with only_gnomon.connect() as waiting, only_gnomon.connect() as observer:
        connection.execute("begin")
        connection.execute("update counted set v = 2 where k = 1")
        ids = [each.execute("select pg_backend_pid()").fetchone()[0] for each in (connection, waiting)]
        thread = threading.Thread(target=lambda: waiting.execute("update counted set v = 3 where k = 1"))
        thread.start()
        end = time.monotonic() + 60
        blockers = []
        while not blockers and time.monotonic() < end:
            blockers = observer.execute("select pg_blocking_pids(%s)", [ids[1]]).fetchone()[0]
        assert blockers == [ids[0]]
        assert observer.execute("select pg_blocking_pids(%s)", [ids[0]]).fetchone()[0] == []
        connection.execute("commit")
        thread.join()
        assert observer.execute("select pg_blocking_pids(%s)", [ids[1]]).fetchone()[0] == []


def test_server_and_connection_are_told(only_gnomon, connection):
    row = connection.execute("select inet_server_addr()::text, inet_server_port(), inet_client_addr()::text, inet_client_port() > 0, "
                             "pg_postmaster_start_time() <= now(), pg_conf_load_time() = pg_postmaster_start_time()").fetchone()
    assert row == ("127.0.0.1/32", only_gnomon.port, "127.0.0.1/32", True, True, True)
    connection.execute("create table counted (k integer primary key)")
    connection.execute("insert into counted select generate_series(1, 1000)")
    sizes = connection.execute("select pg_total_relation_size('counted'), pg_database_size('postgres'), pg_database_size(oid), pg_tablespace_size('pg_default') "
                               "from pg_database where datname = current_database()").fetchone()
    assert 0 < sizes[0] <= sizes[1] == sizes[2] < sizes[3]
