"""Random queries over the TPC-H tables, and two with columns of all types: joins, outer and lateral ones, derived tables, WITH and recursion,
set operations, subqueries, filters, grouping and grouping sets, windows, DISTINCT ON, ordering, limits and ties.

A query is decided by (seed, number) alone. Queries are made so that every correct server gives one answer: no integer can
overflow and no divisor is zero (bounds are carried along), and LIMIT comes only with an order that is total. Where equal values
may look different (2.0 and 2.00) an expression is "unstable" and is kept out of group keys, DISTINCT and limited orders.
"""
import dataclasses

import query_types
from query_sources import Source, Sources
from query_tables import DOMAINS, INTEGER_MAX, KEY_TYPES, ROWS_RETURNED_MAX, Expression
from query_types import ARRAY_TYPES, EXTREME_TYPES


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
    others: list = dataclasses.field(default_factory=list)  # of a set operation: what is said between, and the query
    window: str = ""

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
        if self.window:
            parts.append("window " + self.window)
        parts += [f"{said} {text}" for said, text in self.others]
        if self.order:
            parts.append("order by " + ", ".join(self.order))
        if self.limit:
            parts.append(self.limit)
        return "\n".join(parts)

    def order_columns(self) -> list[int]:
        """The columns by which the rows are ordered, from 0 on, up to one whose equal values look different in ways that a comparison of
        answers does not know.
        """
        # PostgreSQL 15 leaves out of an order what a condition holds equal to a constant, also where grouping sets make it NULL.
        if any("(" in item and item.startswith(("rollup", "cube", "grouping")) for item in self.group):
            return []
        found = []
        for entry in self.order:
            name = entry.split()[0]
            column = int(name) - 1 if name.isdigit() else next(n for n, (_, alias) in enumerate(self.select) if alias == name)
            item = self.select[column][0]
            if not item.stable and item.type not in ("num", "flt"):
                break
            found.append(column)
        return found


