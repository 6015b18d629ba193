"""Roles after a restart, clean or not."""
import psycopg
import pytest

STATE = (
    "select * from pg_roles order by oid",
    "select * from pg_auth_members order by roleid, member",
    "select rolname, rolpassword, rolvaliduntil from pg_authid order by oid",
    "select datdba, datacl from pg_database",
    "select relname, reloptions from pg_class where relkind = 'v' and relname like 'of_%'",
    "select nspname, nspowner, nspacl from pg_namespace order by oid",
    "select relname, relowner, relacl from pg_class where relname like 'of_%' order by 1",
    "select attname, attacl from pg_attribute where attacl is not null",
    "select typname, typowner, typacl from pg_type where typname = 'of_type'",
    "select defaclrole, defaclnamespace, defaclobjtype, defaclacl from pg_default_acl order by 3, 2",
)


@pytest.mark.parametrize("is_clean", [True, False])
def test_roles_survive_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        connection.execute("create role one login password 'pencil' connection limit 3 valid until '2100-01-01'")
        connection.execute("create role three")
        connection.execute("alter role three rename to four")
        connection.execute("create role two noinherit createdb in role one, pg_monitor role four")
        connection.execute("alter role four set work_mem = '2MB'")
        connection.execute("drop role if exists nobody")
        connection.execute("create role dropped")
        connection.execute("grant dropped to four")
        connection.execute("drop role dropped")
        connection.execute("create schema of_one authorization one")
        connection.execute("grant create on schema public to two")
        connection.execute("set role two")
        connection.execute("create table of_two (a serial primary key, b text)")
        connection.execute("create type of_type as enum ('x')")
        connection.execute("grant select, insert on of_two to one with grant option")
        connection.execute("grant update (b), select (a, b) on of_two to public")
        connection.execute("revoke all on of_two from two")
        connection.execute("revoke usage on type of_type from public")
        connection.execute("alter default privileges grant select on tables to one")
        connection.execute("alter default privileges in schema public grant all on sequences to four")
        connection.execute("create table of_two_too (a int)")
        connection.execute("revoke all on of_two_too from two, one")
        connection.execute("create view of_view with (security_invoker) as select a from of_two")
        connection.execute("grant select on of_view to one")
        connection.execute("reset role")
        connection.execute("alter database postgres owner to four")
        connection.execute("revoke temporary on database postgres from public")
        before = [connection.execute(query).fetchall() for query in STATE]
        newest = max(row[-1] for row in before[0])
    if is_clean:
        assert server.stop() == 0, server.log()
    else:
        server.kill()
    server.start()
    with server.connect() as connection:
        assert [connection.execute(query).fetchall() for query in STATE] == before
        assert before[-1] and before[-2] and before[-3]
        connection.execute("set role one")
        connection.execute("insert into of_two (a) values (1)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("delete from of_two")
        assert connection.execute("select a from of_view").fetchall() == [(1,)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("create temporary table of_one (a int)")
        connection.execute("reset role")
        connection.execute("revoke select on of_two from one cascade")
        connection.execute("revoke all on of_two from public")
        connection.execute("set role one")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select a from of_view")
        connection.execute("reset role")
        connection.execute("create role five")
        assert connection.execute("select oid::bigint from pg_roles where rolname = 'five'").fetchone()[0] > newest
    psycopg.connect(server.dsn().replace("user=postgres", "user=one password=pencil")).close()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.dsn().replace("user=postgres", "user=one password=pen"))
