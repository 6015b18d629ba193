"""The tables that random queries read, and what is known of their columns."""
import dataclasses

import query_types
from query_types import ORDERED_TYPES

INTEGER_MAX = 2**31 - 1
BIGINT_MAX = 2**62
ROWS_MAX = 300_000  # estimated rows of a join
ROWS_RETURNED_MAX = 8_000  # estimated rows of a result without LIMIT
SUBQUERY_ROWS_MAX = 70_000  # estimated rows of a query whose conditions have subqueries, and pairs with the rows of these:
SUBQUERY_PAIRS_MAX = 20_000_000  # PostgreSQL may execute them for each row

# How many different values a key has at scale 0.01: joins are bounded with it.
DOMAINS = {"region": 5, "nation": 25, "supplier": 100, "customer": 1_500, "part": 2_000, "order": 15_000}
ROWS = {
    "region": 5, "nation": 25, "supplier": 100, "customer": 1_500,
    "part": 2_000, "partsupp": 8_000, "orders": 15_000, "lineitem": 60_175, **query_types.TABLE_ROWS,
}  # fmt: skip
TABLE_WEIGHTS = {"region": 1, "nation": 3, "supplier": 3, "customer": 4, "part": 4, "partsupp": 3, "orders": 5, "lineitem": 6, "kinds": 12, "few_kinds": 6}


@dataclasses.dataclass(frozen=True)
class Expression:
    sql: str
    type: str  # int, big, num, flt, date, ts, text, char, bool, and those of query_types.OTHER_TYPES
    bound: float | None = None  # largest absolute value of a number; None when unknown
    stable: bool = True  # equal values look equal
    domain: str | None = None  # the key it is, for joins
    values: tuple = ()  # some constants it may equal, as SQL
    words: tuple = ()  # some texts it may contain
    is_set: bool = False  # it makes several rows


def key(name, domain):
    size = DOMAINS[domain] * (4 if domain == "order" else 1)
    return Expression(name, "big" if domain == "order" else "int", size, domain=domain)


def integer(name, bound):
    return Expression(name, "int", bound)


def decimal(name, bound):
    return Expression(name, "num", bound)


def date(name):
    return Expression(name, "date")


def texts(name, type_name, values=(), words=()):
    return Expression(name, type_name, values=tuple(f"'{value}'" for value in values), words=tuple(words))


NATIONS = ("FRANCE", "GERMANY", "BRAZIL", "CHINA", "INDIA", "UNITED STATES", "PERU", "KENYA", "VIETNAM")
COMMENT_WORDS = ("special", "requests", "ironic", "final", "the", "carefully", "quick", "furiously", "pending", "ly ", "a", "ss", ".")
COLORS = ("green", "blue", "almond", "forest", "azure", "pink", "or", "ol", "a ")
CONTAINERS = ("SM CASE", "SM BOX", "MED BAG", "LG CASE", "JUMBO PKG", "WRAP PACK", "MED BOX")
TYPES = ("ECONOMY ANODIZED STEEL", "PROMO BURNISHED COPPER", "STANDARD POLISHED BRASS", "LARGE BRUSHED BRASS")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("AIR", "REG AIR", "MAIL", "SHIP", "TRUCK", "RAIL", "FOB")
SEGMENTS = ("BUILDING", "AUTOMOBILE", "MACHINERY", "HOUSEHOLD", "FURNITURE")

