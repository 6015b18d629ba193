"""Several databases in one server: definitions beside PostgreSQL, what each of them has for itself, who may connect."""
import subprocess
import threading
import time

import psycopg
import pytest

import servers

# Said to both servers by a superuser in the database postgres; the answers are compared: tags, rows, errors, notices.
SCRIPT = (
    "create database db_one",
    "create database db_one",
    "create role db_owner createdb",
    "create role db_plain",
    "create database db_two with owner db_owner template template0 encoding 'utf-8' locale 'C' connection limit 5 is_template false",
    "create database db_three owner = db_owner allow_connections = false is_template = true oid = 3000000000",
    "create database db_four oid 3000000000",
    "create database db_four oid 4",
    "create database db_four oid 99999999999",
    "create database db_four encoding 'nothing'",
    "create database db_four encoding 'sjis'",
    "create database db_four encoding 77",
    "create database db_four encoding 'latin1'",
    "create database db_four locale 'nowhere'",
    "create database db_four lc_collate 'POSIX' lc_ctype 'C' tablespace pg_default strategy file_copy",
    "create database db_five tablespace nowhere",
    "create database db_five tablespace pg_global",
    "create database db_five strategy 'quick'",
    "create database db_five foo = 3",
    "create database db_five template postgres template postgres",
    "create database db_five template nothing",
    "create database db_five owner nobody",
    "create database db_five connection limit -7",
    "create database db_five connection limit 'x'",
    "create database db_five is_template 2",
    "create database db_five is_template 'on' is_template 'off'",
    "create database db_five locale_provider nothing",
    "create database db_five locale_provider icu",
    "create database db_five icu_locale 'en'",
    "create database db_five template default owner default encoding default",
    "drop database db_five",
    "select datname, r.rolname, pg_encoding_to_char(encoding), datcollate, datctype, datistemplate, datallowconn, datconnlimit, datacl::text, "
    "shobj_description(d.oid, 'pg_database') from pg_database d join pg_roles r on r.oid = datdba order by 1",
    "select oid from pg_database where datname in ('postgres', 'template0', 'template1', 'db_three') order by 1",
    "comment on database db_one is 'the first'",
    "comment on database nothing is 'none'",
    "select description from pg_shdescription where objoid = (select oid from pg_database where datname = 'db_one')",
    "comment on database db_one is null",
    "grant create, temporary on database db_one, db_two to db_plain with grant option",
    "revoke connect on database db_one from public",
    "grant all on database nothing to db_plain",
    "select datname, datacl::text from pg_database where datname like 'db\\_%' order by 1",
    "select has_database_privilege('db_plain', 'db_one', 'connect'), has_database_privilege('db_plain', 'db_two', 'connect'), "
    "has_database_privilege('db_plain', 'db_one', 'create with grant option')",
    "select has_database_privilege('db_plain', 'nothing', 'connect')",
    "alter database db_one rename to db_two",
    "alter database db_one rename to db_eins",
    "alter database postgres rename to db_six",
    "alter database nothing rename to db_six",
    "alter database db_eins with connection limit 3 is_template true",
    "alter database db_eins allow_connections false",
    "alter database postgres allow_connections false",
    "alter database db_eins with foo 3",
    "alter database db_eins connection limit -3",
    "alter database nothing connection limit 3",
    "alter database db_eins owner to db_owner",
    "alter database db_eins owner to nobody",
    "alter database nothing owner to db_owner",
    "alter database db_eins set work_mem = '7MB'",
    "alter database db_eins set search_path = one, two",
    "alter database db_eins set timezone to 'Nowhere/Land'",
    "alter database nothing set work_mem = '7MB'",
    "alter database db_eins reset timezone",
    "alter role db_plain in database db_eins set work_mem = '8MB'",
    "alter role db_plain set work_mem = '9MB'",
    "alter role db_plain in database nothing set work_mem = '8MB'",
    "select coalesce(d.datname, '-'), coalesce(r.rolname, '-'), setconfig from pg_db_role_setting s left join pg_database d on d.oid = setdatabase "
    "left join pg_roles r on r.oid = setrole order by 1, 2",
    "select rolconfig from pg_roles where rolname = 'db_plain'",
    "drop database db_eins",
    "drop database postgres",
    "drop database nothing",
    "drop database if exists nothing",
    "drop role db_owner",
    "begin",
    "create database db_seven",
    "rollback",
    "begin",
    "drop database db_eins",
    "rollback",
    "create database db_seven; select 1",
    "begin read only",
    "alter database db_eins connection limit 3",
    "rollback",
    "begin; alter database db_eins is_template false; alter database db_eins rename to db_uno; rollback",
    "alter database db_eins is_template false",
    # What who is no superuser may.
    "set role db_plain",
    "create database db_seven",
    "drop database db_eins",
    "alter database db_eins rename to db_eight",
    "alter database db_eins set work_mem = 1000",
    "alter database db_eins owner to db_plain",
    "comment on database db_eins is 'x'",
    "set role db_owner",
    "create database db_seven",
    "create database db_eight template db_four",
    "create database db_eight owner db_plain",
    "create database db_eight template db_seven",
    "alter database db_seven rename to db_sieben",
    "alter database db_sieben owner to db_plain",
    "alter database db_sieben set work_mem = 1000",
    "alter database db_sieben reset all",
    "drop database db_sieben",
    "reset role",
    # Names of other databases.
    "select * from db_one.public.t",
    "select oid from postgres.pg_catalog.pg_class where relname = 'pg_class'",
    "select pg_class.oid from postgres.pg_catalog.pg_class where postgres.pg_catalog.pg_class.relname = 'pg_class'",
    "select 1::db_one.public.t",
    "select 1::postgres.pg_catalog.int4",
    "select db_one.public.f(1)",
    "select postgres.pg_catalog.abs(-1)",
    "drop table db_one.public.t",
    "drop table a.b.c.d",
    "create table db_one.public.t (a int)",
    "create table postgres.public.db_t (a int)",
    "insert into postgres.public.db_t values (1)",
    "drop table postgres.public.db_t",
    "select 'db_one.public.t'::regclass",
    "select 'postgres.pg_catalog.pg_class'::regclass",
    "create type db_one.public.t as enum ()",
    "comment on column db_one.public.t.a is 'x'",
    "drop function db_one.public.f()",
    "select a.b.c.d.e from pg_class",
    "select nothing.pg_catalog.pg_class.oid from pg_class",
    "select x.y.z.abs(-1)",
    "select current_catalog, current_database()",
)
DATABASES = ("db_one", "db_two", "db_three", "db_four", "db_five", "db_six", "db_seven", "db_eight", "db_eins", "db_uno", "db_sieben", "db_copy")


