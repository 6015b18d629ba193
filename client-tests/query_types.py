"""What random queries know of types: tables with a column of each and many NULLs, constants, and operations among the types.

Of the columns' values equal ones look equal, so that they can be group keys. No operation fails, whatever its operands are.
"""
import dataclasses
import random
import uuid

from servers import Server

SEED = 5
TABLE_ROWS = {"kinds": 400, "few_kinds": 40}

# (name, SQL type, the generator's type, values as SQL)
COLUMNS = (
    ("bool", "boolean", "bool", ("true", "false")),
    ("small", "smallint", "int", tuple(str(n) for n in range(-5, 6))),
    ("int", "integer", "int", tuple(str(n) for n in (0, 1, 2, 3, -1, 100, -40, 99_999, -100_000, 12_345))),
    ("big", "bigint", "big", ("0", "7", "-3000000000", "4000000000000", "-4000000000000", "25")),
    ("num", "numeric", "num", ("0", "1.5", "-2.25", "'NaN'", "'Infinity'", "'-Infinity'", "1e60", "-0.00000000000000000007", "123456789012345678901234567890.123", "42")),
    ("exact", "numeric(12,3)", "num", ("0", "1.5", "-2.25", "99999.999", "0.001", "42", "'NaN'")),
    ("wide", "numeric(30,4)", "num", ("0", "1.5", "-2.25", "12345678901234567890.1234", "'NaN'", "42")),
    ("real", "real", "flt", ("0", "0.25", "-1.5", "1e10", "'NaN'", "'Infinity'", "'-Infinity'", "3")),
    ("double", "double precision", "flt", ("0", "0.1", "-1.5", "1e100", "'NaN'", "1e-300", "3")),
    ("percent", "random_percent", "percent", ("0", "1", "50", "99", "100")),
    ("label", "random_label", "label", ("'a'", "'label'", "'A b c'", "'twelve bytes and more'")),
    ("text", "text", "text", ("''", "'a'", "'ab'", "'A b c'", "'äöü €'", "'longer than twelve bytes, much'", "'%_\\'", "'42'")),
    ("varchar", "varchar(8)", "text", ("''", "'a'", "'ab '", "'A b c'", "'äöü €'", "'%_'")),
    ("char", "char(5)", "char", ("''", "'a'", "'ab'", "'abcde'")),
    ("bytea", "bytea", "bytea", (r"'\x'", r"'\x00'", r"'\x00ff'", r"'\x616263'", r"'\x61626364656667686970717273747576'")),
    ("date", "date", "date", ("'1995-03-15'", "'2020-02-29'", "'1999-12-31'", "'0044-03-15 BC'", "'1994-01-01'")),
    ("time", "time", "time", ("'00:00'", "'12:34:56.789'", "'23:59:59.999999'", "'24:00'", "'07:00'")),
    ("timetz", "timetz", "timetz", ("'00:00+00'", "'12:34:56.789+02'", "'12:34:56.789-11:30'", "'07:00+01'")),
    ("ts", "timestamp", "ts", ("'1995-03-15 12:00'", "'2020-02-29 23:59:59.999999'", "'1999-12-31'", "'0044-03-15 06:00 BC'")),
    ("tstz", "timestamptz", "tstz", ("'1995-03-15 12:00+00'", "'2020-02-29 23:59:59.999999+05'", "'1999-12-31 00:00-08'", "'infinity'", "'-infinity'")),
    ("interval", "interval", "interval", ("'0'", "'1 day'", "'-3 hours'", "'2 years 5 months'", "'1 month -1 day 00:00:00.000001'", "'100 days'")),
    ("uuid", "uuid", "uuid", tuple(f"'{uuid.UUID(int=n * 0x0123456789ABCDEF0123456789AB + n)}'" for n in range(6))),
    ("money", "money", "money", ("'0'", "'1.50'", "'-2.25'", "'99999.99'", "'-0.01'", "'42'")),
    ("letter", '"char"', "letter", ("'a'", "'b'", "''", "'Z'", "'~'")),
    ("ident", "name", "ident", ("'a'", "'ab'", "''", "'A b c'", "'longer than twelve bytes'")),
    ("oid", "oid", "oid", ("0", "1", "42", "4294967295", "2147483648")),
    ("lsn", "pg_lsn", "lsn", ("'0/0'", "'0/1'", "'1/0'", "'FFFFFFFF/FFFFFFFF'", "'16/B374D848'")),
    ("fixed", "bit(6)", "bits", ("'000000'", "'101100'", "'111111'", "'000001'")),
    ("bits", "varbit", "bits", ("''", "'0'", "'1'", "'10110'", "'0000000011111111'", "'111111111111111111'")),
    ("inet", "inet", "inet", ("'10.1.2.3'", "'10.1.0.0/16'", "'10.0.0.0/8'", "'192.168.0.1/24'", "'fe80::1'", "'2001:db8::/32'")),
    ("cidr", "cidr", "cidr", ("'10.1.2.3'", "'10.1.0.0/16'", "'10.0.0.0/8'", "'192.168.0.0/24'", "'2001:db8::/32'")),
    ("mac8", "macaddr8", "mac8", ("'08:00:2b:01:02:03:04:05'", "'00:00:00:00:00:00:00:00'", "'ff:ff:ff:ff:ff:ff:ff:fe'", "'08:00:2b:01:02:03'")),
    ("mac", "macaddr", "mac", ("'08:00:2b:01:02:03'", "'00:00:00:00:00:00'", "'ff:ff:ff:ff:ff:fe'")),
    ("json", "json", "json", ("'null'", "'{\"a\":  1, \"b\": [1, 2]}'", "'[1, \"x\", null]'", "'\"text\"'", "'{\"a\": {\"b\": 2.5}}'", "'7'")),
    ("jsonb", "jsonb", "jsonb", ("'null'", "'{\"a\": 1, \"b\": [1, 2]}'", "'[1, \"x\", null]'", "'\"text\"'", "'{\"a\": {\"b\": 2.5}}'", "'7'", "'{}'", "'[]'", "'[[1], {\"c\": true}]'")),
    ("ints", "integer[]", "ints", ("'{}'", "'{1}'", "'{1,2,3}'", "'{3,NULL,1}'", "'{7,7}'", "'{NULL}'", "'{0,100,2,5,9}'")),
    ("texts", "text[]", "texts", ("'{}'", "'{a}'", "'{b,a,NULL}'", "'{\"a b\",\"\"}'", "'{a,b,c,d}'")),
    ("nums", "numeric[]", "nums", ("'{}'", "'{1.5,-2.25}'", "'{NULL,7}'", "'{NaN,0}'", "'{1e30}'")),
    ("dates", "date[]", "dates", ("'{}'", "'{2020-02-29,1995-03-15}'", "'{NULL}'", "'{infinity,1999-12-31}'")),
    ("moods", "random_mood[]", "moods", ("'{}'", "'{sad,ok}'", "'{NULL,happy}'", "'{very happy,ok,sad}'")),
    ("grid", "integer[]", "grid", ("'{}'", "'{{1,2},{3,4}}'", "'{{0,NULL}}'", "'{{5},{6},{7}}'", "'[0:1][2:3]={{1,2},{3,4}}'")),
    ("spot", "random_spot", "spot", ("row(row('a', 1), 'ok', '2020-02-29')", "row(null, 'sad', null)", "row(row(null, 2), null, '1995-03-15')", "row(null, null, null)")),
    ("mood", "random_mood", "mood", ("'sad'", "'ok'", "'happy'", "'very happy'")),
    ("place", "random_place", "place", ("row('a', 1)", "row(null, 2)", "row('b', null)", "row('a', 3)", "row(null, null)")),
)  # fmt: skip

