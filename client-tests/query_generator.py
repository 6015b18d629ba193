"""Random queries over the TPC-H tables, and two with columns of all types: joins, outer and lateral ones, derived tables, WITH and recursion,
set operations, subqueries, filters, grouping and grouping sets, windows, DISTINCT ON, ordering, limits and ties.

A query is decided by (seed, number) alone. Queries are made so that every correct server gives one answer: no integer can
overflow and no divisor is zero (bounds are carried along), and LIMIT comes only with an order that is total. Where equal values
may look different (2.0 and 2.00) an expression is "unstable" and is kept out of group keys, DISTINCT and limited orders.
"""
import dataclasses
import random

import query_types
from query_types import EXTREME_TYPES, ORDERED_TYPES, OTHER_TYPES

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


@dataclasses.dataclass
class Source:
    """A FROM item with what it offers: columns by qualified name, and about how many rows."""

    sql: str
    columns: list
    rows: float
    inner_conditions: list = dataclasses.field(default_factory=list)  # join conditions left for WHERE
    unique: Expression | None = None  # a column that no two rows share


@dataclasses.dataclass
class Query:
    select: list  # (Expression, alias or "")
    source: Source
    where: list
    group: list = dataclasses.field(default_factory=list)
    having: list = dataclasses.field(default_factory=list)
    order: list = dataclasses.field(default_factory=list)
    limit: str = ""
    distinct: bool = False
    grouped: bool = False
    tables: list = dataclasses.field(default_factory=list)  # of WITH: name and columns, query, what is said about it
    distinct_on: int = 0  # so many of the first columns
    has_ties: bool = False

    def sql(self) -> str:
        items = [item.sql + (f" as {alias}" if alias else "") for item, alias in self.select]
        recursive = "recursive " if any(said == "recursive" for _, _, said in self.tables) else ""
        heading = [f"with {recursive}" + ", ".join(f"{name} as {'' if said == 'recursive' else said}({text})" for name, text, said in self.tables)] if self.tables else []
        once = f"distinct on ({', '.join(item.sql for item, _ in self.select[: self.distinct_on])}) " if self.distinct_on else "distinct " if self.distinct else ""
        parts = heading + ["select " + once + ", ".join(items), "from " + self.source.sql]
        conditions = self.source.inner_conditions + self.where
        if conditions:
            parts.append("where " + "\n  and ".join(conditions))
        if self.group:
            parts.append("group by " + ", ".join(self.group))
        if self.having:
            parts.append("having " + " and ".join(self.having))
        if self.order:
            parts.append("order by " + ", ".join(self.order))
        if self.limit:
            parts.append(self.limit)
        return "\n".join(parts)

    def ordered(self) -> bool:
        """Whether the order is total, so that rows can be compared one by one."""
        return len(self.order) == len(self.select) and not self.has_ties and all(item.stable for item, _ in self.select)