def clear(server):
    with server.connect() as connection:
        for name in DATABASES:
            if connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone():
                connection.execute(f"alter database {name} is_template false")
                connection.execute(f"drop database {name} (force)")
        connection.execute("drop role if exists db_owner, db_plain, db_limited")


@pytest.fixture
def server(only_gnomon):
    clear(only_gnomon)
    yield only_gnomon
    clear(only_gnomon)


def connect(server, database, user="postgres"):
    return psycopg.connect(host="127.0.0.1", port=server.port, user=user, dbname=database, autocommit=True)


def refusal(server, database, user="postgres"):
    with pytest.raises(psycopg.OperationalError) as error:
        connect(server, database, user)
    return str(error.value)


def answer(connection, statement, notices):
    notices.clear()
    try:
        cursor = connection.execute(statement)
        result = [cursor.statusmessage, cursor.fetchall() if cursor.description else None]
    except psycopg.Error as error:
        diagnostic = error.diag
        result = [diagnostic.sqlstate, diagnostic.message_primary, diagnostic.message_detail, diagnostic.message_hint,
                  None if "::regclass" in statement else diagnostic.statement_position]
    return result, list(notices)


def play(server):
    with server.connect() as connection:
        notices = []
        connection.add_notice_handler(lambda notice: notices.append((notice.sqlstate, notice.message_primary)))
        return [answer(connection, statement, notices) for statement in SCRIPT]