CASTS = {own: sql_type for _, sql_type, own, _ in COLUMNS} | {"flt": "double precision", "int": "integer", "big": "bigint", "num": "numeric", "char": "text", "text": "text"} | {"percent": "integer", "label": "text"}
OTHER_TYPES = (
    "bytea", "time", "timetz", "tstz", "interval", "uuid", "bits", "inet", "cidr", "mac", "mac8", "json", "jsonb", "ints", "texts", "nums", "dates", "moods", "grid",
    "mood", "place", "spot", "money", "letter", "ident", "oid", "lsn", "percent", "label",
)  # fmt: skip
ARRAY_TYPES = ("ints", "texts", "nums", "dates", "moods", "grid")
DOMAIN_BASES = {"percent": "integer", "label": "text"}  # there are no arrays of domains
ORDERED_TYPES = tuple(kind for kind in OTHER_TYPES if kind != "json")
# Of which PostgreSQL 15 has min and max.
EXTREME_TYPES = ("money", "oid", "lsn", "percent", "label", "nums", "dates", "moods", "grid", "int", "big", "num", "flt", "date", "ts", "text", "char", "time", "timetz", "tstz", "interval", "inet", "ints", "texts", "mood")
CONSTANTS = {own: tuple(f"{value}::{sql_type}" for value in values) for _, sql_type, own, values in COLUMNS if own in OTHER_TYPES}