class Generator:
    def __init__(self, seed: int, number: int):
        self.random = random.Random(f"{seed}/{number}")
        self.aliases = 0
        self.tables = []  # of WITH
        self.is_plain = self.chance(0.4)  # without columns of other types
        self.outer_rows = float("inf")  # of the query whose condition is made; while it is not known there are no subqueries

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, things):
        return self.random.choice(things)

    def alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    # Constants

    def small_integer(self, low=-10, high=100) -> int:
        return self.random.randint(low, high)

    def date_constant(self) -> str:
        day = f"date '{self.random.randint(1992, 1998)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}'"
        if self.chance(0.25):
            unit = self.pick(("day", "month", "year"))
            return f"{day} {self.pick('+-')} interval '{self.random.randint(1, 5)}' {unit}"
        return day

    def number_constant(self, expression: Expression) -> str:
        bound = expression.bound if expression.bound and expression.bound < 1e6 else 1_000
        value = self.random.uniform(-0.02, 1.0) * bound
        if expression.type in ("int", "big") and self.chance(0.9):
            return str(round(value))
        return f"{value:.{self.pick((0, 1, 2, 2, 3))}f}"

    def text_constant(self, expression: Expression) -> str:
        if expression.values and self.chance(0.8):
            return self.pick(expression.values)
        return "'" + self.pick(("", "a", "B", "M", "m", "zebra", "Brand#3", "furiously", "5", "~")) + "'"

    def constant(self, expression: Expression) -> str:
        if expression.type in NUMBERS:
            return self.number_constant(expression)
        if expression.type in ("date", "ts"):
            return self.date_constant()
        if expression.type == "bool":
            return self.pick(("true", "false"))
        if expression.type in OTHER_TYPES:
            return self.pick(query_types.CONSTANTS[expression.type])
        return self.text_constant(expression)

    # Expressions

    def leaf(self, columns, types) -> Expression | None:
        fitting = [column for column in columns if column.type in types]
        return self.pick(fitting) if fitting else None

    @staticmethod
    def has_others(columns) -> bool:
        return any(column.type in OTHER_TYPES for column in columns)

    def operation(self, results, columns, depth: int) -> Expression | None:
        """What an operation over columns of other types gives, of one of the types; None where there is no such one."""
        fitting = [made for result in results for made in query_types.BY_RESULT.get(result, ()) if any(self.leaf(columns, (kind,)) for kind in made.operands if kind in OTHER_TYPES)]
        if not fitting:
            return None
        chosen = self.pick(fitting)
        operands = [self.of_type(kind, columns, depth - 1) for kind in chosen.operands]
        return Expression(chosen.sql.format(*(operand.sql for operand in operands)), chosen.result, chosen.bound, chosen.stable and all(operand.stable for operand in operands))

    def of_type(self, kind: str, columns, depth: int) -> Expression:
        if kind == "#":
            return Expression(str(self.random.randint(1, 9)), "int", 9)
        if kind == "n":
            return Expression(str(self.random.randint(-3, 5)), "int", 5)
        if kind == "bool":
            return Expression(f"({self.condition(columns, depth - 1)})", "bool")
        leaf = self.leaf(columns, (kind,))
        if kind in ("int", "text"):
            return leaf if leaf and self.chance(0.8) else Expression(str(self.random.randint(0, 9)), "int", 9) if kind == "int" else Expression(self.pick(("'a'::text", "'b c'::text", "null::text")), "text")
        if kind not in OTHER_TYPES:
            return leaf or self.moment(columns, 0)
        roll = self.random.random()
        if depth > 0 and roll < 0.35 and (made := self.operation((kind,), columns, depth)):
            return made
        if depth > 0 and roll < 0.45:
            left, right = self.of_type(kind, columns, depth - 1), self.of_type(kind, columns, depth - 1)
            stable = left.stable and right.stable
            form = self.pick(("coalesce({0}, {1})", "case when {2} then {0} else {1} end", "case when {2} then {0} end", "nullif({0}, {1})"))
            if kind == "json" and form.startswith("nullif"):
                form = "coalesce({0}, {1})"
            return Expression(form.format(left.sql, right.sql, self.condition(columns, depth - 1) if "{2}" in form else ""), kind, None, stable)
        if leaf and roll < 0.93:
            return leaf
        return Expression(self.pick(query_types.CONSTANTS[kind]), kind, None, kind != "json")

    def number(self, columns, depth: int) -> Expression:
        """Any expression of a number type."""
        if depth > 0 and self.has_others(columns) and self.chance(0.25) and (made := self.operation(("int", "big", "num"), columns, depth)):
            return made
        leaf = self.leaf(columns, NUMBERS)
        roll = self.random.random()
        if depth <= 0 or roll < 0.3:
            if leaf and self.chance(0.85):
                return leaf
            if self.chance(0.5):
                value = self.small_integer()
                return Expression(f"({value})" if value < 0 else str(value), "int", abs(value))
            value = f"{self.random.uniform(0, 20):.{self.pick((1, 2, 3))}f}"
            return Expression(value, "num", 20)
        if roll < 0.72:
            return self.arithmetic(columns, depth)
        if roll < 0.78:
            return self.number_function(columns, depth)
        if roll < 0.84:
            return self.extract(columns)
        if roll < 0.90:
            return self.text_length(columns, depth)
        if roll < 0.93:
            return self.day_difference(columns)
        if roll < 0.96:
            return self.number_cast(columns, depth)
        return self.conditional(columns, depth, NUMBERS)

    def arithmetic(self, columns, depth: int) -> Expression:
        left, right = self.number(columns, depth - 1), self.number(columns, depth - 1)
        operator = self.pick(("+", "-", "*", "*", "+", "-", "/", "%"))
        if operator in "/%":
            return self.quotient(left, operator, right)
        if "flt" in (left.type, right.type):
            limit, result = 1e100, "flt"
        elif "num" in (left.type, right.type):
            limit, result = 1e40, "num"
        else:
            limit, result = (BIGINT_MAX, "big") if "big" in (left.type, right.type) else (INTEGER_MAX, "int")
        a, b = left.bound, right.bound
        if a is None or b is None:
            if result in ("int", "big"):
                return left
            bound = None
        else:
            bound = a * b if operator == "*" else a + b
        if bound is not None and bound > limit:
            if result != "int" or bound > BIGINT_MAX:
                return left
            left, result = dataclasses.replace(left, sql=f"{left.sql}::bigint" if self.simple(left) else f"({left.sql})::bigint"), "big"
        return Expression(f"({left.sql} {operator} {right.sql})", result, bound, left.stable and right.stable)

    @staticmethod
    def simple(expression: Expression) -> bool:
        return all(letter.isalnum() or letter in "_." for letter in expression.sql)

    def quotient(self, left: Expression, operator: str, right: Expression) -> Expression:
        if "flt" in (left.type, right.type) and operator == "%":
            return left
        divisor = f"nullif({right.sql}, 0)" if self.chance(0.7) else str(self.random.randint(1, 12))
        if divisor.isdigit():
            right = Expression(divisor, "int", int(divisor))
        types = (left.type, right.type)
        result = next(kind for kind in ("flt", "num", "big", "int") if kind in types)
        if result in ("int", "big"):
            return Expression(f"({left.sql} {operator} {divisor})", result, left.bound if operator == "/" else right.bound)
        return Expression(f"({left.sql} {operator} {divisor})", result, None, False)

    def number_function(self, columns, depth: int) -> Expression:
        inner = self.number(columns, depth - 1)
        if inner.type in ("int", "big"):
            return dataclasses.replace(inner, sql=f"abs({inner.sql})", domain=None)
        if inner.type == "flt":
            return dataclasses.replace(inner, sql=f"abs({inner.sql})")
        digits = self.random.randint(0, 3)
        sql = self.pick((f"round({inner.sql}, {digits})", f"abs({inner.sql})", f"(- {inner.sql})"))
        stable = inner.stable or sql.startswith("round")
        return Expression(sql, "num", inner.bound and inner.bound + 1, stable)

    def number_cast(self, columns, depth: int) -> Expression:
        inner = self.number(columns, depth - 1)
        target = self.pick(("bigint", "numeric", "double precision", "integer", "numeric(20,3)"))
        if inner.bound is None or inner.bound > 1e9:
            target = "double precision" if inner.type != "flt" else "numeric"
        types = {"bigint": "big", "integer": "int", "double precision": "flt"}
        stable = target in ("bigint", "integer", "numeric(20,3)") or (inner.stable and inner.type != "flt" and target == "numeric")
        return Expression(f"cast({inner.sql} as {target})", types.get(target, "num"), inner.bound and inner.bound + 1, stable)

    def extract(self, columns) -> Expression:
        day = self.leaf(columns, ("date", "ts"))
        if not day:
            return Expression("1", "int", 1)
        field, bound = self.pick((("year", 10_000), ("month", 12), ("day", 31), ("quarter", 4), ("dow", 6), ("doy", 366), ("week", 53)))
        return Expression(f"extract({field} from {day.sql})", "num", bound)

    def text_length(self, columns, depth: int) -> Expression:
        text = self.text(columns, depth - 1)
        if self.chance(0.3) and text.words:
            return Expression(f"position('{self.pick(text.words)}' in {text.sql})", "int", 1_000)
        return Expression(f"length({text.sql})", "int", 1_000)

    def day_difference(self, columns) -> Expression:
        left, right = self.leaf(columns, ("date",)), self.leaf(columns, ("date",))
        if not left or not right:
            return Expression("2", "int", 2)
        return Expression(f"({left.sql} - {right.sql})", "int", 10_000)

    def text(self, columns, depth: int) -> Expression:
        if depth > 0 and self.has_others(columns) and self.chance(0.3) and (made := self.operation(("text",), columns, depth)):
            return made
        leaf = self.leaf(columns, ("text", "char"))
        if not leaf:
            return Expression("'constant'::text", "text")
        if depth <= 0 or self.chance(0.5):
            return leaf
        inner = self.text(columns, depth - 1)
        roll = self.random.randint(0, 6)
        if roll == 0:
            return Expression(f"upper({inner.sql})", "text")
        if roll == 1:
            return Expression(f"lower({inner.sql})", "text", words=inner.words)
        if roll == 2:
            start, count = self.random.randint(1, 8), self.random.randint(0, 12)
            return Expression(f"substring({inner.sql} from {start} for {count})", "text", words=inner.words)
        if roll == 3:
            other = self.text(columns, depth - 1)
            return Expression(f"({inner.sql} || '{self.pick(('-', ' ', ''))}' || {other.sql})", "text", words=inner.words)
        if roll == 4:
            return Expression(f"replace({inner.sql}, '{self.pick(inner.words or ('a',))}', '{self.pick(('', 'X', 'longer text'))}')", "text")
        if roll == 5:
            return Expression(f"trim({inner.sql})", "text", words=inner.words)
        return self.conditional(columns, depth, ("text",))

    def moment(self, columns, depth: int) -> Expression:
        leaf = self.leaf(columns, ("date", "ts"))
        if not leaf:
            return Expression(self.date_constant().split(" +")[0].split(" -")[0], "date")
        if depth <= 0 or self.chance(0.6):
            return leaf
        if self.chance(0.15):
            stride = self.pick(("1 day", "7 days", "36 hours", "90 minutes", "100 days"))
            return Expression(f"date_bin('{stride}', {leaf.sql}::timestamp, timestamp '1995-06-17 12:00')", "ts")
        if leaf.type == "date" and self.chance(0.5):
            return Expression(f"({leaf.sql} {self.pick('+-')} {self.random.randint(0, 400)})", "date")
        amount = f"interval '{self.random.randint(1, 14)}' {self.pick(('day', 'month', 'year', 'hour'))}"
        return Expression(f"({leaf.sql} {self.pick('+-')} {amount})", "ts")

    def conditional(self, columns, depth: int, types) -> Expression:
        """CASE, COALESCE or NULLIF over two values of one type."""
        make = self.number if types is NUMBERS else self.text
        left, right = make(columns, depth - 1), make(columns, depth - 1)
        if types is not NUMBERS:
            left, right = (dataclasses.replace(side, sql=f"{side.sql}::text", type="text") for side in (left, right))
        bound = None if left.bound is None or right.bound is None else max(left.bound, right.bound)
        result = left.type if left.type == right.type else next((kind for kind in ("flt", "num", "big", "int") if kind in (left.type, right.type)), "text")
        stable = left.stable and right.stable and result not in ("num", "flt")
        roll = self.random.random()
        if roll < 0.5:
            condition = self.condition(columns, depth - 1)
            otherwise = "" if self.chance(0.2) else f" else {right.sql}"
            second = f" when {self.condition(columns, depth - 1)} then {right.sql}" if self.chance(0.3) else ""
            if not second and not otherwise:
                result, stable, bound = left.type, left.stable, left.bound
            return Expression(f"case when {condition} then {left.sql}{second}{otherwise} end", result, bound, stable)
        if roll < 0.8:
            return Expression(f"coalesce({left.sql}, {right.sql})", result, bound, stable)
        return Expression(f"nullif({left.sql}, {self.constant(left)})", left.type, left.bound, left.stable)

    def value(self, columns, depth: int) -> Expression:
        if self.has_others(columns) and self.chance(0.45):
            return self.of_type(self.pick([column.type for column in columns if column.type in OTHER_TYPES]), columns, depth)
        if depth > 0 and self.outer_rows <= 3_000 and self.chance(0.06) and (made := self.scalar_subquery(columns)):
            return made
        roll = self.random.random()
        if roll < 0.5:
            return self.number(columns, depth)
        if roll < 0.75:
            return self.text(columns, depth)
        if roll < 0.93:
            return self.moment(columns, depth)
        return Expression(f"({self.condition(columns, depth - 1)})", "bool")

    def scalar_subquery(self, columns) -> Expression | None:
        """The value of a subquery over a table that has the same key as one of the columns."""
        found = self.keyed_table(columns)
        if not found:
            return None
        name, alias, local, inner, outer = found
        where = [f"{inner.sql} {self.pick(('=', '=', '=', '<'))} {outer.sql}"] + ([self.condition(local, 0)] if self.chance(0.3) else [])
        value = self.stable_key(local)
        if value.type in EXTREME_TYPES and self.chance(0.4):
            made = dataclasses.replace(value, sql=f"{self.pick(('min', 'max'))}({value.sql})", domain=None)
        elif value.type != "bool" and self.chance(0.3):
            made = Expression(f"cardinality(array_agg(distinct {value.sql}))", "int", 1e7)
        else:
            made = Expression("count(*)", "big", 1e7)
        text = f"select {made.sql} from {name} as {alias} where {' and '.join(where)}"
        if self.chance(0.15) and value.type not in ("bool", "json"):
            made = dataclasses.replace(value, domain=None)
            text = f"select {value.sql} from {name} as {alias} where {' and '.join(where)} order by 1 limit 1"
        return dataclasses.replace(made, sql=f"({text})", values=(), words=())

    def keyed_table(self, columns):
        keys = [column for column in columns if column.domain]
        if not keys:
            return None
        outer = self.pick(keys)
        names = [name for name, own in TABLES.items() if any(column.domain == outer.domain for column in own) and ROWS[name] * self.outer_rows <= SUBQUERY_PAIRS_MAX / 4]
        if not names:
            return None
        name, alias = self.pick(names), self.alias()
        local = [dataclasses.replace(column, sql=f"{alias}.{column.sql}") for column in TABLES[name]]
        return name, alias, local, self.pick([column for column in local if column.domain == outer.domain]), outer

    # Conditions

    def condition(self, columns, depth: int) -> str:
        roll = self.random.random()
        if depth > 0 and roll < 0.25:
            joined = self.pick((" and ", " or ", " or ")).join(self.condition(columns, depth - 1) for _ in range(self.random.randint(2, 3)))
            return f"({joined})"
        if depth > 0 and roll < 0.30:
            return f"not ({self.condition(columns, depth - 1)})"
        if depth > 0 and roll < 0.32:
            return f"({self.condition(columns, depth - 1)}) is {self.pick(('true', 'not true', 'false', 'not false', 'unknown', 'not unknown'))}"
        if self.has_others(columns) and self.chance(0.4):
            return self.other_condition(columns, depth)
        if roll > 0.96 and (rows := self.row_comparison(columns)):
            return rows
        if depth > 0 and roll < 0.50 and (subquery := self.subquery(columns)):
            return subquery
        subject = self.value(columns, max(0, depth - 1) if self.chance(0.3) else 0)
        if columns and not self.uses(subject, columns):
            subject = self.leaf(columns, (*NUMBERS, "date", "ts", "text", "char", "bool")) or subject
        if subject.type == "bool":
            return subject.sql
        return self.comparison(subject, columns)

    def other_condition(self, columns, depth: int) -> str:
        """About a value of one of the types that are no numbers, texts or dates."""
        if self.chance(0.35) and (made := self.operation(("bool",), columns, max(depth, 1))):
            return made.sql
        kind = self.pick([column.type for column in columns if column.type in OTHER_TYPES])
        subject = self.of_type(kind, columns, depth if self.chance(0.3) else 0)
        if kind == "json" or self.chance(0.08):
            return f"{subject.sql} is {self.pick(('null', 'not null'))}"
        constants = query_types.CONSTANTS[kind]
        roll = self.random.random()
        some = ", ".join("null" if self.chance(0.05) else self.pick(constants) for _ in range(self.random.randint(1, 4)))
        sign = self.pick(("=", "<>", "<", "<=", ">", ">="))
        if roll < 0.15:
            return f"{subject.sql} {self.pick(('', 'not '))}in ({some})"
        if roll < 0.25:
            return f"{subject.sql} {sign} {self.pick(('any', 'all'))} (array[{some}]::{query_types.CASTS[kind]}[])" if kind not in ("ints", "texts") else f"{subject.sql} {sign} {self.pick(constants)}"
        if roll < 0.35:
            return f"{subject.sql} {self.pick(('', 'not '))}between {self.pick(constants)} and {self.pick(constants)}"
        other = self.of_type(kind, columns, 0).sql if roll < 0.6 else self.pick(constants)
        if roll > 0.9:
            return f"{subject.sql} is {self.pick(('', 'not '))}distinct from {other}"
        return f"{subject.sql} {sign} {other}"

    def row_comparison(self, columns) -> str | None:
        """A condition about a row of two or three columns; null stands for some constants."""
        fitting = [column for column in columns if column.type not in ("bool", "json")]
        if not fitting:
            return None
        parts = [self.pick(fitting) for _ in range(self.random.randint(2, 3))]
        row = f"({', '.join(part.sql for part in parts)})"
        roll = self.random.random()
        if roll < 0.1:
            return f"{row} is {self.pick(('null', 'not null'))}"

        def constants() -> str:
            return f"({', '.join('null' if self.chance(0.05) else self.constant(part) for part in parts)})"

        if roll < 0.6:
            return f"{row} {self.pick(('<', '<=', '>', '>=', '<>', '='))} {constants()}"
        if roll < 0.7:
            return f"{row} is {self.pick(('', 'not '))}distinct from {constants()}"
        if roll < 0.85:
            return f"{row} {self.pick(('', 'not '))}between {constants()} and {constants()}"
        return f"{row} {self.pick(('not ', 'not ', ''))}in ({', '.join(constants() for _ in range(self.random.randint(1, 4)))})"

    def subquery(self, columns) -> str | None:
        """A condition with a subquery over a table that has the same key as one of the columns; none where it would take too long."""
        keys = [column for column in columns if column.domain]
        if not keys or self.outer_rows > SUBQUERY_ROWS_MAX:
            return None
        outer = self.pick(keys)
        names = [name for name, own in TABLES.items() if any(column.domain == outer.domain for column in own) and ROWS[name] * self.outer_rows <= SUBQUERY_PAIRS_MAX]
        if not names:
            return None
        name, alias = self.pick(names), self.alias()
        local = [dataclasses.replace(column, sql=f"{alias}.{column.sql}") for column in TABLES[name]]
        inner = self.pick([column for column in local if column.domain == outer.domain])
        outer_rows, self.outer_rows = self.outer_rows, self.outer_rows * ROWS[name]
        where = [self.condition(local, 1)] if self.chance(0.6) else []
        self.outer_rows = outer_rows
        roll = self.random.random()
        if roll < 0.3:
            where.append(f"{inner.sql} = {outer.sql}")
            one, other = self.leaf(local, ("int", "num")), self.leaf(columns, ("int", "num"))
            if one and other and self.chance(0.4):
                where.append(f"{one.sql} {self.pick(('<', '<>', '>='))} {other.sql}")
            return f"{self.pick(('', 'not '))}exists (select * from {name} as {alias} where {' and '.join(where)})"
        if roll < 0.6:
            one, other = self.leaf(local, ("int",)), self.leaf(columns, ("int",))
            if one and other and self.chance(0.3):
                where.append(f"{one.sql} = {other.sql}")
            selected = f"nullif({inner.sql}, {self.random.randint(1, 9)})" if self.chance(0.15) else inner.sql
            text = f"select {selected} from {name} as {alias}" + (" where " + " and ".join(where) if where else "")
            if self.chance(0.15):
                text += f" group by {inner.sql} having count(*) {self.pick('<>')} {self.random.randint(1, 6)}"
                text = text.replace(selected, inner.sql, 1)
            return f"{outer.sql} {self.pick(('in', 'in', 'not in', '= any', '<> all', '> all', '< any'))} ({text})"
        if self.chance(0.7):
            where.append(f"{inner.sql} = {outer.sql}")
        number = self.leaf(local, ("int", "num"))
        subject = self.leaf(columns, ("int", "num"))
        if not number or not subject:
            return None
        value = self.pick((f"max({number.sql})", f"min({number.sql})", f"avg({number.sql}) * 0.5", f"sum({number.sql})", "count(*)", f"coalesce(sum({number.sql}), -1)"))
        return f"{subject.sql} {self.pick(('<', '<=', '>', '>=', '<>'))} (select {value} from {name} as {alias}" + (" where " + " and ".join(where) if where else "") + ")"

    def range(self, subject: Expression) -> tuple[str, str]:
        low, high = self.constant(subject), self.constant(subject)
        if subject.type in NUMBERS and float(low) > float(high) and self.chance(0.95):
            low, high = high, low
        elif low > high and subject.type not in NUMBERS and self.chance(0.95):
            low, high = high, low
        return low, high

    def operator(self, subject: Expression) -> str:
        """Equality seldom holds for a random constant: mostly for texts and small numbers."""
        often = subject.values or (subject.type in ("int", "big", "num") and subject.bound is not None and subject.bound <= 60)
        return self.pick(("=", "<>", "<", "<=", ">", ">=") if often else ("<>", "<", "<=", ">", ">=", "<", ">", "<=", ">=") if self.chance(0.95) else ("=",))

    def comparison(self, subject: Expression, columns) -> str:
        roll = self.random.random()
        if subject.type == "bool":
            return subject.sql
        if subject.type in OTHER_TYPES:
            return f"{subject.sql} {self.pick(('<', '<=', '>', '>=', '<>', '='))} {self.constant(subject)}" if subject.type != "json" else f"{subject.sql} is not null"
        if roll < 0.06:
            return f"{subject.sql} is {self.pick(('null', 'not null', 'not null'))}"
        if 0.06 < roll < 0.10:
            some = ", ".join([self.constant(subject), *("null" if self.chance(0.1) else self.constant(subject) for _ in range(self.random.randint(0, 3)))])
            return f"{subject.sql} {self.pick(('=', '<>', '<', '<=', '>', '>='))} {self.pick(('any', 'all'))} (array[{some}])" if subject.type != "char" else f"{subject.sql} is null"
        if roll < 0.18:
            low, high = self.range(subject)
            return f"{subject.sql} {self.pick(('', '', 'not '))}between {low} and {high}"
        if roll < 0.30:
            constants = [self.constant(subject) for _ in range(self.random.randint(1, 6))]
            if self.chance(0.06):
                constants.append("null")
            rare = subject.type == "num" or (subject.type in NUMBERS and (subject.bound or 1e9) > 1_000) or (subject.type in ("text", "char") and not subject.values)
            return f"{subject.sql} {self.pick(('not ',) if rare and self.chance(0.8) else ('', '', 'not '))}in ({', '.join(constants)})"
        if subject.type in ("text", "char") and roll < 0.65:
            return f"{subject.sql} {self.pick(('', '', '', 'not '))}like {self.pattern(subject)}"
        operator = self.operator(subject)
        if roll < 0.85:
            return f"{subject.sql} {operator} {self.constant(subject)}"
        families = (NUMBERS, ("date", "ts"), ("text", "char"))
        family = next(family for family in families if subject.type in family)
        other = self.leaf(columns, family)
        if other and subject.type in ("date", "ts") and self.chance(0.2):
            period = self.pick((f"{other.sql}::timestamp, interval '{self.random.randint(-40, 400)} days'", f"{other.sql}::timestamp, ({self.constant(subject)})::timestamp"))
            return f"({subject.sql}::timestamp, ({self.constant(subject)})::timestamp) overlaps ({period})"
        if other and self.chance(0.15):
            return f"{subject.sql} is {self.pick(('', 'not '))}distinct from {other.sql}"
        return f"{subject.sql} {operator} {other.sql if other else self.constant(subject)}"

    def pattern(self, subject: Expression) -> str:
        word = self.pick(subject.words or ("a", "e"))
        other = self.pick(subject.words or ("i", "o"))
        return "'" + self.pick((f"%{word}%", f"{word}%", f"%{word}", f"%{word}%{other}%", f"_%{word}%", f"%{word}_", "%", "_____%", word)) + "'"

    # FROM

    def table(self) -> Source:
        name = self.random.choices(list(TABLE_WEIGHTS), weights=[0 if self.is_plain and name in query_types.TABLE_ROWS else weight for name, weight in TABLE_WEIGHTS.items()])[0]
        alias = self.alias()
        columns = [dataclasses.replace(column, sql=f"{alias}.{column.sql}") for column in TABLES[name]]
        unique = next((column for column in columns if column.sql == f"{alias}.{UNIQUE.get(name)}"), None)
        return Source(f"{name} {self.pick(('', 'as '))}{alias}", columns, ROWS[name], unique=unique)

    def series(self) -> Source:
        """generate_series over some values of a key and others."""
        alias, domain = self.alias(), self.pick(("region", "nation", "supplier", "customer"))
        first, last = self.random.randint(-3, 5), self.random.randint(0, min(DOMAINS[domain], 300))
        step = self.pick((1, 1, 1, 2, 7, -1))
        series = f"generate_series({first}, {last}, {step})" if step != 1 or self.chance(0.2) else f"generate_series({first}, {last})"
        columns = [Expression(f"{alias}.x", "int", 300, domain=domain)]
        if self.chance(0.3):
            columns.append(Expression(f"{alias}.n", "big", 400))
            return Source(f"{series} with ordinality as {alias} (x, n)", columns, 300)
        return Source(f"{series} as {alias} (x)", columns, 300)

    def recursion(self) -> Source:
        """A recursion of WITH from some rows of a table: up to a number, through the rows of a table, or over the values of an array."""
        name, alias = self.pick(("nation", "region", "few_kinds")), self.alias()
        start = self.alias()
        local = [dataclasses.replace(column, sql=f"{start}.{column.sql}") for column in TABLES[name]]
        keyed = self.pick([column for column in local if column.domain])
        where = f" where {self.condition(local, 1)}" if self.chance(0.7) else ""
        table = f"w{alias}"
        all_rows = self.chance(0.6)
        union = "union all" if all_rows else "union"
        form = self.pick(("count", "count", "join", "text"))
        if form == "count":
            limit, step = self.random.randint(0, 24), self.random.randint(1, 4)
            text = f"select {keyed.sql}, 0 from {name} as {start}{where} {union} select c1 + {step}, c2 + 1 from {table} where c1 < {limit} and c2 < 8"
            second = Expression(f"{alias}.c2", "int", 10)
        elif form == "join":
            walked = self.alias()
            extra = self.pick(("", f" and {walked}.n_name <> 'PERU'", f" and c2 <> {walked}.n_regionkey"))
            text = f"select {keyed.sql}, 0 from {name} as {start}{where} {union} select {walked}.n_nationkey, c2 + 1 from {table} join nation as {walked} on {walked}.n_nationkey {self.pick(('=', '= 1 +', '= 3 +'))} c1{extra} where c2 < {self.random.randint(1, 5)}"
            second = Expression(f"{alias}.c2", "int", 10)
        else:
            text = f"select {keyed.sql}, 'x'::text from {name} as {start}{where} {union} select c1, c2 || left(c1::text, 1) from {table} where length(c2) < {self.random.randint(2, 6)}"
            second = Expression(f"{alias}.c2", "text", words=("x", "1"))
        self.tables.append((f"{table} (c1, c2)", text, "recursive"))
        return Source(f"{table} as {alias}", [Expression(f"{alias}.c1", "int", 40, domain=keyed.domain), second], 300)

    def derived(self, depth: int) -> Source:
        query, rows = self.query(depth, top=False)
        alias = self.alias()
        names, columns = [], []
        for number, (item, _) in enumerate(query.select, 1):
            names.append(f"c{number}")
            columns.append(dataclasses.replace(item, sql=f"{alias}.c{number}"))
        if self.chance(0.2):
            query.select = [(item, name) for (item, _), name in zip(query.select, names)]
            self.tables.append((f"w{alias}", query.sql().replace("\n", " "), self.pick(("", "", "materialized ", "not materialized "))))
            return Source(f"w{alias} as {alias}", columns, rows)
        if self.chance(0.5):
            query.select = [(item, name) for (item, _), name in zip(query.select, names)]
            text, heading = query.sql(), alias
        else:
            query.select = [(item, "") for item, _ in query.select]
            text, heading = query.sql(), f"{alias} ({', '.join(names)})"
        return Source("(" + text.replace("\n", " ") + f") as {heading}", columns, rows)

    def united(self) -> Source:
        """A derived table that is a set operation over two tables."""
        left, right = self.table(), self.table()
        pairs = [(a, b) for a in left.columns for b in right.columns if a.type == b.type and a.type in KEY_TYPES and a.stable and b.stable]
        if not pairs:
            return left
        chosen = [self.pick(pairs) for _ in range(self.pick((1, 1, 2, 3)))]
        keys = self.key_pairs(left, right)
        if keys:
            chosen.insert(0, self.pick(keys))
        alias = self.alias()
        operation = self.pick(("union", "union", "union all", "union all", "intersect", "except", "intersect all", "except all"))
        sides = []
        for number, side in enumerate((left, right)):
            items = ", ".join(pair[number].sql + (f" as c{n}" if number == 0 else "") for n, pair in enumerate(chosen, 1))
            sides.append(f"select {items} from {side.sql}" + (f" where {self.condition(side.columns, 1)}" if self.chance(0.7) else ""))
        columns = []
        for number, (a, b) in enumerate(chosen, 1):
            bound = None if a.bound is None or b.bound is None else max(a.bound, b.bound)
            columns.append(Expression(f"{alias}.c{number}", a.type, bound, domain=a.domain if a.domain == b.domain else None))
        if self.chance(0.25):
            third = self.pick(("union", "union all", "except", "except all", "intersect", "intersect all"))
            values = ", ".join(f"null::{query_types.CASTS[a.type]}" if self.chance(0.3) else f"{pair[0].sql}" for pair in chosen for a in pair[:1])
            sides[1] = f"({sides[1]}) {third} (select {values} from {left.sql}{self.pick(('', f' limit 0'))})"
        return Source(f"({sides[0]} {operation} {sides[1]}) as {alias}", columns, left.rows + right.rows)

    def lateral(self, left: Source) -> Source | None:
        """A subquery in FROM that reads the items before it."""
        keys = [column for column in left.columns if column.domain]
        if not keys or left.rows > SUBQUERY_ROWS_MAX:
            return None
        outer = self.pick(keys)
        names = [name for name, own in TABLES.items() if any(column.domain == outer.domain for column in own) and ROWS[name] * left.rows <= SUBQUERY_PAIRS_MAX]
        if not names:
            return None
        name, alias, inside = self.pick(names), self.alias(), self.alias()
        local = [dataclasses.replace(column, sql=f"{inside}.{column.sql}") for column in TABLES[name]]
        inner = self.pick([column for column in local if column.domain == outer.domain])
        grouped = self.chance(0.6)
        operator = "=" if not grouped or self.chance(0.7) else self.pick(("<", ">", "<>"))
        where = [f"{inner.sql} {operator} {outer.sql}"] + ([self.condition(local, 1)] if self.chance(0.4) else [])
        number = self.leaf(local, ("int", "num"))
        text = self.leaf(local, ("text", "char", "date"))
        if not number or not text:
            return None
        if grouped:
            items = [Expression("count(*)", "big", 1e7), dataclasses.replace(number, sql=f"max({number.sql})", domain=None), dataclasses.replace(text, sql=f"min({text.sql})")]
            rows = left.rows
        else:
            items = [inner, number, text]
            rows = left.rows * ROWS[name] / DOMAINS[outer.domain]
        kind = self.pick((", lateral {}", " cross join lateral {}", " left join lateral {} on true"))
        if rows > ROWS_MAX or ("left" not in kind and left.inner_conditions and kind[0] != ","):
            return None
        selected = ", ".join(f"{item.sql} as c{n}" for n, item in enumerate(items, 1))
        query = f"(select {selected} from {name} as {inside} where {' and '.join(where)}) as {alias}"
        columns = [dataclasses.replace(item, sql=f"{alias}.c{n}") for n, item in enumerate(items, 1)]
        return Source(left.sql + kind.format(query), left.columns + columns, rows, left.inner_conditions)

    def lateral_set(self, left: Source) -> Source | None:
        """A function in FROM that makes rows of those before it."""
        if left.rows > 3_000:
            return None
        alias = self.alias()
        forms = []
        if ints := self.leaf(left.columns, ("ints",)):
            forms.append((f"unnest({ints.sql})", Expression(f"{alias}.x", "int", 100)))
        if texts := self.leaf(left.columns, ("texts",)):
            forms.append((f"unnest({texts.sql})", Expression(f"{alias}.x", "text", words=("a", "b"))))
        if document := self.leaf(left.columns, ("jsonb",)):
            forms.append((f"jsonb_path_query({document.sql}, '$.*')", Expression(f"{alias}.x", "jsonb")))
            forms.append((f"jsonb_array_elements(case when jsonb_typeof({document.sql}) = 'array' then {document.sql} end)", Expression(f"{alias}.x", "jsonb")))
        if number := self.leaf(left.columns, ("int",)):
            forms.append((f"generate_series(1, least({number.sql}, 5))", Expression(f"{alias}.x", "int", 5)))
        if text := self.leaf(left.columns, ("text",)):
            forms.append((f"string_to_table(left({text.sql}, 30), 'a')", Expression(f"{alias}.x", "text", words=("b", " "))))
        if not forms:
            return None
        call, column = self.pick(forms)
        columns, heading = [column], f"{alias} (x)"
        if self.chance(0.4):
            call, heading = f"{call} with ordinality", f"{alias} (x, n)"
            columns.append(Expression(f"{alias}.n", "big", 100))
        kind = self.pick((", {}", " cross join lateral {}", " left join lateral {} on true"))
        if left.inner_conditions and kind[0] != ",":
            return None
        return Source(left.sql + kind.format(f"{call} as {heading}"), left.columns + columns, left.rows * 2, left.inner_conditions)

    def source(self, depth: int) -> Source:
        roll = self.random.random()
        if depth > 0 and self.chance(0.05):
            return self.recursion()
        if depth > 0 and roll > 0.93:
            return self.united()
        if depth > 0 and roll < 0.2:
            return self.derived(depth - 1)
        if depth > 0 and roll < 0.28:
            left, right = self.table(), self.table()
            joined = self.join(left, right, self.pick(("join", "left join")))
            if joined:
                joined.sql = f"({joined.sql})"
                return joined
        return self.series() if roll > 0.93 else self.table()

    def key_pairs(self, left: Source, right: Source):
        return [(a, b) for a in left.columns for b in right.columns if a.domain and a.domain == b.domain]

    def join_condition(self, left: Source, right: Source) -> tuple[str, float] | None:
        """The ON condition and about how many rows fulfil it."""
        pairs = self.key_pairs(left, right)
        product = left.rows * right.rows
        if pairs and self.chance(0.9):
            a, b = self.pick(pairs)
            rows = product / DOMAINS[a.domain]
            conditions = [f"{a.sql} = {b.sql}" if self.chance(0.5) else f"{b.sql} = {a.sql}"]
            others = [(c, d) for c, d in pairs if (c, d) != (a, b)]
            if others and self.chance(0.3):
                c, d = self.pick(others)
                conditions.append(f"{c.sql} = {d.sql}")
                if c.domain != a.domain:
                    rows = max(rows / DOMAINS[c.domain], min(left.rows, right.rows))
            return " and ".join(conditions), rows
        a, b = self.leaf(left.columns, ("int",)), self.leaf(right.columns, ("int", "num"))
        if not a or not b or product > ROWS_MAX:
            return None
        return f"{a.sql} {self.pick(('<', '<=', '>', '<>', '='))} {b.sql}", product * 0.6

    def join(self, left: Source, right: Source, kind: str) -> Source | None:
        columns = left.columns + right.columns
        if kind == "cross join":
            if left.rows * right.rows > ROWS_MAX / 3:
                return None
            return Source(f"{left.sql} cross join {right.sql}", columns, left.rows * right.rows, left.inner_conditions)
        found = self.join_condition(left, right)
        if not found:
            return None
        condition, rows = found
        if kind == "full join":
            # PostgreSQL takes equalities only.
            if not self.key_pairs(left, right) or any(sign in condition for sign in "<>"):
                return None
            rows = max(rows, left.rows, right.rows)
        elif kind != "comma" and self.chance(0.25):
            condition += " and " + self.condition(columns, 1)
        if rows > ROWS_MAX:
            return None
        if kind == "comma":
            return Source(f"{left.sql}, {right.sql}", columns, rows, left.inner_conditions + [condition])
        if kind == "left join":
            rows = max(rows, left.rows)
        if kind == "right join":
            rows = max(rows, right.rows)
        return Source(f"{left.sql} {kind} {right.sql} on {condition}", columns, rows, left.inner_conditions)

    def joined_sources(self, depth: int) -> Source:
        count = self.random.choices((1, 2, 3, 4, 5, 6), weights=(20, 30, 25, 12, 8, 5))[0]
        commas = self.chance(0.4)
        result = self.source(depth)
        for _ in range(count - 1):
            for _ in range(8):
                kind = "comma" if commas else self.pick(("join", "join", "inner join", "left join", "left join", "left outer join", "right join", "full join", "cross join"))
                right = self.source(depth)
                joined = self.join(result, right, "left join" if kind == "left outer join" else kind)
                if joined:
                    result = joined
                    break
        if commas or count < 3:
            joined = self.lateral(result) if self.chance(0.15) else self.lateral_set(result) if self.chance(0.15) else None
            result = joined or result
        return result

    # Queries

    def query(self, depth: int, top: bool = True) -> tuple[Query, float]:
        source = self.joined_sources(depth)
        self.outer_rows = source.rows
        where = [self.condition(source.columns, 2) for _ in range(self.random.choices((0, 1, 2, 3), weights=(3, 5, 2, 1))[0])]
        make = self.aggregation if self.chance(0.5) else self.selection
        made = make(source, where, top)
        self.outer_rows = float("inf")
        return made

    def selection(self, source: Source, where, top: bool) -> tuple[Query, float]:
        items = [self.value(source.columns, self.pick((0, 0, 1, 2))) for _ in range(self.random.randint(1, 5))]
        keys = [column for column in source.columns if column.domain]
        if not top and keys:
            items.insert(0, self.pick(keys))
        if source.rows <= 200_000 and self.chance(0.15):
            items += [self.window_function(source.columns) for _ in range(self.random.randint(1, 2))]
        if source.unique and self.chance(0.15):
            items.append(self.row_window(source))
        if source.rows <= 3_000 and self.chance(0.06):
            items.append(self.set_in_list(source.columns))
        query = Query([(item, self.alias_or_none(n, top)) for n, item in enumerate(items, 1)], source, where)
        stable = all(item.stable and item.type != "flt" for item in items)
        if stable and self.chance(0.15):
            query.distinct = True
        elif stable and top and source.rows <= 100_000 and all("over (" not in item.sql and "(select" not in item.sql and not item.is_set for item in items) and self.chance(0.12):
            return self.distinct_on(query), source.rows
        rows = source.rows
        if top:
            if self.chance(0.5) or (rows > ROWS_RETURNED_MAX and stable):
                self.add_order(query)
            if query.order and stable and (rows > ROWS_RETURNED_MAX or self.chance(0.4)):
                self.add_limit(query)
            elif rows > ROWS_RETURNED_MAX and not query.limit:
                query.where.append(self.thinning(source))
        return query, rows

    def distinct_on(self, query: Query) -> Query:
        """The first row of each group in a total order."""
        query.distinct_on = self.random.randint(1, len(query.select))
        query.select = [(item, alias or f"x{n}") for n, (item, alias) in enumerate(query.select, 1)]
        # A constant is no key, and a number is a position.
        if any(not self.uses(item, query.source.columns) for item, _ in query.select[: query.distinct_on]):
            query.distinct_on = 0
            return query
        for position in range(1, len(query.select) + 1):
            query.order.append(f"{position}{self.pick(('', ' desc'))}{self.pick(('', '', ' nulls first', ' nulls last'))}")
        if self.chance(0.3):
            self.add_limit(query)
        return query

    def row_window(self, source: Source) -> Expression:
        """A function that looks at rows by their place, in a total order."""
        value = self.value(source.columns, 0)
        number = Expression("", "big", 1e7)
        made = self.pick((
            dataclasses.replace(number, sql="row_number()"), Expression(f"ntile({self.random.randint(1, 9)})", "int", 9),
            *(dataclasses.replace(value, sql=f"{name}({value.sql}{more})", domain=None) for name, more in (("lag", ""), ("lead", f", {self.random.randint(0, 3)}"), ("first_value", ""), ("last_value", ""), ("nth_value", f", {self.random.randint(1, 4)}"))),
            dataclasses.replace(number, sql="count(*)"), Expression(f"cardinality(array_agg({value.sql}))" if value.type not in ("ints", "texts") else "count(*)", "int", 1e7),
        ))  # fmt: skip
        parts = [f"partition by {self.stable_key(source.columns).sql}"] if self.chance(0.5) else []
        parts.append(f"order by {self.stable_key(source.columns).sql + self.pick((', ', ' desc, ')) if self.chance(0.6) else ''}{source.unique.sql}{self.pick(('', ' desc'))}")
        if not made.sql.startswith(("row", "ntile", "lag", "lead")) and self.chance(0.6):
            low, high = sorted((self.random.randint(-4, 4), self.random.randint(-4, 4)))
            start = f"{abs(low)} {'preceding' if low < 0 else 'following'}" if self.chance(0.7) else "unbounded preceding"
            end = f"{abs(high)} {'preceding' if high < 0 else 'following'}" if self.chance(0.7) else "unbounded following"
            parts.append(f"rows between {start} and {end}{self.pick(('', '', ' exclude current row', ' exclude ties', ' exclude group'))}")
        sql = made.sql
        if sql.startswith("cardinality("):
            return dataclasses.replace(made, sql=f"cardinality({sql[len('cardinality(') : -1]} over ({' '.join(parts)}))", values=(), words=())
        return dataclasses.replace(made, sql=f"{sql} over ({' '.join(parts)})", values=(), words=())

    def set_in_list(self, columns) -> Expression:
        """A function that returns a set, in the select list."""
        forms = [Expression(f"generate_series({self.random.randint(-1, 1)}, {self.random.randint(0, 3)})", "int", 5, is_set=True)]
        if ints := self.leaf(columns, ("ints",)):
            forms += [Expression(f"unnest({ints.sql})", "int", 100, is_set=True), Expression(f"generate_subscripts({ints.sql}, 1)", "int", 100, is_set=True)]
        if texts := self.leaf(columns, ("texts",)):
            forms.append(Expression(f"unnest({texts.sql})", "text", is_set=True))
        if document := self.leaf(columns, ("jsonb",)):
            forms.append(Expression(f"jsonb_path_query({document.sql}, '$.**')", "jsonb", is_set=True))
        return self.pick(forms)

    def window_function(self, columns) -> Expression:
        """A function whose value is the same for all peers, so that it does not matter in which order they come."""
        roll = self.random.random()
        number = self.number(columns, 0)
        value = self.value(columns, 0)
        if roll < 0.35:
            made = Expression(self.pick(("rank()", "dense_rank()")), "big", 1e7)
        elif roll < 0.45:
            made = Expression(self.pick(("cume_dist()", "percent_rank()")), "flt", 1, False)
        elif roll < 0.65 and number.stable and number.type in ("int", "big", "num") and number.bound is not None:
            made = Expression(f"sum({number.sql})", "big" if number.type == "int" else "num", number.bound * 1e6)
        elif roll < 0.8 and value.stable and value.type in EXTREME_TYPES:
            made = dataclasses.replace(value, sql=f"{self.pick(('min', 'max'))}({value.sql})", domain=None)
        else:
            made = Expression("count(*)", "big", 1e7)
        if made.sql.startswith(("sum", "min", "max", "count")) and self.chance(0.2):
            made = dataclasses.replace(made, sql=f"{made.sql} filter (where {self.condition(columns, 1)})")
        parts = []
        if self.chance(0.6):
            parts.append(f"partition by {self.stable_key(columns).sql}")
        keys = [self.stable_key(columns) for _ in range(self.random.choices((0, 1, 2), weights=(2, 5, 2))[0])]
        if keys:
            parts.append("order by " + ", ".join(f"{key.sql}{self.pick(('', '', ' desc', ' nulls first', ' desc nulls last'))}" for key in keys))
        parts += self.frame(keys)
        return dataclasses.replace(made, sql=f"{made.sql} over ({' '.join(parts)})")

    def frame(self, keys) -> list[str]:
        """Nothing, or a frame that begins and ends between peers."""
        if not keys or self.chance(0.5):
            return []
        modes = ["groups"]
        if len(keys) == 1 and keys[0].type in ("int", "big", "num"):
            modes.append("range")
        low, high = sorted((self.random.randint(-3, 20), self.random.randint(-3, 20)))
        starts = ("unbounded preceding", "current row", f"{abs(low)} {'preceding' if low < 0 else 'following'}")
        ends = ("unbounded following", "current row", f"{abs(high)} {'preceding' if high < 0 else 'following'}")
        start, end = self.random.choice(starts), self.random.choice(ends)
        if (start.endswith("following") and end == "current row") or (start == "current row" and end.endswith("preceding")):
            end = "unbounded following"
        if start.endswith("following") and end.endswith("preceding"):
            start = "unbounded preceding"
        exclusion = self.pick(("", "", " exclude group"))
        return [f"{self.pick(modes)} between {start} and {end}{exclusion}"]

    def thinning(self, source: Source) -> str:
        """A condition that leaves few rows, for results too large to be worth sending."""
        keys = [column for column in source.columns if column.domain and DOMAINS[column.domain] >= 100] or [c for c in source.columns if c.type in ("int", "big")]
        if not keys:
            return "1 = 0"
        chosen = self.pick(keys)
        return f"{chosen.sql} % 97 = {self.random.randint(0, 96)}"

    def alias_or_none(self, number: int, top: bool) -> str:
        return f"x{number}" if not top or self.chance(0.7) else ""

    @staticmethod
    def uses(expression: Expression, columns) -> bool:
        return any(column.sql in expression.sql for column in columns)

    def stable_key(self, columns) -> Expression:
        for _ in range(10):
            found = self.value(columns, self.pick((0, 0, 0, 1, 2)))
            # Two subqueries that read alike are not known to be the same.
            if found.stable and found.type in KEY_TYPES and self.uses(found, columns) and "(select" not in found.sql:
                return found
        return self.leaf(columns, KEY_TYPES) or columns[0]

    def aggregate(self, columns, depth: int = 1) -> Expression:
        made = self.bare_aggregate(columns, depth)
        if made.sql.startswith(("count(", "sum(", "avg(", "min(", "max(", "bool_", "bit_", "array_agg(", "string_agg(", "jsonb_agg(")) and made.sql.count("(select") == 0 and self.chance(0.1):
            return dataclasses.replace(made, sql=f"{made.sql} filter (where {self.condition(columns, 0)})")
        return made

    def bare_aggregate(self, columns, depth: int) -> Expression:
        if self.chance(0.1 if self.has_others(columns) else 0.05):
            return self.listed(columns)
        if self.chance(0.06):
            return self.collected(columns)
        roll = self.random.random()
        if roll < 0.2:
            return Expression("count(*)", "big", 1e7)
        if roll < 0.3:
            return Expression(f"count({self.value(columns, depth).sql})", "big", 1e7)
        if roll < 0.38:
            distinct = self.stable_key(columns)
            return Expression(f"count(distinct {distinct.sql})", "big", 1e7)
        if roll < 0.58:
            return self.extreme(columns, depth)
        number = self.number(columns, depth)
        if number.type != "flt" and not number.stable:
            return Expression("count(*)", "big", 1e7)
        if number.type == "flt" or number.bound is None:
            return Expression(f"max({number.sql})", number.type, number.bound, False)
        if roll < 0.75:
            result = {"int": "big", "big": "num", "num": "num"}[number.type]
            return Expression(f"sum({self.distinct_or_not(number)}{number.sql})", result, number.bound * 1e6, True)
        if roll < 0.95:
            return Expression(f"avg({self.distinct_or_not(number)}{number.sql})", "num", number.bound, False)
        return Expression(f"sum(case when {self.condition(columns, 1)} then {number.sql} else 0 end)", {"int": "big", "big": "num", "num": "num"}[number.type], number.bound * 1e6, True)

    def listed(self, columns) -> Expression:
        """Aggregates of many kinds, whose order matters and is given."""
        item = self.stable_key(columns)
        order = f"order by {item.sql}{self.pick(('', ' desc', ' nulls first', ' desc nulls last'))}"
        integer = self.leaf(columns, ("int",))
        forms = [Expression(f"string_agg({item.sql}::text, {self.pick((chr(39) + ',' + chr(39), chr(39) * 2))} {order})", "text"), Expression(f"jsonb_agg({item.sql} {order})", "jsonb", None, False), Expression(f"json_agg({item.sql} {order})", "json", None, False)]
        if item.type == "int":
            forms += [Expression(f"array_agg({item.sql} {order})", "ints"), Expression(f"array_agg(distinct {item.sql} order by {item.sql} desc)", "ints")]
        if item.type == "text":
            forms += [Expression(f"array_agg({item.sql} {order})", "texts"), Expression(f"string_agg(distinct {item.sql}::text, '/' order by {item.sql}::text)", "text")]
        if item.type != "bool":
            forms += [dataclasses.replace(item, sql=f"mode() within group ({order})", domain=None)]
        if integer:
            forms += [
                Expression(f"bit_{self.pick(('and', 'or', 'xor'))}({integer.sql})", "int", INTEGER_MAX), Expression(f"percentile_cont({self.pick((0, 0.25, 0.5))}) within group (order by {integer.sql})", "flt", 1e9, False),
                Expression(f"{self.pick(('rank', 'dense_rank'))}({self.random.randint(-2, 9)}) within group (order by {integer.sql}{self.pick(('', ' desc'))})", "big", 1e7),
                Expression(f"{self.pick(('stddev', 'variance', 'var_pop'))}({integer.sql})", "num", None, False),
            ]  # fmt: skip
        forms.append(Expression(f"{self.pick(('bool_and', 'bool_or', 'every'))}({self.condition(columns, 0)})", "bool"))
        return dataclasses.replace(self.pick(forms), values=(), words=())

    def collected(self, columns) -> Expression:
        """Of aggregates that keep all their values."""
        item = self.stable_key(columns)
        if item.type == "bool":
            return Expression(f"cardinality(array_agg({item.sql}))", "int", 1e7)
        form = self.pick(("array_agg", "percentile", "first", "string_agg", "ordered"))
        if form == "array_agg":
            return Expression(f"cardinality(array_agg({item.sql}))", "int", 1e7)
        if form == "string_agg":
            return Expression(f"length(string_agg(distinct {item.sql}::text, ','))", "int", 1e7)
        if form == "ordered":
            return Expression(f"array_length(array_agg({item.sql} order by {item.sql}), 1)", "int", 1e7)
        if form == "percentile":
            return dataclasses.replace(item, sql=f"percentile_disc({self.pick((0, 0.25, 0.5, 1))}) within group (order by {item.sql})", domain=None)
        return dataclasses.replace(item, sql=f"(array_agg({item.sql} order by {item.sql} desc nulls last))[1]", domain=None)

    def distinct_or_not(self, number: Expression) -> str:
        return "distinct " if number.stable and self.chance(0.08) else ""

    def extreme(self, columns, depth: int) -> Expression:
        value = self.value(columns, depth)
        # Of equal values that look different any may be shown.
        if value.type not in EXTREME_TYPES or not value.stable:
            return Expression("count(*)", "big", 1e7)
        return dataclasses.replace(value, sql=f"{self.pick(('min', 'max'))}({value.sql})", domain=None)

    def aggregation(self, source: Source, where, top: bool) -> tuple[Query, float]:
        keys = [self.stable_key(source.columns) for _ in range(self.random.choices((0, 1, 2, 3), weights=(3, 4, 3, 1))[0])]
        keys = list({item.sql: item for item in keys}.values())
        aggregates = [self.aggregate(source.columns) for _ in range(self.random.randint(1, 4))]
        outputs = keys + [self.over_aggregates(item) for item in aggregates]
        self.random.shuffle(outputs)
        query = Query([(item, self.alias_or_none(n, top)) for n, item in enumerate(outputs, 1)], source, where, grouped=True)
        query.group = [self.group_key(query, item) for item in keys]
        if keys and source.rows <= 200_000 and self.chance(0.15):
            query.group = self.grouping_sets(query.group)
        if self.chance(0.25):
            aggregate = self.aggregate(source.columns, 0)
            query.having = [self.comparison(dataclasses.replace(aggregate, bound=20) if aggregate.bound == 1e7 else aggregate, [])]
        rows = 1 if not keys else min(source.rows, 2_000)
        if top and keys:
            stable = all(item.stable for item in outputs)
            if self.chance(0.6) or stable:
                self.add_order(query)
            if query.order and stable and self.chance(0.6):
                self.add_limit(query)
        return query, rows

    def grouping_sets(self, keys) -> list[str]:
        if self.chance(0.6):
            return [f"{self.pick(('rollup', 'cube'))} ({', '.join(keys)})"]
        sets = [f"({', '.join(keys)})"]
        for _ in range(self.random.randint(1, 3)):
            chosen = [item for item in keys if self.chance(0.5)]
            sets.append(f"rollup ({', '.join(chosen)})" if chosen and self.chance(0.15) else f"({', '.join(chosen)})")
        return [f"grouping sets ({', '.join(sets)})"] if self.chance(0.8) else [f"grouping sets ({', '.join(sets)})", self.pick(keys)]

    def group_key(self, query: Query, item: Expression) -> str:
        """By expression, or by position in the select list."""
        position = next(n for n, (output, _) in enumerate(query.select, 1) if output is item)
        return str(position) if self.chance(0.2) else item.sql

    def over_aggregates(self, item: Expression) -> Expression:
        if item.type == "num" and self.chance(0.2):
            return Expression(f"{item.sql} / nullif(count(*), 0)", "num", None, False)
        if item.type in ("big", "num") and item.bound and self.chance(0.15):
            return dataclasses.replace(item, sql=f"{item.sql} + {self.random.randint(1, 9)}", bound=item.bound + 9)
        return item

    def add_order(self, query: Query):
        positions = [position for position, (item, _) in enumerate(query.select, 1) if item.type != "json"]
        self.random.shuffle(positions)
        for position in positions:
            alias = query.select[position - 1][1]
            name = alias if alias and self.chance(0.4) else str(position)
            direction = self.pick(("", "", " desc", " asc"))
            nulls = self.pick(("", "", "", " nulls first", " nulls last"))
            query.order.append(f"{name}{direction}{nulls}")

    def add_limit(self, query: Query):
        # The rows tied with the last one: any part of the order will do.
        if self.chance(0.15):
            query.order = query.order[: self.random.randint(1, len(query.order))] if not query.distinct_on else query.order
            query.has_ties = True
            # Of rows that are tied an offset may skip any.
            offset = self.pick((0, 0, 1, 3)) if query.distinct_on else 0
            query.limit = f"offset {offset} fetch first {self.pick((1, 2, 5, 10, 50))} rows with ties"
            return
        query.limit = f"limit {self.pick((0, 1, 1, 2, 2, 5, 5, 5, 10, 10, 10, 20, 20, 100, 100, 100, 1000, 1000))}"
        if self.chance(0.2):
            query.limit += f" offset {self.pick((0, 1, 2, 7, 100))}"


def query_of(seed: int, number: int) -> Query:
    generator = Generator(seed, number)
    query = generator.query(depth=2)[0]
    query.tables = generator.tables
    return query