def test_definitions_as_postgresql(postgres, server):
    clear(postgres)
    try:
        expected = play(postgres)
    finally:
        clear(postgres)
    for statement, theirs, ours in zip(SCRIPT, expected, play(server)):
        assert ours == theirs, statement


def test_each_database_has_its_own_objects(server):
    with server.connect() as connection:
        connection.execute("create database db_one")
        connection.execute("create database db_two")
    with connect(server, "db_one") as one, connect(server, "db_two") as two:
        for connection, name in ((one, "db_one"), (two, "db_two")):
            assert connection.execute("select current_database()").fetchone() == (name,)
            connection.execute("create table t (k serial primary key, name text default current_database())")
            connection.execute("create schema s")
            connection.execute("create type mood as enum ('good', 'bad')")
            connection.execute("create view v as select name from t")
            connection.execute("create function f() returns text language sql as 'select name from t limit 1'")
            connection.execute("insert into t default values")
            assert connection.execute("select v.name, f() from v").fetchone() == (name, name)
            assert connection.execute("select datname from pg_stat_activity where pid = pg_backend_pid()").fetchone() == (name,)
        one.execute("insert into t default values")
        assert (one.execute("select count(*) from t").fetchone(), two.execute("select count(*) from t").fetchone()) == ((2,), (1,))
        oids = [connection.execute("select 't'::regclass::oid, 's'::regnamespace::oid, 'mood'::regtype::oid").fetchone() for connection in (one, two)]
        assert not set(oids[0]) & set(oids[1])
        for catalog, column in (("pg_class", "relname"), ("pg_namespace", "nspname"), ("pg_type", "typname"), ("pg_proc", "proname")):
            for connection in (one, two):
                name = {"relname": "t", "nspname": "s", "typname": "mood", "proname": "f"}[column]
                assert connection.execute(f"select count(*) from {catalog} where {column} = '{name}'").fetchone() == (1,)
        assert one.execute("select relname from pg_class where oid = %s", [oids[1][0]]).fetchone() is None
        assert one.execute("select table_catalog from information_schema.tables where table_name = 't'").fetchone() == ("db_one",)
        # The same text, compiled for one database, is another statement in the other one.
        for connection in (one, two, one):
            assert connection.execute("select name from t where k = 1").fetchone() == (connection.info.dbname,)
        one.execute("drop table t cascade")
        assert two.execute("select name from v").fetchall() == [("db_two",)]
        assert two.execute("select tup_inserted, numbackends from pg_stat_database where datname = 'db_two'").fetchone() == (1, 1)
        # Rows of a table that is gone count.
        assert one.execute("select tup_inserted from pg_stat_database where datname = 'db_one'").fetchone() == (2,)
        assert one.execute("select pg_database_size('db_one') < pg_database_size('db_two')").fetchone() == (True,)
    with server.connect() as connection:
        assert connection.execute("select to_regclass('t'), to_regtype('mood')").fetchone() == (None, None)
        connection.execute("drop database db_one")
        connection.execute("drop database db_two")
        assert connection.execute("select count(*) from pg_database where datname like 'db\\_%'").fetchone() == (0,)