@dataclasses.dataclass(frozen=True)
class Operation:
    """`{}` stands for an operand; `#` as its type: a small positive number, `n`: an integer of -3 to 5."""

    result: str
    sql: str
    operands: tuple
    stable: bool = True  # equal results look equal
    bound: float | None = None


def operation(result: str, sql: str, *operands: str, stable: bool = True, bound: float | None = None) -> Operation:
    return Operation(result, sql, operands, stable, bound if bound is not None else 100_000 if result in ("int", "big") else None)


OPERATIONS = (
    operation("int", "length({})", "bytea"), operation("int", "octet_length({})", "bytea"), operation("int", "position('b'::bytea in {})", "bytea"),
    operation("big", "bit_count({})", "bytea"), operation("text", "encode({}, 'hex')", "bytea"), operation("text", "md5({})", "bytea"), operation("bytea", "({} || {})", "bytea", "bytea"),
    operation("bytea", "substring({} from {} for {})", "bytea", "#", "#"), operation("bytea", "sha256({})", "bytea"),
    operation("num", "extract(minute from {})", "time", bound=60), operation("interval", "({} - {})", "time", "time", stable=False), operation("time", "({} + interval '90 minutes')", "time"),
    operation("time", "({}::time)", "interval"), operation("text", "({}::text)", "time"), operation("interval", "({}::interval)", "time", stable=False),
    operation("num", "extract(timezone_hour from {})", "timetz", bound=15), operation("timetz", "({} + interval '3 hours')", "timetz"), operation("time", "({}::time)", "timetz"),
    operation("timetz", "({} at time zone '+03')", "timetz"),
    operation("tstz", "date_trunc('month', {})", "tstz"), operation("ts", "({} at time zone 'UTC')", "tstz"), operation("date", "({}::date)", "tstz"), operation("bool", "isfinite({})", "tstz"),
    operation("tstz", "({} + {})", "tstz", "interval"), operation("text", "({}::text)", "tstz"),
    operation("interval", "({} + {})", "interval", "interval", stable=False), operation("interval", "({} * {})", "interval", "n", stable=False), operation("interval", "(- {})", "interval", stable=False),
    operation("interval", "justify_interval({})", "interval", stable=False), operation("num", "extract(day from {})", "interval", bound=10_000), operation("num", "extract(epoch from {})", "interval", bound=1e10, stable=False),
    operation("text", "({}::text)", "interval"),
    operation("text", "({}::text)", "uuid"), operation("text", "left({}::text, {})", "uuid", "#"),
    operation("int", "length({})", "bits"), operation("bits", "({} || {})", "bits", "bits"), operation("bits", "(~ {})", "bits"), operation("bits", "({} << {})", "bits", "#"), operation("text", "({}::text)", "bits"),
    operation("bits", "substring({} from {})", "bits", "#"), operation("big", "bit_count({})", "bits"),
    operation("int", "masklen({})", "inet"), operation("int", "family({})", "inet"), operation("text", "host({})", "inet"), operation("text", "text({})", "inet"), operation("text", "abbrev({})", "inet"),
    operation("inet", "broadcast({})", "inet"), operation("inet", "network({})::inet", "inet"), operation("inet", "netmask({})", "inet"), operation("inet", "set_masklen({}, {})", "inet", "#"),
    operation("bool", "({} <<= {})", "inet", "inet"), operation("bool", "({} >> {})", "inet", "inet"), operation("bool", "({} && {})", "inet", "inet"), operation("bool", "inet_same_family({}, {})", "inet", "inet"),
    operation("mac", "trunc({})", "mac"), operation("text", "({}::text)", "mac"),
    operation("text", "({} ->> 'a')", "json"), operation("text", "({} ->> {})", "json", "n"), operation("json", "({} -> 'a')", "json"), operation("text", "json_typeof({})", "json"), operation("jsonb", "({}::jsonb)", "json"),
    operation("jsonb", "({} -> 'a')", "jsonb"), operation("jsonb", "({} -> {})", "jsonb", "n"), operation("text", "({} ->> 'b')", "jsonb"), operation("jsonb", "({} #> '{{a,b}}')", "jsonb"), operation("text", "({} #>> '{{b,0}}')", "jsonb"),
    operation("text", "jsonb_typeof({})", "jsonb"), operation("bool", "({} ? 'a')", "jsonb"), operation("bool", "({} ?| array['b', 'c'])", "jsonb"), operation("bool", "({} @> {})", "jsonb", "jsonb"), operation("bool", "({} <@ {})", "jsonb", "jsonb"),
    operation("jsonb", "to_jsonb({})", "ints"), operation("jsonb", "to_jsonb({})", "text"), operation("jsonb", "to_jsonb({})", "int"), operation("jsonb", "to_jsonb({})", "bool"), operation("jsonb", "jsonb_build_object('k', {}, 'l', {})", "jsonb", "text"), operation("jsonb", "jsonb_build_array({}, {})", "int", "jsonb"),
    operation("jsonb", "jsonb_strip_nulls({})", "jsonb"), operation("jsonb", "jsonb_path_query_first({}, '$.a')", "jsonb"), operation("jsonb", "jsonb_path_query_array({}, '$[*]')", "jsonb"), operation("text", "({}::text)", "jsonb"), operation("json", "json_build_array({}, {})", "int", "text"),
    operation("bool", "jsonb_path_exists({}, '$.b[*] ? (@ > 1)')", "jsonb"),
    operation("int", "cardinality({})", "ints"), operation("int", "array_length({}, 1)", "ints"), operation("int", "({})[{}]", "ints", "n"), operation("ints", "({} || {})", "ints", "ints"), operation("ints", "({} || {})", "ints", "int"),
    operation("ints", "array_remove({}, {})", "ints", "#"), operation("ints", "array_replace({}, {}, null)", "ints", "#"), operation("ints", "({})[{}:]", "ints", "#"), operation("int", "array_position({}, {})", "ints", "#"), operation("ints", "array[{}, {}]", "int", "int"),
    operation("bool", "({} @> {})", "ints", "ints"), operation("bool", "({} && {})", "ints", "ints"), operation("bool", "({} = any ({}))", "int", "ints"), operation("bool", "({} > all ({}))", "int", "ints"), operation("text", "array_to_string({}, '-', '*')", "ints"),
    operation("bool", "({} <> all ({}))", "#", "ints"), operation("ints", "array_positions({}, {})", "ints", "#"), operation("ints", "array_cat({}, {})", "ints", "ints"), operation("text", "({}::text)", "ints"),
    operation("int", "cardinality({})", "texts"), operation("text", "({})[{}]", "texts", "n"), operation("texts", "({} || {})", "texts", "text"), operation("texts", "array_append({}, {})", "texts", "text"), operation("texts", "string_to_array({}, 'a')", "text"),
    operation("bool", "({} <@ {})", "texts", "texts"), operation("text", "array_to_string({}, ',')", "texts"), operation("bool", "({} like any (string_to_array(replace(array_to_string({}, ','), '\\', '/'), ',')))", "text", "texts"), operation("bool", "({} = any ({}))", "text", "texts"), operation("texts", "array[{}, {}]", "text", "text"),
    operation("text", "({}::text)", "mood"), operation("mood", "greatest({}, {})", "mood", "mood"), operation("bool", "({} = any (enum_range('ok'::random_mood, null)))", "mood"), operation("mood", "least({}, 'happy')", "mood"),
    operation("text", "({}).name", "place"), operation("int", "({}).n", "place"), operation("place", "row({}, {})::random_place", "text", "int"), operation("bool", "({} is null)", "place"), operation("bool", "({} is not null)", "place"),
    operation("text", "({}::text)", "place"),
    operation("money", "({} + {})", "money", "money"), operation("money", "({} * {})", "money", "n"), operation("money", "({} / {})", "money", "#"), operation("num", "({}::numeric)", "money", bound=1e12), operation("text", "({}::text)", "money"),
    operation("text", "({}::text)", "letter"), operation("int", "ascii({}::text)", "letter"), operation("letter", '({}::"char")', "text"), operation("bool", "({}::text like 'a%')", "letter"),
    operation("text", "({}::text)", "ident"), operation("int", "length({}::text)", "ident"), operation("bool", "({} like '%b%')", "ident"), operation("text", "({} || {})", "ident", "text"), operation("ident", "({}::name)", "text"), operation("text", "upper({})", "ident"), operation("bool", "({} < {})", "ident", "text"),
    operation("big", "({}::bigint)", "oid", bound=5e9), operation("text", "({}::text)", "oid"), operation("oid", "({}::integer::oid)", "#"), operation("bool", "({} > 41)", "oid"),
    operation("num", "({} - {})", "lsn", "lsn", bound=2e19), operation("text", "({}::text)", "lsn"), operation("bool", "({} >= '0/16'::pg_lsn)", "lsn"),
    operation("inet", "({}::inet)", "cidr"), operation("text", "({}::text)", "cidr"), operation("int", "masklen({})", "cidr"), operation("cidr", "network({})", "inet"), operation("cidr", "({}::cidr)", "inet"), operation("cidr", "set_masklen({}, {})", "cidr", "#"), operation("bool", "({} >>= {})", "cidr", "inet"), operation("bool", "({} && {})", "cidr", "cidr"), operation("text", "host({})", "cidr"),
    operation("mac8", "trunc({})", "mac8"), operation("mac8", "macaddr8_set7bit({})", "mac8"), operation("text", "({}::text)", "mac8"), operation("mac8", "({}::macaddr8)", "mac"), operation("mac8", "({} & {})", "mac8", "mac8"), operation("mac8", "(~ {})", "mac8"),
    operation("int", "cardinality({})", "nums"), operation("num", "({})[{}]", "nums", "n"), operation("nums", "({} || {})", "nums", "nums"), operation("nums", "array_append({}, {}::numeric)", "nums", "int"), operation("bool", "({} && {})", "nums", "nums"), operation("text", "array_to_string({}, ' ', 'none')", "nums"), operation("nums", "({}::numeric[])", "ints"), operation("bool", "(7 = any ({}))", "nums"),
    operation("date", "({})[{}]", "dates", "n"), operation("dates", "({} || {})", "dates", "dates"), operation("bool", "(date '2020-02-29' = any ({}))", "dates"), operation("text", "({}::text)", "dates"), operation("int", "array_upper({}, 1)", "dates"), operation("dates", "array[{}::date, null]", "date"), operation("dates", "trim_array({}, 0)", "dates"),
    operation("mood", "({})[{}]", "moods", "n"), operation("moods", "({} || {})", "moods", "mood"), operation("bool", "({} = any ({}))", "mood", "moods"), operation("int", "array_position({}, {})", "moods", "mood"), operation("bool", "({} <@ {})", "moods", "moods"), operation("text", "({}::text[]::text)", "moods"), operation("moods", "array[{}, 'ok']", "mood"),
    operation("text", "array_dims({})", "grid"), operation("int", "array_ndims({})", "grid"), operation("int", "({})[1][{}]", "grid", "n"), operation("int", "cardinality({})", "grid"), operation("grid", "({})[1:1]", "grid"), operation("text", "array_to_string({}, ',', '-')", "grid"), operation("jsonb", "to_jsonb({})", "grid"), operation("int", "array_upper({}, 2)", "grid"), operation("text", "({}::text)", "grid"), operation("int", "array_lower({}, 1)", "grid"), operation("bool", "({} @> {})", "grid", "ints"),
    operation("place", "({}).place", "spot"), operation("mood", "({}).mood", "spot"), operation("date", "({}).at", "spot"), operation("int", "(({}).place).n", "spot"), operation("spot", "row({}, {}, null)::random_spot", "place", "mood"), operation("text", "({}::text)", "spot"), operation("bool", "({} is not null)", "spot"), operation("jsonb", "to_jsonb({})", "spot"), operation("jsonb", "to_jsonb({})", "place"),
    operation("int", "({} + {})", "percent", "n", bound=105), operation("text", "({}::text)", "percent"), operation("percent", "({}::random_percent)", "#"), operation("int", "({}::integer)", "percent", bound=100), operation("percent", "(abs({}) % 100)::random_percent", "int"), operation("num", "({} / 3.0)", "percent", stable=False),
    operation("text", "upper({})", "label"), operation("int", "length({})", "label"), operation("text", "({} || {})", "label", "text"), operation("bool", "({} like '%b%')", "label"), operation("label", "(({} || 'x')::random_label)", "text"),
    operation("int", "random_add({})", "int", bound=2_000_000), operation("int", "random_add({}, b => {})", "int", "n", bound=2_000_000), operation("text", "random_start({}, {})", "text", "#"), operation("big", "random_suppliers({})", "int"), operation("mood", "random_mood_of({})", "place"), operation("text", "random_names({})", "int"), operation("text", "random_start({}, {})", "label", "#"),
    operation("text", "lpad({}, {}, 'xy')", "text", "#"), operation("text", "rpad({}, {})", "text", "#"), operation("text", "reverse({})", "text"), operation("text", "translate({}, 'abc', 'xy')", "text"), operation("text", "initcap({})", "text"), operation("text", "split_part({}, ' ', {})", "text", "#"), operation("text", "overlay({} placing 'XY' from {})", "text", "#"), operation("text", "repeat({}, {} % 3)", "text", "#"),
    operation("bool", "starts_with({}, 'a')", "text"), operation("bool", "({} ~ '[a-c]+ ?b')", "text"), operation("bool", "({} ilike '%A%')", "text"), operation("bool", "({} similar to '(a|b)%')", "text"), operation("text", "regexp_replace({}, '[aeiou]', '_', 'g')", "text"), operation("texts", "regexp_match({}, '(a)(.?)')", "text"), operation("text", "substring({} from 'b(.)')", "text"), operation("text", "quote_literal({})", "text"),
    operation("int", "greatest({}, {}, {})", "int", "n", "int"), operation("int", "gcd({}, {})", "int", "#"), operation("int", "width_bucket({}, 0, 1000, {})", "int", "#"), operation("num", "floor({})", "num"), operation("num", "sign({})", "num", bound=1), operation("num", "trunc({}, 1)", "num"), operation("text", "to_char({}, 'FM99999990.00')", "int"),
    operation("tstz", "date_trunc('week', {})", "tstz"), operation("interval", "age({}, {})", "ts", "ts", stable=False), operation("ts", "date_trunc('quarter', {})", "ts"), operation("text", "to_char({}, 'HH24:MI')", "interval"),
    operation("text", "to_char({}, 'YYYY-MM-DD HH24:MI')", "ts"), operation("int", "length(concat({}, '-', {}))", "text", "int"), operation("text", "format('%s/%L', {}, {})", "int", "text"), operation("text", "concat_ws(',', {}, {}, {})", "text", "mood", "int"),
)  # fmt: skip
BY_RESULT = {result: [made for made in OPERATIONS if made.result == result] for result in {made.result for made in OPERATIONS}}


