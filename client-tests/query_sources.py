"""Random FROM clauses: tables, joins of all kinds, derived and lateral ones, recursion, functions."""
import dataclasses

import query_types
from query_expressions import Expressions
from query_tables import DOMAINS, KEY_TYPES, ROWS, ROWS_MAX, SUBQUERY_PAIRS_MAX, SUBQUERY_ROWS_MAX, TABLE_WEIGHTS, TABLES, UNIQUE, Expression


@dataclasses.dataclass
class Source:
    """A FROM item with what it offers: columns by qualified name, and about how many rows."""

    sql: str
    columns: list
    rows: float
    inner_conditions: list = dataclasses.field(default_factory=list)  # join conditions left for WHERE
    unique: Expression | None = None  # a column that no two rows share


class Sources(Expressions):
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

    def values(self) -> Source:
        """A table of constants, among them keys."""
        alias, domain = self.alias(), self.pick(("region", "nation", "supplier"))
        kind = self.pick([kind for kind in query_types.CONSTANTS if kind not in query_types.DOMAIN_BASES])
        rows = []
        for _ in range(self.random.randint(1, 6)):
            rows.append(f"({self.random.randint(0, DOMAINS[domain]) if self.chance(0.9) else 'null'}, {self.pick(query_types.CONSTANTS[kind]) if self.chance(0.85) else 'null'}, {self.pick(('1.5', '2', 'null', '-0.25'))})")
        columns = [Expression(f"{alias}.v1", "int", DOMAINS[domain], domain=domain), Expression(f"{alias}.v2", kind, stable=kind not in ("json", "interval")), Expression(f"{alias}.v3", "num", 2)]
        # A column of nulls alone would be text, and one of integers integer.
        first = f"(0, {query_types.CONSTANTS[kind][0]}, 0.5)"
        return Source(f"(values {', '.join([first, *rows])}) as {alias} (v1, v2, v3)", columns, len(rows) + 1)

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
            inner = self.alias()
            more = self.pick(("", "", f" and (select count(*) from nation as {inner} where {inner}.n_nationkey > c1) {self.pick(('>', '<>'))} {self.random.randint(0, 20)}", f" and c2 < (select max({inner}.n_regionkey) from nation as {inner} where {inner}.n_nationkey <> c1 and {inner}.n_regionkey < c2 + 3)", f" and c1 not in (select {inner}.n_nationkey from nation as {inner} where {inner}.n_nationkey < c1 * 3 - c2)"))
            text = f"select {keyed.sql}, 0 from {name} as {start}{where} {union} select c1 + {step}, c2 + 1 from {table} where c1 < {limit} and c2 < 8{more}"
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
            self.named.append((f"w{alias}", [(name, item) for name, (item, _) in zip(names, query.select)], rows))
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
        matches = f"{inner.sql} {operator} {outer.sql}"
        rest = [self.condition(local, 1)] if self.chance(0.4) else []
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
        form, suffix, heading = self.pick(("plain", "plain", "full", "with", *(() if self.is_volatile else ("sets",))) if grouped else ("plain",)), "", ""
        source, where = f"{name} as {inside}", [matches, *rest]
        if form == "sets":
            rows = left.rows * ROWS[name]
            suffix = " group by " + self.pick((f"rollup ({text.sql})", f"cube ({inner.sql}, {text.sql})", f"grouping sets ((), ({number.sql}), ({text.sql}))"))
        elif form == "full":
            other, partner = self.alias(), self.pick([name for name in TABLES if ROWS[name] <= 1_000 and any(column.domain == inner.domain for column in TABLES[name])] or [name])
            key = next(column for column in TABLES[partner] if column.domain == inner.domain)
            partners = partner if self.chance(0.5) else f"(select * from {partner} as {other} where {other}.{key.sql} {self.pick(('<', '<>', '='))} {outer.sql})"
            source = f"(select * from {source} where {matches}) as {inside} full join {partners} as {other} on {inner.sql} = {other}.{key.sql}"
            where = rest
        elif form == "with":
            table, other = f"w{alias}", self.alias()
            heading = f"with {table} as (select * from {source} where {matches}) "
            source = f"{table} as {inside} {self.pick(('join', 'left join'))} {table} as {other} on {inner.sql} = {other}.{inner.sql.partition('.')[2]}"
            where = rest
        condition = f" where {' and '.join(where)}" if where else ""
        query = f"({heading}select {selected} from {source}{condition}{suffix}) as {alias}"
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
        for kind in ("nums", "dates", "moods"):
            if values := self.leaf(left.columns, (kind,)):
                forms.append((f"unnest({values.sql})", Expression(f"{alias}.x", {"nums": "num", "dates": "date", "moods": "mood"}[kind])))
        if grid := self.leaf(left.columns, ("grid",)):
            forms.append((f"unnest({grid.sql})", Expression(f"{alias}.x", "int", 10)))
            forms.append((f"generate_subscripts({grid.sql}, 2)", Expression(f"{alias}.x", "int", 10)))
        if text := self.leaf(left.columns, ("text", "label")):
            forms.append((f"random_letters({text.sql})", Expression(f"{alias}.x", "text", words=("b", "e"))))
        if number := self.leaf(left.columns, ("int",)):
            forms.append((f"generate_series(1, least({number.sql}, 5))", Expression(f"{alias}.x", "int", 5)))
        if text := self.leaf(left.columns, ("text",)):
            forms.append((f"string_to_table(left({text.sql}, 30), 'a')", Expression(f"{alias}.x", "text", words=("b", " "))))
        if not forms:
            return None
        call, column = self.pick(forms)
        columns, heading = [column], f"{alias} (x)"
        if self.chance(0.12) and (region := next((c for c in left.columns if c.domain == "region"), None)):
            call, heading = f"random_nations({region.sql})", f"{alias} (y, x)"
            columns = [Expression(f"{alias}.y", "int", 25, domain="nation"), Expression(f"{alias}.x", "text", words=("A", "I"))]
            if self.chance(0.3):
                call, heading = f"rows from ({call}, generate_series(1, 2))", f"{alias} (y, x, z)"
                columns.append(Expression(f"{alias}.z", "int", 2))
        elif self.chance(0.15):
            other, more = self.pick(forms)
            call, heading = f"rows from ({call}, {other})", f"{alias} (x, y)"
            columns.append(dataclasses.replace(more, sql=f"{alias}.y"))
        elif self.chance(0.4):
            call, heading = f"{call} with ordinality", f"{alias} (x, n)"
            columns.append(Expression(f"{alias}.n", "big", 100))
        kind = self.pick((", {}", " cross join lateral {}", " left join lateral {} on true"))
        if left.inner_conditions and kind[0] != ",":
            return None
        return Source(left.sql + kind.format(f"{call} as {heading}"), left.columns + columns, left.rows * 2, left.inner_conditions)

    def again(self) -> Source:
        """A query of WITH once more."""
        name, items, rows = self.pick(self.named)
        alias = self.alias()
        return Source(f"{name} as {alias}", [dataclasses.replace(item, sql=f"{alias}.{column}") for column, item in items], rows)

    def source(self, depth: int) -> Source:
        roll = self.random.random()
        if self.named and self.chance(0.3):
            return self.again()
        if self.chance(0.02):
            return self.values()
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
            if self.chance(0.3):
                # A subquery in it may read one side.
                condition += " and " + self.condition(self.pick((left.columns, right.columns)), 1)
        elif kind != "comma" and self.chance(0.25):
            condition += " and " + self.condition(columns, 1)
        elif kind in ("join", "inner join", "left join") and self.chance(0.04):
            # Of a subquery or a function, too.
            condition += f" and {self.pick(('true', 'null::boolean is null', '1 = 1'))}"
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