def test_roles_and_default_rights_are_of_all_databases_or_of_one(server):
    with server.connect() as connection:
        connection.execute("create database db_one")
        connection.execute("create role db_plain login")
    with connect(server, "db_one") as one, server.connect() as other:
        one.execute("alter default privileges grant select on tables to db_plain")
        one.execute("create table public.given (a int)")
        other.execute("create table public.db_kept (a int)")
        try:
            assert one.execute("select has_table_privilege('db_plain', 'given', 'select')").fetchone() == (True,)
            assert other.execute("select has_table_privilege('db_plain', 'db_kept', 'select')").fetchone() == (False,)
            assert one.execute("select count(*) from pg_default_acl").fetchone() == (1,)
            assert other.execute("select count(*) from pg_default_acl").fetchone() == (0,)
            one.execute("create schema mine authorization db_plain")
            with pytest.raises(psycopg.errors.DependentObjectsStillExist) as error:
                other.execute("drop role db_plain")
            assert error.value.diag.message_detail == "3 objects in database db_one"
        finally:
            other.execute("drop table db_kept")
    with server.connect() as connection:
        connection.execute("drop database db_one")
        connection.execute("drop role db_plain")


def test_who_may_connect(postgres, server):
    refusals = []
    for each in (postgres, server):
        clear(each)
        with each.connect() as connection:
            connection.execute("create role db_plain login")
            connection.execute("create database db_one connection limit 1")
            connection.execute("create database db_two allow_connections false")
            connection.execute("create database db_three")
            connection.execute("revoke connect on database db_three from public")
            found = [refusal(each, name, user) for name, user in (
                ("nothing", "postgres"), ("template0", "postgres"), ("db_two", "postgres"), ("db_three", "db_plain"))]
            with connect(each, "db_one", "db_plain"):
                found.append(refusal(each, "db_one", "db_plain"))
                with connect(each, "db_one"):
                    pass
            with connect(each, "db_three"), connect(each, "template1", "db_plain"):
                pass
            connection.execute("grant connect on database db_three to db_plain")
            with connect(each, "db_three", "db_plain"):
                pass
        # Without what names the port.
        refusals.append([text[text.index("FATAL"):] for text in found])
        clear(each)
    assert refusals[1] == refusals[0]


def test_rights_that_are_being_given_keep_nobody_out(server):
    with server.connect() as connection:
        connection.execute("create database db_one")
        connection.execute("begin")
        for statement in ("revoke connect on database db_one from public", "comment on database db_one is 'x'", "alter database db_one set work_mem = '5MB'",
                          "alter database db_one connection limit 3"):
            connection.execute(statement)
            with connect(server, "db_one") as one:
                assert one.execute("show work_mem").fetchone() != ("5MB",)
        connection.execute("commit")


def test_sessions_begin_with_what_was_said_of_them(server):
    with server.connect() as connection:
        connection.execute("create role db_plain login")
        for name in ("db_one", "db_two"):
            connection.execute(f"create database {name}")
        connection.execute("alter database db_one set work_mem = '3MB'")
        connection.execute("alter database db_one set datestyle = 'German'")
        connection.execute("alter role db_plain set work_mem = '4MB'")
        connection.execute("alter role db_plain in database db_two set work_mem = '5MB'")
    shown = {}
    for database in ("db_one", "db_two", "postgres"):
        for user in ("postgres", "db_plain"):
            with connect(server, database, user) as session:
                shown[database, user] = session.execute("select current_setting('work_mem'), current_setting('datestyle')").fetchone()
    default = shown["postgres", "postgres"]
    assert shown == {("db_one", "postgres"): ("3MB", "German, DMY"), ("db_one", "db_plain"): ("4MB", "German, DMY"), ("db_two", "postgres"): default,
                     ("db_two", "db_plain"): ("5MB", default[1]), ("postgres", "postgres"): default, ("postgres", "db_plain"): ("4MB", default[1])}


