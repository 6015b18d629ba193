"""Partitioned tables after a restart, clean or not, and which of their partitions a statement touches."""
import re
from decimal import Decimal

import psycopg
import pytest

PARTITIONS = 8
ROWS = 4_000


def define(connection):
    connection.execute("create table referred (id integer primary key)")
    connection.execute("insert into referred select g from generate_series(0, 9) g")
    connection.execute(
        "create table hashed (w integer not null, id integer not null, v text default 'dv', r integer references referred,"
        " check (id >= 0), primary key (w, id)) partition by hash (w)"
    )
    for remainder in range(PARTITIONS):
        connection.execute(f"create table hashed_{remainder} partition of hashed for values with (modulus {PARTITIONS}, remainder {remainder})")
    connection.execute(f"insert into hashed select g % 50, g, repeat('x', 500), g % 10 from generate_series(1, {ROWS}) g")
    connection.execute("create table refers (w integer, id integer, foreign key (w, id) references hashed on update cascade)")
    connection.execute("insert into refers values (1, 51)")
    connection.execute("create table ranged (day date, city text, n numeric) partition by range (day, lower(city))")
    connection.execute("create table ranged_1 partition of ranged for values from (minvalue, minvalue) to ('2020-06-01', 'm')")
    connection.execute("create table ranged_2 partition of ranged for values from ('2020-06-01', 'm') to (maxvalue, maxvalue) partition by list (n)")
    connection.execute("create table ranged_2a partition of ranged_2 for values in (1, 2.5, null)")
    connection.execute("create table ranged_2b partition of ranged_2 default")
    connection.execute("insert into ranged values ('2020-01-01', 'Aa', 1), ('2020-06-01', 'Zz', 2.5), ('2021-01-01', 'Bb', 7), ('2021-01-01', 'Cc', null)")


    # Columns that lie in another order than the partition has them.
    connection.execute("create table placed (a integer, gone text, b text, c numeric default 1, unique (b, a)) partition by list (a)")
    connection.execute("alter table placed drop column gone")
    connection.execute("create table placed_1 partition of placed for values in (1)")
    connection.execute("create table placed_2 (c numeric, spare date, b text, d serial, a integer, e text)")
    connection.execute("alter table placed_2 drop column spare, drop column e")
    connection.execute("insert into placed_2 values (20.5, 'two', default, 2), (21.5, 'too', 7, 2)")
    connection.execute("alter table placed add column d integer")
    connection.execute("insert into placed values (1, 'one', 10, 1)")
    connection.execute("alter table placed attach partition placed_2 for values in (2)")
    connection.execute("create table placed_3 (d integer, c numeric, b text, a integer)")
    connection.execute("alter table placed attach partition placed_3 for values in (3)")
    connection.execute("insert into placed_3 values (30, 3, 'three', 3)")
    connection.execute("alter table placed detach partition placed_3")
    connection.execute("create table widened (a integer, b integer) partition by list (a)")
    connection.execute("create table widened_1 partition of widened for values in (1)")
    connection.execute("create table widened_2 partition of widened for values in (2)")
    connection.execute("insert into widened values (1, 10), (2, 20)")
    with pytest.raises(RuntimeError), connection.transaction():
        connection.execute("alter table widened add column gone text not null default 'gone'")
        connection.execute("insert into widened values (1, 11, 'x')")
        raise RuntimeError
    connection.execute("insert into widened values (1, 12), (2, 22), (1, 13)")
    # Columns that have come to have other types.
    connection.execute("create table retyped (k integer, a text, n integer, primary key (k, n)) partition by list (k)")
    connection.execute("create table retyped_1 partition of retyped for values in (1)")
    connection.execute("create table retyped_2 (n integer not null, a text, k integer not null)")
    connection.execute("insert into retyped_2 values (20, '200', 2), (21, null, 2)")
    connection.execute("alter table retyped attach partition retyped_2 for values in (2)")
    connection.execute("insert into retyped values (1, '10', 1), (1, '11', 2)")
    with pytest.raises(RuntimeError), connection.transaction():
        connection.execute("alter table retyped alter column a type text using a || '!', add column gone serial")
        connection.execute("insert into retyped values (1, 'x', 3)")
        raise RuntimeError
    connection.execute("alter table retyped alter column a type bigint using a::bigint * 10 + n, alter column n type bigint, add column s serial")
    connection.execute("insert into retyped values (1, 3000000000, 4000000000)")
    connection.execute("alter table retyped add column g bigint generated always as (a + 1) stored")
    connection.execute("insert into retyped_2 values (22, 5, 2)")


def state(connection):
    shown = {}
    for query in (
        "select tableoid::regclass::text, * from placed order by c",
        "select * from placed_1",
        "select placed_2, * from placed_2 order by c",
        "select * from placed_3",
        "select attrelid::regclass::text, attname, attnum from pg_attribute where attrelid::regclass::text ~ '^placed' and attnum > 0 and not attisdropped order by 1, 3",
        "select indrelid::regclass::text, indkey::text from pg_index where indrelid::regclass::text ~ '^placed' order by 1",
        "select tableoid::regclass::text, * from widened order by b",
        "select * from widened_1 order by b",
        "select tableoid::regclass::text, *, pg_typeof(a)::text from retyped order by n",
        "select * from retyped_2 order by n",
        "select tableoid::regclass::text, count(*), sum(id) from hashed group by 1 order by 1",
        "select tableoid::regclass::text, day::text, city, n from ranged order by 2, 3",
        "select relname, relkind, relispartition, pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid) from pg_class where relname ~ '^(hashed|ranged)' order by 1",
        "select inhrelid::regclass::text, inhparent::regclass::text from pg_inherits order by 1",
        "select conname, conrelid::regclass::text, conparentid <> 0 from pg_constraint where conrelid::regclass::text ~ '^hashed' order by 2, 1",
        "select conname, confrelid::regclass::text, conparentid <> 0 from pg_constraint where conrelid = 'refers'::regclass order by 1",
    ):
        shown[query] = connection.execute(query).fetchall()
    return shown