class Generator(Sources):
    def query(self, depth: int, top: bool = True) -> tuple[Query, float]:
        source = self.joined_sources(depth)
        self.outer_rows = source.rows
        where = [self.condition(source.columns, 2) for _ in range(self.random.choices((0, 1, 2, 3), weights=(3, 5, 2, 1))[0])]
        make = self.aggregation if self.chance(0.5) else self.selection
        made = make(source, where, top)
        if top and self.chance(0.06):
            made = self.with_others(*made)
        self.outer_rows = float("inf")
        return made

    def with_others(self, query: Query, rows: float) -> tuple[Query, float]:
        """A set operation of the query and one or two others of the same types, where that decides the rows."""
        items = [item for item, _ in query.select]
        if query.limit or query.distinct_on or any(not item.stable or item.type not in KEY_TYPES or item.is_set for item in items):
            return query, rows
        # Of equal numbers that look different any may be shown, and columns have different scales.
        def trimmed(sql: str, item: Expression) -> str:
            return f"trim_scale({sql})" if item.type == "num" else sql

        query.select = [(dataclasses.replace(item, sql=trimmed(item.sql, item)), alias) for item, alias in query.select]
        for _ in range(self.pick((1, 1, 2))):
            side = self.table()
            made = []
            for item in items:
                column = self.leaf(side.columns, (item.type,)) if self.chance(0.8) else None
                made.append(trimmed(column.sql, item) if column else f"null::{query_types.CASTS[item.type]}" if item.type in query_types.CASTS else f"null::{item.type}")
            where = " and ".join([self.condition(side.columns, 1), *([self.thinning(side)] if side.rows > 3_000 else [])])
            text = f"select {', '.join(made)} from {side.sql} where {where}"
            said = self.pick(("union", "union all", "union all", "intersect", "except", "except all", "intersect all"))
            query.others.append((said, f"({text})" if self.chance(0.3) else text))
        if query.order and self.chance(0.5):
            self.add_limit(query)
        return query, rows

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
        window = ""
        if source.rows <= 200_000 and self.chance(0.04):
            key = self.stable_key(source.columns)
            window = f"w as (partition by {self.stable_key(source.columns).sql})"
            items += [Expression(f"rank() over (w order by {key.sql})", "big", 1e7), Expression("count(*) over w", "big", 1e7)]
        query = Query([(item, self.alias_or_none(n, top)) for n, item in enumerate(items, 1)], source, where, window=window)
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
        firsts = [item.sql for item, _ in query.select[: query.distinct_on]]
        if len(set(firsts)) < len(firsts) or any(not self.uses(item, query.source.columns) for item, _ in query.select[: query.distinct_on]):
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
            dataclasses.replace(number, sql="count(*)"), Expression(f"cardinality(array_agg({self.element(value)}))" if value.type not in ARRAY_TYPES else "count(*)", "int", 1e7),
        ))  # fmt: skip
        parts = [f"partition by {self.stable_key(source.columns).sql}"] if self.chance(0.5) else []
        parts.append(f"order by {self.stable_key(source.columns).sql + self.pick((', ', ' desc, ')) if self.chance(0.6) else ''}{source.unique.sql}{self.pick(('', ' desc'))}")
        if not made.sql.startswith(("row", "ntile", "lag", "lead")) and self.chance(0.6):
            low, high = sorted((self.random.randint(-4, 4), self.random.randint(-4, 4)))
            # Arrays of half of a large table for each of its rows are a matter of memory.
            is_short = "array_agg" in made.sql
            start = f"{abs(low)} {'preceding' if low < 0 else 'following'}" if is_short or self.chance(0.7) else "unbounded preceding"
            end = f"{abs(high)} {'preceding' if high < 0 else 'following'}" if is_short or self.chance(0.7) else "unbounded following"
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
            made = dataclasses.replace(value, sql=f"{self.pick(('min', 'max'))}({self.shown_alike(value)})", domain=None)
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
        if len(keys) == 1 and keys[0].type in ("date", "ts", "tstz", "interval") and self.chance(0.5):
            return [f"range between {self.pick(('unbounded preceding', 'current row', chr(39) + '400 days' + chr(39) + ' preceding'))} and interval '{self.random.randint(0, 9)} months' following{self.pick(('', ' exclude group'))}"]
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
                return dataclasses.replace(found, sql=self.shown_alike(found)) if found.type == "num" else found
        return self.leaf([column for column in columns if column.stable], KEY_TYPES) or columns[0]

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
            return Expression(f"max({self.shown_alike(number)})", number.type, number.bound, False)
        if roll < 0.75:
            result = {"int": "big", "big": "num", "num": "num"}[number.type]
            return Expression(f"sum({self.distinct_or_not(number)}{number.sql})", result, number.bound * 1e6, True)
        if roll < 0.95:
            return Expression(f"avg({self.distinct_or_not(number)}{number.sql})", "num", number.bound, False)
        return Expression(f"sum(case when {self.condition(columns, 1)} then {number.sql} else 0 end)", {"int": "big", "big": "num", "num": "num"}[number.type], number.bound * 1e6, True)

    def listed(self, columns) -> Expression:
        """Aggregates of many kinds, whose order matters and is given."""
        item = self.stable_key(columns)
        if self.chance(0.15) and (money := self.leaf(columns, ("money", "interval"))):
            return dataclasses.replace(money, sql=f"sum({money.sql})", stable=money.type == "money")
        order = f"order by {item.sql}{self.pick(('', ' desc', ' nulls first', ' desc nulls last'))}"
        integer = self.leaf(columns, ("int",))
        forms = [Expression(f"string_agg({item.sql}::text, {self.pick((chr(39) + ',' + chr(39), chr(39) * 2))} {order})", "text"), Expression(f"jsonb_agg({item.sql} {order})", "jsonb", None, False), Expression(f"json_agg({item.sql} {order})", "json", None, False)]
        if item.type == "int":
            forms += [Expression(f"array_agg({item.sql} {order})", "ints"), Expression(f"array_agg(distinct {item.sql} order by {item.sql} desc)", "ints")]
        if item.type == "text":
            forms += [Expression(f"array_agg({item.sql}::text {order})", "texts"), Expression(f"string_agg(distinct {item.sql}::text, '/' order by {item.sql}::text)", "text")]
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
        item = dataclasses.replace(item, sql=self.element(item), type={"percent": "int", "label": "text"}.get(item.type, item.type))
        form = self.pick(("array_agg", "percentile", "first", "string_agg", "ordered")) if item.type not in ARRAY_TYPES else "percentile"
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
        return dataclasses.replace(value, sql=f"{self.pick(('min', 'max'))}({self.shown_alike(value)})", domain=None)

    def shown_alike(self, value: Expression) -> str:
        """So that equal values look the same: zeros of floats are of either sign, products of numerics have many scales."""
        if value.type == "flt":
            return f"{value.sql} + 0"
        return f"trim_scale({value.sql})" if value.type == "num" and value.domain is None else value.sql

    def aggregation(self, source: Source, where, top: bool) -> tuple[Query, float]:
        keys = [self.stable_key(source.columns) for _ in range(self.random.choices((0, 1, 2, 3), weights=(3, 4, 3, 1))[0])]
        keys = list({item.sql: item for item in keys}.values())
        aggregates = [self.aggregate(source.columns) for _ in range(self.random.randint(1, 4))]
        outputs = keys + [self.over_aggregates(item) for item in aggregates]
        sets = bool(keys) and source.rows <= 200_000 and self.chance(0.15)
        if sets and self.chance(0.4):
            outputs.append(Expression(f"grouping({', '.join(item.sql for item in keys)})", "int", 8))
        if keys and self.chance(0.1):
            outputs.append(self.window_of_aggregate(keys, self.aggregate(source.columns, 0)))
        self.random.shuffle(outputs)
        query = Query([(item, self.alias_or_none(n, top)) for n, item in enumerate(outputs, 1)], source, where, grouped=True)
        query.group = [self.group_key(query, item) for item in keys]
        if sets:
            query.group = self.grouping_sets(query.group)
        if self.chance(0.25):
            aggregate = self.aggregate(source.columns, 0)
            query.having = [self.comparison(dataclasses.replace(aggregate, bound=20) if aggregate.bound == 1e7 else aggregate, [])]
        rows = 1 if not keys else min(source.rows, 2_000)
        if top and keys:
            stable = all(item.stable and item.type != "flt" for item in outputs)
            if self.chance(0.6) or stable:
                self.add_order(query)
            if query.order and stable and not sets and self.chance(0.6):
                self.add_limit(query)
        return query, rows

    def window_of_aggregate(self, keys, aggregate: Expression) -> Expression:
        aggregate = aggregate if aggregate.stable and aggregate.type in KEY_TYPES else Expression("count(*)", "big", 1e7)
        partition = f"partition by {self.pick(keys).sql} " if self.chance(0.4) else ""
        if aggregate.type in ("int", "big") and self.chance(0.4):
            return Expression(f"sum({aggregate.sql}) over ({partition})", "num", 1e13)
        return Expression(f"{self.pick(('rank', 'dense_rank'))}() over ({partition}order by {aggregate.sql}{self.pick(('', ' desc'))})", "big", 1e7)

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
