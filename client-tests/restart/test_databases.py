"""Databases after a restart, clean or not."""
import subprocess

import psycopg
import pytest

STATE = (
    "select oid, datname, datdba, datistemplate, datallowconn, datconnlimit, datacl::text, shobj_description(oid, 'pg_database') from pg_database order by oid",
    "select setdatabase, setrole, setconfig from pg_db_role_setting order by 1, 2",
    "select rolname from pg_roles where oid >= 16384 order by 1",
)
INSIDE = (
    "select oid, nspname, nspowner, nspacl::text from pg_namespace where nspname !~ '^(pg_|information)' order by oid",
    "select oid, relname from pg_class where relname like 'own%' order by 1",
    "select * from own order by 1",
    "select kind, own_f(kind) from own_typed order by 1",
    "select defaclrole, defaclnamespace, defaclacl::text from pg_default_acl",
    "select current_database(), current_setting('work_mem')",
)


def inside(server, name):
    return psycopg.connect(host="127.0.0.1", port=server.port, user="postgres", dbname=name, autocommit=True)


def state(server):
    with server.connect() as connection:
        result = [connection.execute(query).fetchall() for query in STATE]
    for name in ("one", "two"):
        with inside(server, name) as connection:
            result += [connection.execute(query).fetchall() for query in INSIDE]
    return result


@pytest.mark.parametrize("is_clean", [True, False])
def test_databases_survive_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        connection.execute("create role somebody")
        connection.execute("create database one owner somebody connection limit 9")
        connection.execute("create database two is_template true oid 17000")
        connection.execute("create database three")
        connection.execute("alter database three rename to four")
        connection.execute("create database gone")
        connection.execute("comment on database one is 'the first'")
        connection.execute("grant create on database two to somebody")
        connection.execute("revoke all on database four from public, postgres")
        connection.execute("alter database one set work_mem = '5MB'")
        connection.execute("alter role somebody in database two set work_mem = '6MB'")
    # The same names mean other types in each of them, also where the catalog is read again.
    for name, labels in (("one", "'a', 'b', 'c'"), ("two", "'c', 'b', 'd'")):
        with inside(server, name) as connection:
            connection.execute(f"create type kinds as enum ({labels})")
            connection.execute("create domain own_text as text check (value <> '')")
            connection.execute("create table own (k integer primary key, name own_text default current_database())")
            connection.execute("create table own_typed (kind kinds check (kind <> 'c'::kinds))")
            connection.execute("create index on own_typed ((kind = 'b'::kinds))")
            connection.execute("create function own_f(kinds) returns text language sql as 'select $1::text || current_database()'")
            connection.execute("create table own_parts (kind kinds) partition by list (kind)")
            connection.execute("create table own_part partition of own_parts for values in ('b')")
            connection.execute("insert into own values (1), (2)")
            connection.execute("insert into own_typed values ('b')")
            connection.execute("alter default privileges grant select on tables to somebody")
    with inside(server, "gone") as connection:
        connection.execute("create table own (k integer)")
        connection.execute("insert into own select generate_series(1, 1000)")
    with server.connect() as connection:
        connection.execute("drop database gone")
    before = state(server)
    if is_clean:
        assert server.stop() == 0, server.log()
    else:
        server.kill()
    server.start()
    assert state(server) == before
    with inside(server, "two") as connection:
        connection.execute("insert into own_parts values ('b')")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("insert into own_typed values ('c')")
        connection.execute("drop table own_parts")
    with server.connect() as connection:
        connection.execute("create database copy template two")
    server.kill()
    server.start()
    with inside(server, "copy") as copy, inside(server, "two") as template:
        for query in INSIDE[2:5]:
            assert [list(map(lambda value: str(value).replace("copy", "two"), row)) for row in copy.execute(query).fetchall()] == [
                list(map(str, row)) for row in template.execute(query).fetchall()]
        assert copy.execute("insert into own values (3) returning name").fetchone() == ("copy",)
        with pytest.raises(psycopg.errors.UniqueViolation):
            copy.execute("insert into own values (3)")
    with server.connect() as connection:
        connection.execute("create database five")
        oids = [row[0] for row in connection.execute("select oid from pg_database").fetchall()]
        assert len(set(oids)) == len(oids)
        connection.execute("drop database one")
    assert server.stop() == 0, server.log()


def test_a_database_is_there_as_soon_as_it_is_acknowledged(server):
    server.start()
    for i in range(3):
        with server.connect() as connection:
            connection.execute(f"create database made_{i}")
        server.kill()
        server.start()
        with inside(server, f"made_{i}") as connection:
            connection.execute("create table t (a int)")
            connection.execute("insert into t values (1)")
        server.kill()
        server.start()
        with inside(server, f"made_{i}") as connection:
            assert connection.execute("select * from t").fetchall() == [(1,)]
        with server.connect() as connection:
            connection.execute(f"drop database made_{i}")
        server.kill()
        server.start()
        with server.connect() as connection:
            assert connection.execute("select count(*) from pg_database").fetchone() == (3,)
    assert server.stop() == 0, server.log()
    checked = subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=120, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
