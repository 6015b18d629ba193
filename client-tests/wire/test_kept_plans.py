"""Prepared statements that are executed again and again, while what they were planned for changes: each scenario is played to
PostgreSQL and to Gnomon, and the transcripts must be the same."""
import pytest

from wire.protocol import Client, bind, close, describe, execute, parse, query, rows_of, sync

INT4, TEXT = 23, 25
BEGIN = (
    "create table kept (a integer primary key, b text, c integer); create table kept_more (a integer primary key, d integer); "
    "insert into kept values (1, 'one', 10), (2, 'two', 20), (3, 'three', 30); insert into kept_more values (1, 100), (2, 200), (3, 300)"
)
END = "drop table if exists kept cascade; drop table if exists kept_more cascade"


def run(name: str, *values, portal: str = "") -> bytes:
    """An execution by itself."""
    return bind([None if value is None else str(value).encode() for value in values], statement=name, portal=portal) + execute(portal) + sync()


def prepare(sql: str, name: str = "s", types=()) -> bytes:
    return parse(sql, name, types) + sync()


def thrice(name: str = "s", *values) -> list:
    return [("a", run(name, *values))] * 3


BY_KEY = "select b, c from kept where a = $1"

# Steps of one of two sessions each, in turn; after each the answers are read up to ReadyForQuery.
SCENARIOS = {
    "other values each time": [("a", prepare(BY_KEY)), *(("a", run("s", value)) for value in (1, 2, None, 3, 4, 1, 1))],
    "a view that is replaced": [
        ("a", query("create view kept_view as select a, b from kept")),
        ("a", prepare("select b from kept_view where a = $1")),
        *thrice("s", 2),
        ("b", query("create or replace view kept_view as select a + 1 as a, b from kept")),
        *thrice("s", 2),
        ("b", query("alter table kept add column more integer default 5")),
        *thrice("s", 2),
        ("b", query("drop view kept_view; create table kept_view (a integer, b text); insert into kept_view values (2, 'table')")),
        *thrice("s", 2),
        ("b", query("drop table kept_view")),
        *thrice("s", 2),
    ],
    "a routine and nothing else": [
        ("a", query("create function kept_add(x integer, y integer default 5) returns integer language plpgsql as $$ begin "
                    "if x < 0 then raise exception 'negative %', x using errcode = 'P1234', detail = 'a detail', hint = 'a hint'; end if; "
                    "update kept set c = c + x where a = 1; if x = 7 then raise notice 'seven'; end if; return x + y; end $$")),
        ("a", prepare("select kept_add($1)")),
        *(("a", run("s", value)) for value in (1, 2, None, 7, -3, 4, -1, "x", 2147483647, 1)),
        ("a", prepare("select kept_add(y => $1, x => 2) as named", "t")),
        *thrice("t", 3),
        ("a", bind([b"4"], statement="t", result_formats=[1]) + execute() + sync()),
        ("a", bind([b"4"], statement="t") + describe("P") + execute(rows_max=1) + execute() + sync()),
        ("a", query("select * from kept order by a")),
        ("a", query("begin")), *thrice("s", 100), ("a", run("s", -1)), ("a", run("s", 1)), ("a", query("rollback")), ("a", run("s", 1)),
        ("a", query("begin; savepoint here")), ("a", run("s", -1)), ("a", query("rollback to here")), ("a", run("s", 10)), ("a", query("commit")),
        ("b", query("create or replace function kept_add(x integer, y integer default 6) returns integer language sql as 'select x * y'")),
        *thrice("s", 3),
        ("b", query("drop function kept_add(integer, integer)")),
        *thrice("s", 3),
        ("b", query("create function kept_add(x integer) returns integer language plpgsql strict as 'begin return 2 * x; end'")),
        *thrice("s", 3), ("a", run("s", None)),
        ("b", query("create role kept_caller; revoke execute on function kept_add(integer) from public")),
        ("a", query("set role kept_caller")), ("a", run("s", 3)), ("a", query("reset role")), ("a", run("s", 3)),
        ("b", query("drop function kept_add(integer); drop role kept_caller")),
    ],
    "routines with results of many types": [
        *((step, do(sql, name)) for sql, name in (
            ("create function kept_numeric(x numeric) returns numeric language plpgsql as 'begin return x / 3; end'", "numeric"),
            ("create function kept_short(x numeric) returns numeric(5,1) language plpgsql as 'begin return x / 3; end'", "short"),
            ("create function kept_text(x text) returns varchar language plpgsql as $$ begin return x || ' ' || x; end $$", "text"),
            ("create function kept_double(x double precision) returns double precision language plpgsql as 'begin return x / 3; end'", "double"),
            ("create function kept_date(x date) returns timestamp language plpgsql as $$ begin return x + time '01:02:03.5'; end $$", "date"),
            ("create function kept_bytea(x bytea) returns bytea language plpgsql as 'begin return x || x; end'", "bytea"),
            ("create function kept_json(x jsonb) returns jsonb language plpgsql as $$ begin return x || '{\"b\": [1, null]}'; end $$", "json"),
            ("create function kept_truth(x boolean) returns boolean language plpgsql as 'begin return not x; end'", "truth"),
            ("create function kept_array(x integer[]) returns integer[] language plpgsql as 'begin return x || 9; end'", "array"),
            ("create function kept_void(x integer) returns void language plpgsql as 'begin delete from kept where a = x; end'", "void"),
            ("create function kept_row(x integer) returns kept language plpgsql as 'begin return row(x, null, 7); end'", "row"),
            ("create function kept_any(x anyelement) returns anyelement language plpgsql as 'begin return x; end'", "any"),
        ) for step, do in (("a", lambda sql, _: query(sql)), ("a", lambda _, name: prepare(f"select kept_{name}($1)", name, [INT4] if name == "any" else ())))),
        *(("a", bind([None if value is None else value.encode()], statement=name, result_formats=[form]) + execute() + sync())
          for name, value in (("numeric", "10"), ("numeric", "NaN"), ("short", "10"), ("short", "123456"), ("text", "größe"), ("double", "1"), ("date", "2024-02-29"),
                              ("bytea", "\\x00ff"), ("json", '{"a": "x"}'), ("truth", "t"), ("array", "{1,NULL}"), ("void", "2"), ("row", "5"), ("any", "4"), ("text", None))
          for form in (0, 1, 0)),
        ("a", query("select * from kept order by a")),
        ("a", query("drop function kept_numeric, kept_short, kept_text, kept_double, kept_date, kept_bytea, kept_json, kept_truth, kept_array, kept_void, kept_row, kept_any")),
    ],
    "the first NaN of a table": [
        ("a", query("create table kept_nan (a integer primary key, n numeric(10,2), w numeric(30,3)); create index kept_nan_w on kept_nan (w); "
                    "insert into kept_nan values (1, 1.5, 2), (2, -7, 3.25), (3, null, 12345678901234567890.5)")),
        ("a", prepare("select n, n + 1, w * n, n > 2 from kept_nan where a = $1")),
        ("a", prepare("select sum(n), avg(w), max(n), count(*) from kept_nan", "t")),
        ("a", prepare("update kept_nan set n = n + $1 where a = $2 returning n, w", "u")),
        ("a", prepare("select a, n from kept_nan where w = $1", "v")),
        ("a", query("create function kept_sum(x integer) returns numeric language plpgsql as $$ declare s numeric(12,2); begin "
                    "select n + 1 into s from kept_nan where a = x; return s; end $$")),
        ("a", prepare("select kept_sum($1)", "f")),
        *thrice("s", 1), *thrice("t"), *thrice("u", 2, 1), *thrice("v", 3.25), *thrice("f", 2),
        ("a", query("begin isolation level repeatable read")), ("a", run("t")), ("a", run("f", 1)),
        ("b", query("insert into kept_nan values (4, 'NaN', 'NaN'); update kept_nan set n = 'NaN' where a = 1")),
        *thrice("s", 1), *thrice("s", 4), ("a", run("t")), ("a", run("v", "NaN")), ("a", run("f", 1)), ("a", query("commit")),
        *(step for value in (1, 2, 3, 4) for step in thrice("s", value)), *thrice("t"), *thrice("u", 2, 1), *thrice("u", "NaN", 2), *thrice("v", "NaN"), *thrice("v", 3.25),
        *thrice("f", 1), *thrice("f", 3), ("a", query("select * from kept_nan order by a")),
        ("a", query("drop table kept_nan; drop function kept_sum")),
    ],
    "arrays as parameters": [
        ("a", prepare("select a, b from kept where a = any ($1) order by a")),
        *(("a", run("s", value)) for value in ("{1,2}", "{3}", "{}", None, "{1,NULL,3}", "{x}", "{1,2,3,4,5}")),
        ("a", close("S", "s") + sync()),
        ("a", prepare("select a, $1::text[], array_length($1, 1), $2 = any ($1) from kept where b <> all ($1) order by a")),
        *(("a", run("s", *values)) for values in (("{one,two}", "two"), ("{}", "x"), (None, "x"), ('{"a b",NULL}', None))),
    ],
    "several in one pipeline": [
        ("a", prepare(BY_KEY)),
        ("a", b"".join(bind([str(n % 4).encode()], statement="s") + describe("P") + execute() for n in range(20)) + sync()),
    ],
    "descriptions for other formats": [
        ("a", prepare(BY_KEY)),
        *(
            ("a", bind([b"1"], statement="s", result_formats=formats) + describe("P") + execute() + sync())
            for formats in ((), (), (1,), (0, 1), (1, 0), (0, 0), (0,), (1, 1), (1, 1), ())
        ),
        ("a", describe("S", "s") + bind([b"2"], statement="s", result_formats=(1,)) + describe("P") + describe("S", "s") + describe("P") + execute() + sync()),
    ],
    "a description after another with the same name": [
        *(
            step
            for sql in (BY_KEY, "select c as b, b as c from kept where a = $1", "select a from kept where a = $1", "delete from kept where a = $1 + 100")
            for step in (
                ("a", prepare(sql)),
                *[("a", bind([b"1"], statement="s") + describe("P") + execute() + sync())] * 2,
                ("a", close("S", "s") + bind([b"1"], statement="s") + describe("P") + execute() + sync()),
            )
        ),
        ("a", prepare(BY_KEY)),
        ("a", query("deallocate all")),
        ("a", bind([b"1"], statement="s") + describe("P") + execute() + sync()),
        ("a", prepare("select c from kept where a = $1")),
        ("a", bind([b"1"], statement="s") + describe("P") + execute() + sync()),
    ],
    "a description after a column was renamed": [
        ("a", prepare("select * from kept where a = $1")),
        *[("a", bind([b"1"], statement="s") + describe("P") + execute() + sync())] * 2,
        ("b", query("alter table kept rename column b to renamed")),
        *[("a", bind([b"1"], statement="s") + describe("P") + execute() + sync())] * 2,
        ("b", query("alter table kept rename column renamed to b")),
        ("a", bind([b"1"], statement="s") + describe("P") + execute() + sync()),
        ("b", query("alter table kept add column d integer default 7")),
        ("a", bind([b"1"], statement="s") + describe("P") + execute() + sync()),
        ("a", close("S", "s") + prepare("select * from kept where a = $1")),
        *[("a", bind([b"1"], statement="s") + describe("P") + execute() + sync())] * 2,
    ],
    "statements of many shapes in one place": [
        ("a", prepare("select " + ", ".join(f"${n}::int as c{n}" for n in range(1, 101)), "many")),
        ("a", prepare("select 1 as one", "none")),
        ("a", prepare("", "empty")),
        ("a", prepare("update kept set b = $1 where a = $2", "texts")),
        ("a", prepare(BY_KEY)),
        *(
            (
                "a",
                bind([str(n).encode() for n in range(100)], statement="many", result_formats=(n,)) + describe("P") + execute()
                + bind(statement="none") + describe("P") + execute()
                + bind(statement="empty") + describe("P") + execute()
                + bind([b"x" * 5000, b"2"], statement="texts") + describe("P") + execute()
                + bind([b"2"], statement="s") + describe("P") + execute() + sync(),
            )
            for n in (0, 1)
        ),
        ("a", describe("P") + sync()),
    ],
    "an unnamed portal and one that fails to be bound": [
        ("a", prepare(BY_KEY)),
        ("a", query("begin")),
        ("a", bind([b"1"], statement="s") + bind([b"2"], statement="s", portal="p") + sync()),
        ("a", query("savepoint x")),
        ("a", bind([b"word"], statement="s") + execute() + sync()),
        ("a", query("rollback to x")),
        ("a", execute("p") + sync()),
        ("a", execute() + sync()),
        ("a", query("rollback to x")),
        ("a", bind([b"word"], statement="s", portal="p") + sync()),
        ("a", query("rollback to x")),
        ("a", bind([b"3"], statement="s") + sync()),
        ("a", query("rollback to x")),
        ("a", bind([b"3", b"4"], statement="s") + sync()),
        ("a", query("commit")),
        ("a", execute() + sync()),
    ],
    "a table that portals use": [
        ("a", prepare("select a from kept order by a")),
        *thrice(),
        ("a", query("begin")),
        ("a", bind(statement="s", portal="p") + execute("p", 1) + bind(statement="s", portal="q") + execute("q", 1) + sync()),
        ("a", execute("p") + sync()),
        ("a", query("savepoint x")),
        ("a", query("drop table kept")),
        ("a", query("rollback to x")),
        ("a", execute("q", 1) + close("P", "p") + sync()),
        ("a", query("drop table kept")),
        ("a", query("rollback to x")),
        ("a", close("P", "q") + sync()),
        ("a", query("drop table kept")),
        ("a", query("rollback")),
    ],
    "locks that went with a savepoint": [
        ("a", prepare("select a from kept where a = $1")),
        *thrice("s", 1),
        ("b", query("set lock_timeout = 100")),
        ("a", query("begin")),
        ("a", query("savepoint x")),
        ("a", run("s", 1)),
        ("b", query("alter table kept alter column c set default 5")),
        ("a", query("rollback to x")),
        ("b", query("alter table kept alter column c set default 6")),
        ("a", run("s", 1)),
        ("a", run("s", 2)),
        ("b", query("alter table kept alter column c set default 7")),
        ("a", query("commit")),
        ("b", query("alter table kept alter column c set default 8")),
    ],
    "two portals of one statement": [
        ("a", prepare("select a from kept order by a")),
        *thrice(),
        (
            "a",
            bind(statement="s", portal="p") + execute("p", 1) + bind(statement="s", portal="q") + execute("q", 2) + bind(statement="s") + execute()
            + execute("p", 1) + execute("q") + execute("p") + sync(),
        ),
        *thrice(),
    ],
    "a portal that is left in the middle": [
        ("a", prepare("select a from kept where a > $1 order by a")),
        *thrice("s", 0),
        ("a", bind([b"0"], statement="s") + execute("", 1) + sync()),
        ("a", bind([b"0"], statement="s", portal="p") + execute("p", 2) + close("P", "p") + bind([b"1"], statement="s") + execute() + sync()),
        ("a", run("s", 1)),
    ],
    "a portal of an execution that was done before": [
        ("a", query("begin")),
        ("a", prepare("select a from kept where a >= $1 order by a")),
        ("a", bind([b"1"], statement="s", portal="p") + execute("p", 1) + sync()),
        *thrice("s", 2),
        ("a", execute("p") + sync()),
        ("a", query("commit")),
    ],
    "texts as values": [("a", prepare("select a, b || $1 from kept where b = $2", types=[TEXT, TEXT])), *(("a", run("s", "x" * n, "three")) for n in (3, 40, 1, 5000, 0))],
    "an error between": [("a", prepare("select 10 / (a - $1) from kept where a = 3")), ("a", run("s", 1)), ("a", run("s", 3)), ("a", run("s", 2)), ("a", run("s", 3)), ("a", run("s", 1))],
    "an error in a pipeline": [
        ("a", prepare("select 10 / (a - $1) from kept where a = 3")),
        *thrice("s", 1),
        ("a", bind([b"1"], statement="s") + execute() + bind([b"3"], statement="s") + execute() + bind([b"2"], statement="s") + execute() + sync()),
        *thrice("s", 2),
    ],
    "limits as values": [("a", prepare("select a from kept order by a limit $1 offset $2")), *(("a", run("s", *pair)) for pair in ((2, 0), (1, 1), (None, 0), (0, 0), (-1, 0), (5, 2)))],
    "limit without order": [("a", prepare("select count(*) from (select a from kept limit $1) as k")), *(("a", run("s", n)) for n in (2, 1, 3, 9, 0))],
    "joins": [("a", prepare("select k.b, m.d from kept as k join kept_more as m on k.a = m.a where k.a >= $1 order by k.a")), *(("a", run("s", n)) for n in (1, 2, 3, 4, 1))],
    "groups": [("a", prepare("select a % $1, count(*), sum(c) from kept group by 1 order by 1")), *(("a", run("s", n)) for n in (2, 3, 1, 2))],
    "rows without a table": [("a", prepare("select $1::int + x from (values (1), ($2::int)) as v (x) order by 1")), *(("a", run("s", *pair)) for pair in ((1, 2), (5, 9), (1, 2)))],
    "series": [("a", prepare("select x, n from generate_series($1::int, $2) with ordinality as t (x, n) order by n")), *(("a", run("s", *pair)) for pair in ((1, 3), (5, 4), (None, 4), (7, 7), (1, 3)))],
    "series of numerics": [("a", prepare("select x from generate_series($1::numeric, $2, $3) as t (x) order by 1")), *(("a", run("s", *bounds)) for bounds in ((1, 2, "0.5"), (1, 2, 0), (2, 1, "-0.25"), ("NaN", 1, 1), (1, 2, "0.5")))],
    "series of timestamps": [
        ("a", prepare("select x from generate_series($1::timestamp, $2, $3) as t (x) order by 1")),
        *(("a", run("s", "2020-01-31", end, step)) for end, step in (("2020-04-30", "1 month"), ("2020-02-01", "12 hours"), ("2020-02-01", "0"), ("2020-04-30", "1 month"))),
    ],
    "series of several lengths": [("a", prepare("select * from rows from (generate_series(1, $1::int), generate_series(1, $2::int)) as t (a, b) order by 1, 2")), *(("a", run("s", *pair)) for pair in ((2, 3), (3, 2), (0, 0), (None, 2), (2, 3)))],
    "comparisons of rows": [("a", prepare("select a, b from kept where (a, b) > ($1, $2) order by a")), *(("a", run("s", *pair)) for pair in ((1, "one"), (2, "a"), (0, None), (None, "x"), (1, "one")))],
    "rows in a list": [("a", prepare("select a from kept where (a, c) in (($1, $2), (3, $3)) order by a")), *(("a", run("s", *values)) for values in ((1, 10, 30), (2, None, 3), (1, 10, 30)))],
    "inserts": [
        ("a", prepare("insert into kept values ($1, $2, $3)")),
        *(("a", run("s", n, "more", n)) for n in (4, 5, 4, 6)),
        ("b", query("select * from kept order by a")),
    ],
    "updates": [
        ("a", prepare("update kept set c = c + $1 where a = $2")),
        *(("a", run("s", *pair)) for pair in ((1, 1), (5, 2), (7, 9), (1, 1), (2147483647, 3), (3, 3))),
        ("b", query("select * from kept order by a")),
    ],
    "updates of a key": [
        ("a", prepare("update kept set a = $1 where a = $2")),
        *(("a", run("s", *pair)) for pair in ((4, 1), (2, 3), (1, 4), (9, 3), (3, 9))),
        ("b", query("select * from kept order by a")),
    ],
    "deletes": [("a", prepare("delete from kept where a = $1")), *(("a", run("s", n)) for n in (1, 1, 3)), ("b", query("select * from kept order by a"))],
    "writes in a block that is rolled back": [
        ("a", prepare("update kept set c = c + 1 where a = $1")),
        *thrice("s", 1),
        ("a", query("begin")),
        *thrice("s", 1),
        ("a", query("rollback")),
        *thrice("s", 1),
        ("b", query("select c from kept where a = 1")),
    ],
    "row locks": [("a", prepare("select c from kept where a = $1 for update")), *(("a", run("s", n)) for n in (1, 2, 9, 1)), ("b", query("update kept set c = 0 where a = 1"))],
    "a transaction's snapshot": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", query("begin isolation level repeatable read")),
        ("a", run("s", 1)),
        ("b", query("update kept set c = 11 where a = 1; delete from kept where a = 2")),
        ("a", run("s", 1)),
        ("a", run("s", 2)),
        ("a", query("commit")),
        ("a", run("s", 1)),
        ("a", run("s", 2)),
    ],
    "another session adds a column": [("a", prepare(BY_KEY)), *thrice("s", 1), ("b", query("alter table kept add column e integer default 5")), *thrice("s", 1)],
    "another session adds a column to all that is selected": [
        ("a", prepare("select * from kept where a = $1")),
        *thrice("s", 1),
        ("b", query("alter table kept add column e integer default 5")),
        *thrice("s", 1),
        ("b", query("alter table kept drop column e")),
        *thrice("s", 1),
    ],
    "another session drops a column": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("b", query("alter table kept drop column c")),
        ("a", run("s", 1)),
        ("b", query("alter table kept add column c integer default 7")),
        ("a", run("s", 1)),
    ],
    "another session changes a column's name": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("b", query("alter table kept rename column c to e")),
        ("a", run("s", 1)),
        ("b", query("alter table kept rename column e to c")),
        ("a", run("s", 1)),
    ],
    "another session drops the table, and makes it again": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("b", query("drop table kept")),
        ("a", run("s", 1)),
        ("b", query("create table kept (c integer, b text, a integer); insert into kept values (77, 'new', 1)")),
        *thrice("s", 1),
    ],
    "another session makes the table anew with other types": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("b", query("drop table kept; create table kept (a integer, b text, c bigint); insert into kept values (1, 'new', 77)")),
        *thrice("s", 1),
    ],
    "another session empties the table": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("b", query("truncate kept")),
        *thrice("s", 1),
        ("b", query("insert into kept values (1, 'again', 5)")),
        *thrice("s", 1),
    ],
    "another session makes and drops an index": [
        ("a", prepare("select a from kept where c = $1")),
        *thrice("s", 20),
        ("b", query("create index kept_c on kept (c)")),
        *thrice("s", 20),
        ("b", query("insert into kept select n, 'n', 20 from (values (4), (5)) as v (n)")),
        ("b", query("drop index kept_c")),
        ("a", parse("select count(*) from kept where c = $1", "t") + bind([b"20"], statement="t") + execute() + sync()),
        ("a", run("t", 20)),
    ],
    "another session adds a constraint": [
        ("a", prepare("insert into kept values ($1, 'x', $2)")),
        ("a", run("s", 4, 1)),
        ("a", run("s", 5, 1)),
        ("b", query("alter table kept add constraint kept_positive check (c > 0)")),
        ("a", run("s", 6, 0)),
        ("a", run("s", 7, 1)),
        ("b", query("alter table kept drop constraint kept_positive")),
        ("a", run("s", 8, 0)),
        ("b", query("select a, c from kept order by a")),
    ],
    "another session adds a key to what is updated": [
        ("a", prepare("update kept set c = $1 where a = $2")),
        ("a", run("s", 10, 1)),
        ("a", run("s", 10, 1)),
        ("b", query("create unique index kept_c on kept (c)")),
        ("a", run("s", 20, 1)),
        ("a", run("s", 40, 1)),
        ("b", query("select a from kept where c = 40")),
    ],
    "the own transaction changes the table, and takes it back": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", query("begin; alter table kept add column e integer default 5; update kept set c = 99 where a = 1")),
        *thrice("s", 1),
        ("a", query("rollback")),
        *thrice("s", 1),
    ],
    "the own transaction changes the table, and keeps it so": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", query("begin; alter table kept add column e integer default 5; update kept set c = 99 where a = 1")),
        *thrice("s", 1),
        ("a", query("commit")),
        *thrice("s", 1),
    ],
    "the own transaction empties the table, and takes it back": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", query("begin; truncate kept")),
        *thrice("s", 1),
        ("a", query("insert into kept values (1, 'inside', 0)")),
        *thrice("s", 1),
        ("a", query("rollback")),
        *thrice("s", 1),
    ],
    "the own transaction goes back to before it changed the table": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", query("begin")),
        *thrice("s", 1),
        ("a", query("savepoint p; alter table kept drop column b")),
        ("a", run("s", 1)),
        ("a", query("rollback to p")),
        *thrice("s", 1),
        ("a", query("commit")),
        *thrice("s", 1),
    ],
    "the own transaction makes an index, and takes it back": [
        ("a", prepare("select a from kept where c = $1")),
        *thrice("s", 20),
        ("a", query("begin; create index kept_c on kept (c)")),
        *thrice("s", 20),
        ("a", query("rollback")),
        *thrice("s", 20),
    ],
    "a table that grows": [
        ("a", prepare("select count(*), sum(c) from kept where c >= $1")),
        *thrice("s", 20),
        ("b", query("insert into kept select x.n + 10 * y.n + 100 * z.n + 10, 'n', x.n from (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) as x (n), (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) as y (n), (values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12),(13),(14),(15),(16),(17),(18),(19),(20),(21),(22),(23),(24),(25),(26),(27),(28),(29),(30)) as z (n)")),
        *thrice("s", 5),
        ("b", query("delete from kept where a > 3")),
        *thrice("s", 5),
    ],
    "a statement under a name that is used again": [
        ("a", prepare(BY_KEY)),
        *thrice("s", 1),
        ("a", prepare("select 1")),
        ("a", close("S", "s") + sync()),
        ("a", prepare("select a, a from kept where c = $1")),
        *thrice("s", 20),
        ("a", query("deallocate s")),
        ("a", run("s", 20)),
        ("a", prepare(BY_KEY)),
        *thrice("s", 2),
        ("a", query("deallocate all")),
        ("a", run("s", 2)),
    ],
    "a statement without a name": [
        ("a", parse(BY_KEY) + bind([b"1"]) + execute() + bind([b"2"]) + execute() + sync()),
        ("b", query("update kept set c = 12 where a = 1")),
        ("a", bind([b"1"]) + execute() + bind([b"2"]) + execute() + sync()),
        ("a", parse("select a from kept where c = $1") + bind([b"12"]) + execute() + bind([b"20"]) + execute() + sync()),
        ("a", query("select 5")),
        ("a", bind([b"12"]) + execute() + sync()),
    ],
    "a statement closed while its portal is open": [
        ("a", prepare("select a from kept order by a")),
        *thrice(),
        ("a", bind(statement="s", portal="p") + execute("p", 1) + close("S", "s") + execute("p") + sync()),
        ("a", run("s")),
    ],
    "two sessions with one text": [
        ("a", prepare(BY_KEY)),
        ("b", prepare(BY_KEY)),
        *((session, run("s", n)) for n in (1, 2, 3) for session in "ab"),
        ("a", query("begin; update kept set c = 1000 where a = 1")),
        ("b", run("s", 1)),
        ("a", run("s", 1)),
        ("a", query("commit")),
        ("b", run("s", 1)),
    ],
    "other formats of the result": [
        ("a", prepare(BY_KEY)),
        *(("a", bind([b"1"], statement="s", result_formats=formats) + execute() + sync()) for formats in ((), (1,), (0, 1), (1, 0), (), (1,))),
    ],
    "many statements": [
        *(("a", prepare(f"select b, c + {n} from kept where a = $1", f"s{n}")) for n in range(40)),
        *(("a", run(f"s{n % 40}", n % 4)) for n in range(0, 400, 7)),
        *(("a", run("s3", n)) for n in (1, 2, 3)),
    ],
    "transactions by prepared statements": [
        ("a", prepare("begin", "begin") + prepare("commit", "commit") + prepare("rollback", "rollback")),
        ("a", prepare("update kept set c = c + 1 where a = $1")),
        *(("a", step) for end in ("commit", "rollback", "commit") for step in (run("begin"), run("s", 1), run(end))),
        ("b", query("select c from kept where a = 1")),
        ("a", run("begin")),
        ("a", run("begin")),
        ("a", query("select 1/0")),
        ("a", run("s", 1)),
        ("a", run("commit")),
        ("a", run("commit")),
    ],
}  # fmt: skip