def test_a_database_that_others_use_stays(postgres, server):
    told = []
    for each in (postgres, server):
        clear(each)
        with each.connect() as connection:
            connection.execute("create database db_one")
            one, two = connect(each, "db_one"), connect(each, "db_one")
            found = []
            for statement in ("drop database db_one", "alter database db_one rename to db_two", "create database db_two template db_one"):
                with pytest.raises(psycopg.errors.ObjectInUse) as error:
                    connection.execute(statement)
                found.append((error.value.diag.message_primary, error.value.diag.message_detail))
            two.close()
            with pytest.raises(psycopg.errors.ObjectInUse) as error:
                connection.execute("drop database db_one")
            found.append(error.value.diag.message_detail)
            # Who ends meanwhile is waited for.
            threading.Timer(1, one.close).start()
            connection.execute("drop database db_one")
            connection.execute("create database db_one")
            one = connect(each, "db_one")
            connection.execute("drop database db_one with (force)")
            with pytest.raises(psycopg.OperationalError):
                one.execute("select 1")
            found.append(connection.execute("select count(*) from pg_database where datname = 'db_one'").fetchone())
        told.append(found)
        clear(each)
    assert told[1] == told[0]


def test_who_may_end_others_by_force(server):
    with server.connect() as connection:
        connection.execute("create role db_owner login createdb")
        connection.execute("create database db_one owner db_owner")
        with connect(server, "db_one") as superuser, connect(server, "postgres", "db_owner") as owner:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                owner.execute("drop database db_one (force)")
            assert superuser.execute("select 1").fetchone() == (1,)
        ends = time.monotonic() + 20
        while connection.execute("select count(*) from pg_stat_activity where datname = 'db_one'").fetchone() != (0,):
            assert time.monotonic() < ends
        with connect(server, "postgres", "db_owner") as owner:
            owner.execute("drop database db_one (force)")


def test_notifications_and_advisory_locks_are_of_a_database(server):
    with server.connect() as connection:
        connection.execute("create database db_one")
    with connect(server, "db_one") as one, connect(server, "db_one") as also_one, server.connect() as other:
        one.execute("listen news")
        other.execute("notify news, 'elsewhere'")
        also_one.execute("notify news, 'here'")
        assert [notice.payload for notice in one.notifies(timeout=20, stop_after=1)] == ["here"]
        assert one.execute("select pg_try_advisory_lock(7)").fetchone() == (True,)
        assert other.execute("select pg_try_advisory_lock(7)").fetchone() == (True,)
        assert also_one.execute("select pg_try_advisory_lock(7)").fetchone() == (False,)
        assert other.execute("select datname from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' order by 1").fetchall() == [
            ("db_one",), ("postgres",)]
        assert other.execute("select pg_advisory_unlock(7)").fetchone() == (True,)
        one.execute("create table t (a int)")
        one.execute("begin; lock table t")
        assert other.execute("select d.datname from pg_locks join pg_database d on d.oid = database where relation = %s",
                             [one.execute("select 't'::regclass::oid").fetchone()[0]]).fetchall() == [("db_one",)]
        one.execute("rollback")


def test_temporary_tables_are_gone_with_their_session(server):
    with server.connect() as connection:
        connection.execute("create database db_one")
        with connect(server, "db_one") as one:
            one.execute("create temporary table t (a int)")
            one.execute("insert into t values (1)")
        connection.execute("drop database db_one")


def test_a_new_database_has_what_its_template_says_of_schemas(server):
    with server.connect() as connection:
        connection.execute("create role db_plain")
        connection.execute("create database db_one")
    with connect(server, "db_one") as one:
        one.execute("revoke all on schema public from public")
        one.execute("comment on schema public is 'a closed one'")
        one.execute("create schema more authorization db_plain")
        one.execute("alter default privileges in schema more grant select on tables to db_plain")
    with server.connect() as connection:
        connection.execute("create database db_copy template db_one")
    question = ("select nspname, nspowner, nspacl::text, obj_description(oid, 'pg_namespace'), (select defaclacl::text from pg_default_acl where "
                "defaclnamespace = n.oid) from pg_namespace n where nspname in ('public', 'more') order by 1")
    with connect(server, "db_one") as one, connect(server, "db_copy") as copy:
        assert one.execute(question).fetchall() == copy.execute(question).fetchall()