TYPES = (
    "create type random_mood as enum ('sad', 'ok', 'happy', 'very happy')",
    "create type random_place as (name text, n integer)",
    "create type random_spot as (place random_place, mood random_mood, at date)",
    "create domain random_percent as integer check (value between 0 and 100)",
    "create domain random_label as text check (value <> '')",
)
# They read tables of TPC-H, which are there first.
FUNCTIONS = (
    "create function random_add(a integer, b integer default 1) returns integer language sql immutable as 'select coalesce(a, 0) + b'",
    "create function random_start(t text, n integer) returns text language sql immutable strict as 'select left(t, n) || chr(46)'",
    "create function random_suppliers(integer) returns bigint language sql stable as 'select count(*) from supplier where s_nationkey = $1'",
    "create function random_names(key integer) returns text language sql stable as 'select n_name::text from nation where n_regionkey = key order by n_name desc'",
    "create function random_mood_of(p random_place) returns random_mood language sql immutable as $$select case when p.n > 1 then 'ok' when p.n = 1 then 'sad' end::random_mood$$",
    "create function random_nations(key integer, out n integer, out label text) returns setof record language sql stable as 'select n_nationkey, n_name::text from nation where n_regionkey = key'",
    "create function random_letters(t text) returns setof text language sql immutable strict as $$select x from string_to_table(left(t, 12), null) as s (x) where x > 'a'$$",
)
DROPS = (
    "drop function random_add, random_start, random_suppliers, random_names, random_mood_of, random_nations, random_letters",
    "drop type random_spot", "drop type random_place", "drop type random_mood", "drop domain random_percent", "drop domain random_label",
)  # fmt: skip


