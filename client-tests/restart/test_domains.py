"""Domains and arrays of them after restarts, clean and not; keys of integers of any size in indexes."""
import psycopg
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create domain positive as integer check (value > 0);
create domain code as varchar(5) not null default 'abc';
create domain short as positive[] check (array_length(value, 1) < 3);
create table lists (id bigint primary key, a positive[], b code[], c short, d code);
create function first_of(x positive[]) returns positive language sql as 'select x[1]';
create type holder as (n integer);
insert into lists values (1, '{1,2}', '{a,bc}', '{3}', 'x'), (-1, '{7}', null, null, default), (-9000000000, null, '{}', '{1,2}', 'y');
insert into lists select n, array[n], null, null, 'z' from generate_series(2, 70000, 997) n;
create index lists_low on lists (id desc, a);
"""
QUERIES = [
    "select id, a::text, b::text, c::text, d from lists order by id",
    "select id from lists where id < 1000 order by id desc",
    "select id from lists where id between -10000000000 and 3 order by id",
    "select first_of(a) from lists where id in (1, -1, 2) order by 1",
    "select attname, atttypid::regtype::text from pg_attribute where attrelid = 'lists'::regclass and attnum > 0 order by attnum",
    "select typname, typbasetype::regtype::text, typarray::regtype::text from pg_type where typname in ('positive', 'short') order by 1",
    "select pg_get_function_arguments('first_of'::regproc), pg_get_function_result('first_of'::regproc)",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_domains_are_there_after_a_restart(server, is_clean):
    require_same_after_restart(server, [SETUP], "create domain unfinished as positive[]", QUERIES, is_clean)
    with server.connect() as connection:
        for column, value in [("a", "{1,0}"), ("c", "{1,2,3}"), ("c", "{-1}"), ("b", "{abcdef}"), ("b", "{null}")]:
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation, psycopg.errors.StringDataRightTruncation)):
                connection.execute(f"insert into lists (id, {column}) values (9, '{value}')")
        with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="cannot drop type positive"):
            connection.execute("drop domain positive")
        connection.execute("drop domain positive cascade")
        assert connection.execute("select attname from pg_attribute where attrelid = 'lists'::regclass and attnum > 0 and not attisdropped order by attnum").fetchall() == [
            ("id",), ("b",), ("d",)]  # fmt: skip