TEMPLATE = (
    "create schema other",
    "create type other.mood as enum ('bad', 'good')",
    "alter type other.mood add value 'fair' before 'good'",
    "create type pair as (a int, b text)",
    "create domain positive as int default 5 check (value > 0)",
    "create table parents (k serial primary key, name varchar(20) not null unique, feels other.mood default 'fair'::other.mood, n positive, gone int, "
    "unique (name, n) include (feels))",
    "alter table parents drop column gone",
    "alter table parents add column added numeric(30, 2) default 7.25",
    "create table other.children (k int generated always as identity primary key, parent int references parents on delete cascade, self int references other.children, "
    "moods other.mood[], twice int generated always as (parent * 2) stored, check (twice is null or twice > 0), constraint liked check (moods[1] <> 'bad'::other.mood))",
    "create index on parents ((feels = 'good'::other.mood)) where k > 1",
    "create index later on other.children (moods)",
    "insert into parents (name, n, feels) select 'name ' || i, i, (array['bad', 'fair', 'good'])[i % 3 + 1]::other.mood from generate_series(1, 3000) i",
    "insert into parents (name, added) values (repeat('x', 20), null)",
    "insert into other.children (parent, self, moods) values (1, null, '{good,fair}'), (2, 1, null), (null, 2, '{}')",
    "delete from parents where k between 100 and 110",
    "update parents set name = 'changed' where k = 7",
    "create table wide (v text, b bytea, j jsonb, f real, d double precision, i interval, a text[])",
    "insert into wide select repeat('long ', 50000), decode(repeat('ff', 100), 'hex'), '{\"a\": [1, 2.5]}', 1.5, 2.5, '1 month 2 days', array['x', null, repeat('y', 100)]",
    "create sequence counted start 10 increment 5",
    "select nextval('counted'), nextval('counted')",
    "create view seen as select p.name, c.moods from parents p join other.children c on c.parent = p.k",
    "create materialized view kept as select feels, count(*) as n from parents group by feels",
    "create unique index on kept (feels)",
    "create function mood_of(int) returns other.mood language sql as 'select feels from parents where k = $1'",
    "create function of_mood(other.mood, positive default 3) returns text language sql as 'select $1::text || $2'",
    "comment on table parents is 'those above'",
    "comment on column parents.name is 'called so'",
    "grant select (name), update on parents to public",
    "create role db_plain",
    "alter table wide owner to db_plain",
)
COPIED = (
    "select * from parents order by k",
    "select * from other.children order by k",
    "select * from wide",
    "select * from seen order by 1",
    "select * from kept order by 1",
    "select last_value, is_called from counted",
    "select mood_of(2), of_mood('good'), of_mood('bad', 9)",
    "select c.relname, c.relkind, n.nspname, c.relacl::text, obj_description(c.oid, 'pg_class'), r.rolname from pg_class c join pg_namespace n on n.oid = relnamespace "
    "join pg_roles r on r.oid = relowner where nspname in ('public', 'other') order by 1",
    "select attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid) from pg_attribute a left join pg_attrdef d "
    "on d.adrelid = a.attrelid and d.adnum = a.attnum where attrelid in ('parents'::regclass, 'other.children'::regclass) and attnum > 0 order by attrelid, attnum",
    "select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace::regnamespace::text in ('public', 'other') "
    "and contypid = 0 order by 1, 2",
    "select indexdef from pg_indexes where schemaname in ('public', 'other') order by 1",
    "select proname, proargtypes[0]::regtype::text, pronargdefaults, prorettype::regtype::text from pg_proc where pronamespace = 'public'::regnamespace order by 1",
    "select enumlabel, enumsortorder from pg_enum order by 2",
    "select col_description('parents'::regclass, 2)",
    # It goes on as the template would.
    "insert into parents (name) values ('new') returning k, feels, n, added",
    "insert into other.children (parent) values (1) returning k, twice",
    "select nextval('counted')",
    "select count(*) from parents where feels = 'good' and k > 1",
    "select k from parents where name = 'changed'",
    "insert into parents (name) values ('changed')",
    "insert into parents (name, n) values ('low', 0)",
    "insert into other.children (parent) values (105)",
    "insert into other.children (moods) values ('{bad}')",
    "delete from parents where k = 1",
    "select * from other.children order by k",
    "refresh materialized view kept",
    "select * from kept order by 1",
    "drop sequence parents_k_seq",
)