def statements() -> list[str]:
    """That make the tables, the same every time."""
    made = [*TYPES, *FUNCTIONS]
    drawn = random.Random(SEED)
    for table, rows in TABLE_ROWS.items():
        columns = ", ".join(f"k_{name} {sql_type}" for name, sql_type, _, _ in COLUMNS)
        made.append(f"create table {table} (k_id integer, k_nationkey integer, k_suppkey integer, {columns})")
        tuples = []
        for number in range(rows):
            keys = [str(number), drawn.choice((*map(str, range(25)), "null")), drawn.choice((str(drawn.randint(1, 100)), "null"))]
            values = ["null" if drawn.random() < 0.15 else drawn.choice(values) for _, _, _, values in COLUMNS]
            tuples.append(f"({', '.join(keys + values)})")
        made.append(f"insert into {table} values {', '.join(tuples)}")
    return [*made, "analyze kinds", "analyze few_kinds"]


INDEXES = ("k_id", "k_uuid, k_date desc", "k_mood", "k_ints", "k_jsonb", "k_inet", "k_num", "k_tstz nulls first", "lower(k_text)", "k_bits", "k_interval", "k_nationkey, k_text")


def load(server: Server):
    with server.connect() as connection:
        for statement in statements():
            connection.execute(statement)


def add_indexes(server: Server):
    with server.connect() as connection:
        for columns in INDEXES:
            connection.execute(f"create index on kinds ({columns})")


def drop(server: Server):
    with server.connect() as connection:
        for table in TABLE_ROWS:
            connection.execute(f"drop table {table}")
        for statement in DROPS:
            connection.execute(statement)
