"""Random expressions and conditions over the columns of a FROM clause."""
import dataclasses
import random

import query_types
from query_tables import BIGINT_MAX, DOMAINS, INTEGER_MAX, KEY_TYPES, NUMBERS, ROWS, SUBQUERY_PAIRS_MAX, SUBQUERY_ROWS_MAX, TABLES, Expression
from query_types import ARRAY_TYPES, DOMAIN_BASES, EXTREME_TYPES, OTHER_TYPES


class Expressions:
    def __init__(self, seed: int, number: int):
        self.random = random.Random(f"{seed}/{number}")
        self.aliases = 0
        self.tables = []  # of WITH
        self.named = []  # of these: name, columns and rows
        self.is_plain = self.chance(0.4)  # without columns of other types
        self.is_volatile = self.chance(0.08)  # calls volatile functions, whatever they return
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

    def plain_operation(self, result: str, columns, depth: int) -> Expression | None:
        """What an operation over numbers and texts gives."""
        fitting = [made for made in query_types.BY_RESULT.get(result, ()) if all(kind in ("int", "text", "num", "#", "n") for kind in made.operands) and any(self.leaf(columns, (kind,)) for kind in made.operands)]
        if not fitting:
            return None
        chosen = self.pick(fitting)
        operands = [self.of_type(kind, columns, depth - 1) for kind in chosen.operands]
        return Expression(chosen.sql.format(*(operand.sql for operand in operands)), chosen.result, chosen.bound, chosen.stable and all(operand.stable for operand in operands))

    @staticmethod
    def element(expression: Expression) -> str:
        """The expression as an element of an array."""
        base = DOMAIN_BASES.get(expression.type)
        return f"({expression.sql})::{base}" if base else expression.sql

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
        if kind == "num":
            return leaf or Expression(f"{self.random.randint(0, 99)}.5", "num", 100)
        if kind == "ts" and leaf is None:
            return Expression(f"{self.moment(columns, 0).sql}::timestamp", "ts")
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
        made = self.stable_number(columns, depth)
        if not self.is_volatile or made.type not in ("int", "big") or self.chance(0.85):
            return made
        return dataclasses.replace(made, sql=f"({made.sql} + (random() * 0)::int)", domain=None, values=())

    def stable_number(self, columns, depth: int) -> Expression:
        if depth > 0 and self.has_others(columns) and self.chance(0.25) and (made := self.operation(("int", "big", "num"), columns, depth)):
            return made
        if depth > 0 and self.chance(0.08) and (made := self.plain_operation(self.pick(("int", "num")), columns, depth)):
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
        # Of numerics of any scale equal results may have several.
        stable = left.stable and right.stable and not (result == "num" and bound is None)
        return Expression(f"({left.sql} {operator} {right.sql})", result, bound, stable)

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
        # Of infinite ones, which elements of arrays may be, there is none: who computes what nobody asks for would fail.
        return Expression(f"(case when isfinite({left.sql}) and isfinite({right.sql}) then {left.sql} - {right.sql} end)", "int", 10_000)

    def text(self, columns, depth: int) -> Expression:
        if depth > 0 and self.has_others(columns) and self.chance(0.3) and (made := self.operation(("text",), columns, depth)):
            return made
        if depth > 0 and self.chance(0.1) and (made := self.plain_operation("text", columns, depth)):
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
        # What a numeric holds can be too much for a real, which is an error where it is computed, and that need not be.
        left, right = (dataclasses.replace(side, sql=f"({side.sql})::double precision") if result == "flt" and side.type == "num" else side for side in (left, right))
        roll = self.random.random()
        if roll < 0.08:
            return Expression(f"{self.pick(('greatest', 'least'))}({left.sql}, {right.sql})", result, bound, stable and result != "char")
        if roll < 0.16 and (subject := self.leaf(columns, ("int", "text"))):
            cases = " ".join(f"when {self.constant(subject)} then {side.sql}" for side in (left, right))
            return Expression(f"case {subject.sql} {cases} end", result, bound, stable)
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
            made = Expression(f"cardinality(array_agg(distinct {self.element(value)}))", "int", 1e7)
        elif self.chance(0.2):
            made = Expression(f"exists (select {value.sql} from {name} as {alias} where {' and '.join(where)})", "bool")
            return made
        elif self.chance(0.2) and value.type == "int":
            return Expression(f"array(select {value.sql} from {name} as {alias} where {' and '.join(where)} order by 1{self.pick((' limit 3', '', ' desc offset 1 limit 4'))})", "ints")
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
        made = self.stable_condition(columns, depth)
        return f"({made} and random() < 2)" if self.is_volatile and self.chance(0.15) else made

    def stable_condition(self, columns, depth: int) -> str:
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
            return f"{subject.sql} {sign} {self.pick(('any', 'all'))} (array[{some}]::{query_types.CASTS[kind]}[])" if kind not in ARRAY_TYPES else f"{subject.sql} {sign} {self.pick(constants)}"
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
        if roll < 0.38 and (pair := self.same_types(local, columns)):
            text = f"select {inner.sql}, {pair[0].sql} from {name} as {alias}" + (" where " + " and ".join(where) if where else "")
            return f"({outer.sql}, {pair[1].sql}) {self.pick(('in', 'not in', '= any', 'in'))} ({text})"
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

    def same_types(self, left, right):
        """A column of each that can be compared; None where there are none."""
        pairs = [(a, b) for a in left for b in right if a.type == b.type and a.type in KEY_TYPES]
        return self.pick(pairs) if pairs else None

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
            return f"{subject.sql} {self.pick(('', '', 'not '))}between {self.pick(('', '', '', 'symmetric '))}{low} and {high}"
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