def test_a_copy_is_as_postgresqls(postgres, server):
    told = []
    for each in (postgres, server):
        clear(each)
        with each.connect() as connection:
            connection.execute("create database db_one")
        with connect(each, "db_one") as one:
            for statement in TEMPLATE:
                one.execute(statement)
        with each.connect() as connection:
            connection.execute("create database db_copy template db_one")
            connection.execute("drop database db_one")
        with connect(each, "db_copy") as copy:
            notices = []
            told.append([answer(copy, statement, notices) for statement in COPIED])
        clear(each)
    for statement, theirs, ours in zip(COPIED, *told):
        assert ours == theirs, statement


def test_what_cannot_be_copied_is_refused(server):
    for statement in ("create table t (a int) partition by list (a)", "create type pair as (a int, b int); create table t (p pair)"):
        with server.connect() as connection:
            connection.execute("create database db_one")
        with connect(server, "db_one") as one:
            one.execute(statement)
        with server.connect() as connection:
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                connection.execute("create database db_two template db_one")
            assert connection.execute("select count(*) from pg_database where datname = 'db_two'").fetchone() == (0,)
            connection.execute("drop database db_one")


def test_programs_of_postgresql(server):
    def run(program, *arguments):
        return subprocess.run([servers.POSTGRES_BIN / program, "-h", "127.0.0.1", "-p", str(server.port), "-U", "postgres", *arguments],
                              capture_output=True, text=True, timeout=60, check=False)

    assert run("createdb", "db_one", "a comment").returncode == 0
    assert run("createdb", "-T", "template0", "-E", "UTF8", "-l", "C", "db_two").returncode == 0
    failed = run("createdb", "db_one")
    assert failed.returncode == 1 and 'database "db_one" already exists' in failed.stderr
    listed = run("psql", "-X", "-At", "-c", "\\l+ db_one", "postgres")
    assert listed.returncode == 0 and listed.stdout.startswith("db_one|postgres|UTF8|C|C|") and "a comment" in listed.stdout
    switched = run("psql", "-X", "-At", "-c", "create table t (a int)", "-c", "\\c db_two", "-c", "select current_database()", "-c", "\\d", "db_one")
    assert switched.returncode == 0 and "db_two" in switched.stdout.splitlines() and "|t|" not in switched.stdout
    assert run("dropdb", "db_one").returncode == 0
    assert run("dropdb", "--force", "db_two").returncode == 0
    assert run("dropdb", "db_two").returncode == 1
    assert run("dropdb", "--if-exists", "db_two").returncode == 0


def test_many_come_and_go(server):
    """Sessions that connect while the database is made and dropped see it whole or not at all."""
    failures = []
    ends = time.monotonic() + 6

    def make():
        with server.connect() as connection:
            while time.monotonic() < ends:
                connection.execute("create database db_one")
                connection.execute("drop database db_one (force)")

    def come():
        while time.monotonic() < ends:
            try:
                with connect(server, "db_one") as connection:
                    connection.execute("create table if not exists t (a int)")
                    connection.execute("insert into t values (1)")
                    if connection.execute("select count(*) from t").fetchone()[0] < 1:
                        failures.append("rows are missing")
            except (psycopg.OperationalError, psycopg.errors.AdminShutdown, psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
                pass
            except Exception as error:  # pylint: disable=broad-except
                failures.append(repr(error))

    threads = [threading.Thread(target=make), *(threading.Thread(target=come) for _ in range(3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