def expected_ready(batch: bytes) -> int:
    count, position = 0, 0
    while position < len(batch):
        count += batch[position : position + 1] in (b"Q", b"S")
        position += 1 + int.from_bytes(batch[position + 1 : position + 5], "big")
    return count


def failed_answers_are_cut(messages: list) -> list:
    """What was sent of a statement's rows before it failed is open."""
    names = [entry[0] for entry in messages]
    if "Error" not in names:
        return messages
    error = names.index("Error")
    done = max((n for n in range(error) if names[n] in ("CommandComplete", "PortalSuspended")), default=-1)
    return messages[: done + 1] + messages[error:]


def transcript(server, steps, begin: str = BEGIN, end: str = END) -> list:
    with Client(server.port) as first, Client(server.port) as second:
        sessions = {"a": first, "b": second}
        for session in sessions.values():
            session.start()
        second.ask(end)
        second.ask(begin)
        seen = []
        for who, batch in steps:
            sessions[who].send(batch)
            for _ in range(expected_ready(batch)):
                seen.append((who, failed_answers_are_cut(sessions[who].until_ready())))
        for session in sessions.values():
            session.ask("rollback")
        second.ask(end)
        return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, SCENARIOS[name]) == transcript(postgres, SCENARIOS[name])


@pytest.mark.parametrize("setting", ["execution_mode = vm", "execution_mode = llvm", "llvm_optimisation = full", "query_memory = '8MB'", "bytea_output = escape"])
def test_settings_change_between_executions(gnomon, setting):
    with Client(gnomon.port) as client:
        client.start()
        client.ask(END)
        client.ask(BEGIN)
        client.send(prepare("select b, c, '\\x41ff'::bytea::text from kept where a >= $1 order by a"))
        client.until_ready()
        answers = []
        for change in (None, setting, None, "reset all"):
            if change:
                client.ask(change if change.startswith("reset") else f"set {change}")
            for value in (b"2", b"3", b"2"):
                client.send(bind([value], statement="s") + execute() + sync())
                answers.append(rows_of(client.until_ready()))
        client.ask(END)
    usual, escaped = b"\\x41ff", b"A\\377"
    expected = []
    for turn in range(4):
        shown = escaped if "bytea" in setting and turn in (1, 2) else usual
        rows = [(b"two", b"20", shown), (b"three", b"30", shown)]
        expected += [rows, rows[1:], rows]
    assert answers == expected


def test_memory_of_a_statement_is_given_back(gnomon):
    """A result that took much memory is followed by many executions: each may take as much again."""
    with Client(gnomon.port) as client:
        client.start()
        client.ask("set query_memory = '4MB'")
        client.send(prepare("select repeat('x', $1) where $1 > 0"))
        client.until_ready()
        for size in (10, 1_000_000, 10, 1_500_000, 1_500_000, 1_500_000, 10):
            client.send(run("s", size))
            assert rows_of(client.until_ready()) == [(b"x" * size,)]