def check_rules(connection):
    def refused(statement, state):
        with pytest.raises(psycopg.Error) as error:
            connection.execute(statement)
        assert error.value.sqlstate == state, statement

    refused("insert into placed values (2, 'two', 1, 1)", "23505")
    refused("insert into placed_2 values (1, 'new', 1, 3)", "23514")
    refused("insert into ranged values (null, 'x', 1)", "23514")
    inserted = connection.execute("insert into placed_2 (c, b, a) values (22.5, 'new', 2) returning *").fetchone()
    assert (inserted[0], inserted[1], inserted[3]) == (Decimal("22.5"), "new", 2) and inserted[2] > 1
    connection.execute("delete from placed where b = 'new'")
    connection.execute("alter table widened add column added text default 'added'")
    connection.execute("insert into widened values (2, 23, 'y'), (1, 14, 'z')")
    rows = connection.execute("select * from widened order by b").fetchall()
    assert rows == [
        *((1, b, "added") for b in (10, 12, 13)), (1, 14, "z"), (2, 20, "added"), (2, 22, "added"), (2, 23, "y")
    ]
    connection.execute("delete from widened where added <> 'added'")
    connection.execute("alter table widened drop column added")
    refused("insert into ranged_1 values ('2022-01-01', 'x', 1)", "23514")
    refused("insert into retyped values (1, 1, 4000000000)", "23505")
    assert connection.execute("select k, a, s, g from retyped where n = 20").fetchall() == [(2, 2020, 3, 2021)]
    assert connection.execute("insert into retyped values (2, 7, 23) returning s, g").fetchone()[1] == 8
    connection.execute("delete from retyped where n = 23")
    refused(f"insert into hashed values (1, 1, 'x', 1)", "23505")
    refused("insert into hashed values (1, -1, 'x', 1)", "23514")
    refused("insert into hashed values (1, 100000, 'x', 77)", "23503")
    refused("delete from referred where id = 3", "23503")
    refused("insert into refers values (1, 2)", "23503")
    refused("delete from hashed where w = 1 and id = 51", "23503")
    refused("truncate hashed_0", "0A000")
    connection.execute("update hashed set w = w + 1000 where w = 1 and id = 51")
    assert connection.execute("select * from refers").fetchall() == [(1001, 51)]
    connection.execute("update hashed set w = w - 1000 where w = 1001 and id = 51")
    assert connection.execute("select * from refers").fetchall() == [(1, 51)]
    assert connection.execute("select v from hashed where w = 1 and id = 51").fetchone() == ("x" * 500,)
    assert connection.execute("update hashed set w = w + 1000 where w = 3 and id = 3 returning w").fetchall() == [(1003,)]
    assert connection.execute("update hashed set w = w - 1000 where w = 1003 and id = 3 returning w").fetchall() == [(3,)]


@pytest.mark.parametrize("is_clean", [True, False])
def test_partitions_survive_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        define(connection)
        before = state(connection)
        assert len(before["select inhrelid::regclass::text, inhparent::regclass::text from pg_inherits order by 1"]) == PARTITIONS * 2 + 14
        check_rules(connection)
    if is_clean:
        assert server.stop() == 0, server.log()
    else:
        server.kill()
    server.start()
    with server.connect() as connection:
        assert state(connection) == before
        check_rules(connection)
        connection.execute("alter table ranged detach partition ranged_1")
        connection.execute("alter table ranged attach partition ranged_1 for values from (minvalue, minvalue) to ('2020-06-01', 'm')")
        assert state(connection) == before
        connection.execute("drop table hashed, ranged, refers")
        assert connection.execute("select count(*) from pg_class where relname ~ '^(hashed|ranged)'").fetchone() == (0,)


def pages(connection, query, parameters=None):
    lines = [row[0] for row in connection.execute(f"explain (analyze, buffers) {query}", parameters)]
    found = re.search(r"Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?", "\n".join(lines))
    return sum(int(number or 0) for number in found.groups())


def test_a_statement_about_one_partition_touches_no_other_one(server):
    server.start()
    with server.connect() as connection:
        define(connection)
        everything = pages(connection, "select count(v) from hashed")
        assert pages(connection, "select count(v) from hashed where w = 17") < everything / 3
        assert pages(connection, "select * from hashed where w = 17 and id = 17") <= 4
        connection.execute("prepare q (integer) as select count(v) from hashed where w = $1")
        for w in (17, 18, 19):
            assert pages(connection, f"execute q ({w})") < everything / 3
            assert connection.execute(f"execute q ({w})").fetchone() == (ROWS // 50,)
        assert pages(connection, "update hashed set v = 'new' where w = 17 and id = 17") < 10
        assert connection.execute("select count(*) from hashed where v = 'new'").fetchone() == (1,)
