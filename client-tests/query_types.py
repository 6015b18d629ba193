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
    ("exact", "numeric(12,3)", "num", ("0", "1.5", "-2.25", "99999.999", "0.001", "42")),
    ("real", "real", "flt", ("0", "0.25", "-1.5", "1e10", "'NaN'", "'Infinity'", "'-Infinity'", "3")),
    ("double", "double precision", "flt", ("0", "0.1", "-1.5", "1e100", "'NaN'", "1e-300", "3")),
    ("text", "text", "text", ("''", "'a'", "'ab'", "'A b c'", "'äöü €'", "'longer than twelve bytes, much'", "'%_\\'", "'42'")),
    ("char", "char(5)", "char", ("''", "'a'", "'ab'", "'abcde'")),
    ("bytea", "bytea", "bytea", (r"'\x'", r"'\x00'", r"'\x00ff'", r"'\x616263'", r"'\x61626364656667686970717273747576'")),
    ("date", "date", "date", ("'1995-03-15'", "'2020-02-29'", "'1999-12-31'", "'0044-03-15 BC'", "'1994-01-01'")),
    ("time", "time", "time", ("'00:00'", "'12:34:56.789'", "'23:59:59.999999'", "'24:00'", "'07:00'")),
    ("timetz", "timetz", "timetz", ("'00:00+00'", "'12:34:56.789+02'", "'12:34:56.789-11:30'", "'07:00+01'")),
    ("ts", "timestamp", "ts", ("'1995-03-15 12:00'", "'2020-02-29 23:59:59.999999'", "'1999-12-31'", "'0044-03-15 06:00 BC'")),
    ("tstz", "timestamptz", "tstz", ("'1995-03-15 12:00+00'", "'2020-02-29 23:59:59.999999+05'", "'1999-12-31 00:00-08'", "'infinity'", "'-infinity'")),
    ("interval", "interval", "interval", ("'0'", "'1 day'", "'-3 hours'", "'2 years 5 months'", "'1 month -1 day 00:00:00.000001'", "'100 days'")),
    ("uuid", "uuid", "uuid", tuple(f"'{uuid.UUID(int=n * 0x0123456789ABCDEF0123456789AB + n)}'" for n in range(6))),
    ("bits", "varbit", "bits", ("''", "'0'", "'1'", "'10110'", "'0000000011111111'", "'111111111111111111'")),
    ("inet", "inet", "inet", ("'10.1.2.3'", "'10.1.0.0/16'", "'10.0.0.0/8'", "'192.168.0.1/24'", "'fe80::1'", "'2001:db8::/32'")),
    ("mac", "macaddr", "mac", ("'08:00:2b:01:02:03'", "'00:00:00:00:00:00'", "'ff:ff:ff:ff:ff:fe'")),
    ("json", "json", "json", ("'null'", "'{\"a\":  1, \"b\": [1, 2]}'", "'[1, \"x\", null]'", "'\"text\"'", "'{\"a\": {\"b\": 2.5}}'", "'7'")),
    ("jsonb", "jsonb", "jsonb", ("'null'", "'{\"a\": 1, \"b\": [1, 2]}'", "'[1, \"x\", null]'", "'\"text\"'", "'{\"a\": {\"b\": 2.5}}'", "'7'", "'{}'", "'[]'", "'[[1], {\"c\": true}]'")),
    ("ints", "integer[]", "ints", ("'{}'", "'{1}'", "'{1,2,3}'", "'{3,NULL,1}'", "'{7,7}'", "'{NULL}'", "'{0,100,2,5,9}'")),
    ("texts", "text[]", "texts", ("'{}'", "'{a}'", "'{b,a,NULL}'", "'{\"a b\",\"\"}'", "'{a,b,c,d}'")),
    ("mood", "random_mood", "mood", ("'sad'", "'ok'", "'happy'", "'very happy'")),
    ("place", "random_place", "place", ("row('a', 1)", "row(null, 2)", "row('b', null)", "row('a', 3)", "row(null, null)")),
)  # fmt: skip

CASTS = {own: sql_type for _, sql_type, own, _ in COLUMNS} | {"flt": "double precision", "int": "integer", "big": "bigint", "num": "numeric", "char": "text"}
OTHER_TYPES = ("bytea", "time", "timetz", "tstz", "interval", "uuid", "bits", "inet", "mac", "json", "jsonb", "ints", "texts", "mood", "place")
ORDERED_TYPES = tuple(kind for kind in OTHER_TYPES if kind != "json")
# Of which PostgreSQL 15 has min and max.
EXTREME_TYPES = ("int", "big", "num", "flt", "date", "ts", "text", "char", "time", "timetz", "tstz", "interval", "inet", "ints", "texts", "mood")
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
    operation("bool", "({} <@ {})", "texts", "texts"), operation("text", "array_to_string({}, ',')", "texts"), operation("bool", "({} like any ({}))", "text", "texts"), operation("bool", "({} = any ({}))", "text", "texts"), operation("texts", "array[{}, {}]", "text", "text"),
    operation("text", "({}::text)", "mood"), operation("mood", "greatest({}, {})", "mood", "mood"), operation("bool", "({} = any (enum_range('ok'::random_mood, null)))", "mood"), operation("mood", "least({}, 'happy')", "mood"),
    operation("text", "({}).name", "place"), operation("int", "({}).n", "place"), operation("place", "row({}, {})::random_place", "text", "int"), operation("bool", "({} is null)", "place"), operation("bool", "({} is not null)", "place"),
    operation("text", "({}::text)", "place"),
    operation("text", "to_char({}, 'YYYY-MM-DD HH24:MI')", "ts"), operation("int", "length(concat({}, '-', {}))", "text", "int"), operation("text", "format('%s/%I', {}, {})", "int", "text"), operation("text", "concat_ws(',', {}, {}, {})", "text", "mood", "int"),
)  # fmt: skip
BY_RESULT = {result: [made for made in OPERATIONS if made.result == result] for result in {made.result for made in OPERATIONS}}


def statements() -> list[str]:
    """That make the tables, the same every time."""
    made = ["create type random_mood as enum ('sad', 'ok', 'happy', 'very happy')", "create type random_place as (name text, n integer)"]
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
        connection.execute("drop type random_place")
        connection.execute("drop type random_mood")
