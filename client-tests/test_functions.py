"""Every function that PostgreSQL's catalog lists and Gnomon has, called with values at the edges of its arguments' types, and NULLs.

The calls are generated from PostgreSQL's pg_proc. What Gnomon has not is 0A000 there, and passed over. One test per first letter.
"""
import itertools
import string

import pytest

import comparison
import statements

VALUES = {
    "boolean": ("true", "false"),
    "smallint": ("3::smallint", "(-32768)::smallint"),
    "integer": ("3", "0", "(-2147483648)", "2147483647", "-1"),
    "bigint": ("3::bigint", "(-9223372036854775808)", "9223372036854775807"),
    "numeric": ("2.50", "0.0", "-12345678901234567890.123456789", "'NaN'::numeric", "'Infinity'::numeric"),
    "real": ("2.5::real", "-0.0::real", "'NaN'::real", "3e38::real"),
    "double precision": ("0.5::float8", "'-Infinity'::float8", "'NaN'::float8", "1e308::float8", "-2.5::float8"),
    "text": ("'abc'::text", "''::text", "'Ünïcödé ☃ 𝄞 text'::text", "'a1,b2 c3'::text"),
    "character": ("'ab '::char(4)",),
    "character varying": ("'abc'::varchar(5)",),
    "name": ("'abc'::name",),
    '"char"': ("'a'::\"char\"",),
    "bytea": ("'\\x0102ff'::bytea", "''::bytea"),
    "date": ("date '2020-02-29'", "date 'infinity'", "date '0044-03-15 BC'"),
    "timestamp without time zone": ("timestamp '2020-02-29 12:34:56.789'", "timestamp '-infinity'", "timestamp '294276-12-31 23:59:59.999999'"),
    "timestamp with time zone": ("timestamptz '2020-02-29 12:34:56.789+02'", "timestamptz 'infinity'", "timestamptz '4713-11-24 00:00+00 BC'"),
    "time without time zone": ("time '12:34:56.789'", "time '24:00'"),
    "time with time zone": ("timetz '12:34:56.789+02'", "timetz '00:00-15:59'"),
    "interval": ("interval '1 mon 2 days 03:04:05.5'", "interval '-178000000 years'", "interval '0'"),
    "uuid": ("uuid '00112233-4455-6677-8899-aabbccddeeff'",),
    "bit": ("B'10110'", "B''"),
    "bit varying": ("B'10110'::varbit",),
    "inet": ("inet '192.168.1.5/24'", "inet '::1'"),
    "cidr": ("cidr '10.1.0.0/16'",),
    "macaddr": ("macaddr '08:00:2b:01:02:03'",),
    "macaddr8": ("macaddr8 '08:00:2b:01:02:03:04:05'",),
    "pg_lsn": ("pg_lsn '16/B374D848'",),
    "money": ("'1234.56'::money", "'-0.01'::money", "'92233720368547758.07'::money"),
    "xid8": ("'7'::xid8", "'18446744073709551615'::xid8"),
    "tid": ("'(0,1)'::tid",),
    "anyarray": ("array[1, null, 3]", "'{}'::integer[]", "array['a', 'b']"),
    "text[]": ("array['a', null, 'c']",),
    "integer[]": ("array[1, 2]",),
    "anyelement": ("1",),
    "anycompatiblearray": ("array[1, 2, 3]",),
    "anycompatible": ("1",),
}
# What depends on the session, the clock or chance, or changes something; what is the server's own; what PostgreSQL uses behind operators and casts.
LEFT_OUT = """
    select p.oid from pg_proc p
    where p.prokind <> 'f' or p.proretset or p.provariadic <> 0 or p.provolatile = 'v' or p.pronargs = 0 or p.proname ~ '^(pg_|_pg|has_|to_reg|lo_|binary_|hash|currval|current_|set_config|age$|obj_|col_|shobj_|format_type|text$|timezone$|.*(in|out|recv|send|_accum|_accum_inv|_cmp|_larger|_smaller|typmodin|typmodout|_support|_sortsupport|_combine|_deserialize|_serialize|_transfn|_finalfn|_final)$)'
       or p.prorettype::regtype::text in ('internal', 'cstring', 'trigger', 'event_trigger') or p.oid in (select oprcode from pg_operator) or p.oid in (select castfunc from pg_cast) or p.oid >= 16384
    union select p.oid from pg_proc p join pg_amproc on amproc = p.oid
"""
FUNCTIONS = f"select p.proname, array(select format_type(t, null) from unnest(p.proargtypes) with ordinality as u (t, n) order by n)::text[] from pg_proc p where p.oid not in ({LEFT_OUT}) order by p.proname, p.oid"
CALLS_MAX = 14
# An unknown field of these is an error when the call is bound, in PostgreSQL when it is executed: of NULL and infinity never.
BOUND_EARLY = ("date_part", "date_trunc", "extract")


def quoted(name: str) -> str:
    return '"' + name + '"'


def calls(name: str, types: list[str]) -> list[str]:
    """The first values together; each other value and NULL in one place with the first values elsewhere."""
    first = [VALUES[t][0] for t in types]
    lists = [first]
    for place, kind in enumerate(types):
        for value in (*VALUES[kind][1:], f"null::{kind.replace('anyarray', 'integer[]').replace('anycompatiblearray', 'integer[]').replace('anyelement', 'integer').replace('anycompatible', 'integer')}"):
            lists.append([value if i == place else other for i, other in enumerate(first)])
    return [f"select {quoted(name)}({', '.join(values)})" for values in lists[:CALLS_MAX]]


def functions(postgres) -> list[tuple[str, list[str]]]:
    connection = postgres.connect()
    try:
        rows = connection.execute(FUNCTIONS).fetchall()
    finally:
        connection.close()
    return [(name, types) for name, types in rows if all(t in VALUES for t in types)]


def ask(server, sql: list[str]):
    connection = server.raw_connect()
    try:
        return [comparison.run(connection, each) for each in sql]
    finally:
        connection.finish()


@pytest.fixture(scope="module")
def known_functions(postgres):
    return functions(postgres)


@pytest.mark.parametrize("letter", string.ascii_lowercase)
def test_functions_are_postgresqls(known_functions, postgres, gnomon, letter):
    groups = [calls(name, types) for name, types in known_functions if name.startswith(letter)]
    sql = list(itertools.chain.from_iterable(groups))
    if not sql:
        pytest.skip("no function begins with it")
    expected, answered = ask(postgres, sql), ask(gnomon, sql)
    reports = []
    for each, left, right in zip(sql, expected, answered):
        if right.sqlstate == "0A000":
            continue
        if right.sqlstate == "22023" and not left.sqlstate and each.startswith(tuple(f"select {quoted(name)}(" for name in BOUND_EARLY)):
            continue
        what = comparison.difference(left, right, ordered=True, words=frozenset({"float"}))
        if what:
            reports.append(comparison.report(statements.Statement(each, 0, frozenset({"float"})), left, right, what))
    if reports:
        pytest.fail(f"{len(reports)} of {len(sql)} calls differ\n" + "\n".join(reports[:40]), pytrace=False)