TABLES = {
    "region": [key("r_regionkey", "region"), texts("r_name", "char", ("ASIA", "EUROPE", "AFRICA"), ("A", "ERI")), texts("r_comment", "text", (), COMMENT_WORDS)],
    "nation": [key("n_nationkey", "nation"), texts("n_name", "char", NATIONS, ("AN", "I", "UNITED")), key("n_regionkey", "region"), texts("n_comment", "text", (), COMMENT_WORDS)],
    "supplier": [
        key("s_suppkey", "supplier"), texts("s_name", "char", ("Supplier#000000001",), ("00001", "#")), key("s_nationkey", "nation"),
        texts("s_address", "text", (), ("a", "Z", " ")), texts("s_phone", "char", (), ("-1", "17-", "99")), decimal("s_acctbal", 10_000), texts("s_comment", "text", (), COMMENT_WORDS),
    ],
    "customer": [
        key("c_custkey", "customer"), texts("c_name", "text", ("Customer#000000042",), ("00004", "#")), texts("c_address", "text", (), ("a", "Z", ",")),
        key("c_nationkey", "nation"), texts("c_phone", "char", (), ("-1", "13-", "99")), decimal("c_acctbal", 10_000),
        texts("c_mktsegment", "char", SEGMENTS, ("O", "ING")), texts("c_comment", "text", (), COMMENT_WORDS),
    ],
    "part": [
        key("p_partkey", "part"), texts("p_name", "text", (), COLORS), texts("p_mfgr", "char", ("Manufacturer#1", "Manufacturer#3"), ("#1", "er")),
        texts("p_brand", "char", ("Brand#12", "Brand#23", "Brand#34", "Brand#45"), ("#1", "2")), texts("p_type", "text", TYPES, ("PROMO", "BRASS", "STEEL", "SMALL", "ED ")),
        integer("p_size", 50), texts("p_container", "char", CONTAINERS, ("SM", "BOX", "PK")), decimal("p_retailprice", 3_000), texts("p_comment", "text", (), COMMENT_WORDS),
    ],
    "partsupp": [key("ps_partkey", "part"), key("ps_suppkey", "supplier"), integer("ps_availqty", 10_000), decimal("ps_supplycost", 1_000), texts("ps_comment", "text", (), COMMENT_WORDS)],
    "orders": [
        key("o_orderkey", "order"), key("o_custkey", "customer"), texts("o_orderstatus", "char", ("F", "O", "P"), ("F",)), decimal("o_totalprice", 600_000), date("o_orderdate"),
        texts("o_orderpriority", "char", PRIORITIES, ("-", "HIGH", "I")), texts("o_clerk", "char", ("Clerk#000000001",), ("0005",)), integer("o_shippriority", 1), texts("o_comment", "text", (), COMMENT_WORDS),
    ],
    "lineitem": [
        key("l_orderkey", "order"), key("l_partkey", "part"), key("l_suppkey", "supplier"), integer("l_linenumber", 7), decimal("l_quantity", 50), decimal("l_extendedprice", 120_000),
        decimal("l_discount", 1), decimal("l_tax", 1), texts("l_returnflag", "char", ("R", "A", "N"), ("R",)), texts("l_linestatus", "char", ("O", "F"), ("O",)),
        date("l_shipdate"), date("l_commitdate"), date("l_receiptdate"), texts("l_shipinstruct", "char", ("DELIVER IN PERSON", "NONE", "COLLECT COD"), ("E", "IN ")),
        texts("l_shipmode", "char", MODES, ("AIR", "A")), texts("l_comment", "text", (), COMMENT_WORDS),
    ],
}  # fmt: skip

BOUNDS = {"small": 5, "int": 100_000, "big": 4e12, "exact": 100_000}
KINDS = [
    Expression("k_id", "int", 400), key("k_nationkey", "nation"), key("k_suppkey", "supplier"),
    *(Expression(f"k_{name}", own, BOUNDS.get(name), own != "json", values=values if own in ("text", "char") else (), words=("a", "b", " ") if own in ("text", "char") else ())
      for name, _, own, values in query_types.COLUMNS),
]  # fmt: skip
TABLES |= {table: KINDS for table in query_types.TABLE_ROWS}
UNIQUE = {"kinds": "k_id", "few_kinds": "k_id", "region": "r_regionkey", "nation": "n_nationkey", "supplier": "s_suppkey", "customer": "c_custkey", "part": "p_partkey", "orders": "o_orderkey"}

NUMBERS = ("int", "big", "num", "flt")
KEY_TYPES = ("int", "big", "num", "date", "text", "char", "bool", *ORDERED_TYPES)
