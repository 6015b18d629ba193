"""Random PL/pgSQL routines of loops that insert into tables with keys, and of what looks at the tables, fails, or is undone between: results, notices,
errors with their contexts, and the tables must be PostgreSQL's. What differs is made smaller, and shown.

RANDOM_GATHERING_COUNT seeds are played from RANDOM_GATHERING_SEED on.
"""
import os
import random
import re

import pytest

import comparison

COUNT = int(os.environ.get("RANDOM_GATHERING_COUNT", "60"))
SEED = int(os.environ.get("RANDOM_GATHERING_SEED", "285"))
PARTS = 3
SHRINKS_MAX = 400
TABLES = (
    "create table ga (k integer primary key, v integer)",
    "create table gb (k integer, v integer unique, w integer not null default 0, check (v < 90))",
    "create table gc (k integer primary key, v integer unique, n numeric(3,1))",
    "create unique index gc_both on gc ((k % 20), (v / 3))",
    "create sequence gs",
)
COLUMNS = {"ga": ("k", "v"), "gb": ("k", "v", "w"), "gc": ("k", "v", "n")}
EMPTY = "truncate ga, gb, gc; alter sequence gs restart; insert into ga select g * 11, g from generate_series(0, 3) g; insert into gb values (1, 12), (2, 24); insert into gc values (6, 6, 6)"
SHOWN = ("select * from ga", "select * from gb", "select * from gc", "select last_value from gs")
DROP = "drop function if exists g0, g1, g2; drop procedure if exists gp; drop table ga, gb, gc; drop sequence gs"
WORDS = frozenset(("message", "detail", "context", "notices"))
# PostgreSQL gives this line or not by whether an evaluation of the same expression has failed before in the transaction.
EXPRESSION_LINE = re.compile(r'^(?:SQL expression|PL/pgSQL assignment) "(?:[^"]|\n)*"\n', re.MULTILINE)


class Block:
    """Statements between two lines."""

    def __init__(self, head: str, body: list, tail: str):
        self.head, self.body, self.tail = head, body, tail


class Generator:
    """Routines of one seed: functions g0, g1, g2, of which each may call those before it, and a procedure that calls them all."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.loops = 0  # around the statement
        self.handlers = 0
        self.depth = 0  # of blocks of all kinds
        self.level = 0  # of the routine
        self.is_procedure = False
        # Each seed is about a few kinds of statements, so that rows have time to gather.
        self.kinds = self.random.sample(self.kinds_beside(), self.random.randrange(2, 8))
        self.width = self.random.choice([7, 20, 60, 1000])  # of keys: few of them are often there already

    def pick(self, *choices):
        return self.random.choice(choices)

    def variable(self) -> str:
        return self.pick("x", "y", "p", *[f"i{n}" for n in range(1, self.loops + 1)] * 2)

    def number(self) -> str:
        one, other, small = self.variable(), self.variable(), self.random.randrange(1, 9)
        return self.pick(one, one, f"{one} * {small} + {other}", f"({one} * 7 + {other}) % {self.width}", f"{one} % {small + 1}", str(small * 3), f"{one} + {small}",
                         f"{small * 60} / ({one} - {small})" if self.random.random() < 0.3 else f"{one} - {other}")

    def key(self) -> str:
        if self.random.random() < 0.02:
            return "null"
        loop = f"i{self.loops}" if self.loops else "x"
        return self.pick(f"({self.number()}) % {self.width}", f"{loop} * 3 + x", f"{loop} + y", loop, f"p * 10 + {loop}", f"(x + {loop} * 5) % {self.width}", f"nextval('gs') % {self.width}")

    def table(self) -> str:
        return self.random.choice(sorted(COLUMNS))

    def condition(self) -> str:
        return self.pick(f"{self.variable()} % {self.random.randrange(2, 6)} = {self.random.randrange(2)}", f"{self.variable()} > {self.random.randrange(12)}", f"{self.number()} = {self.number()}",
                         f"exists (select from {self.table()} where k = {self.variable()})", "found")

    def insert(self) -> str:
        table = self.table()
        columns = list(COLUMNS[table])
        values = {"k": self.key(), "v": self.pick(self.key(), f"{self.variable()} + {self.random.randrange(60)}", "null"), "w": self.pick("x", "1", "p", "y"), "n": self.pick("x", "y / 3.0", "p", "1.5", "x * 2")}
        if table == "gc":  # which a number that is too wide has computed twice
            values = {column: value.replace("nextval('gs')", "x") for column, value in values.items()}
        if self.random.random() < 0.4:
            self.random.shuffle(columns)
            columns = columns[: self.random.randrange(2, len(columns) + 1)]
            return f"insert into {table} ({', '.join(columns)}) values ({', '.join(values[column] for column in columns)});"
        return f"insert into {table} values ({', '.join(values[column] for column in columns)});"

    def looks(self) -> str:
        table = self.table()
        return self.pick(f"x := (select count(*) from {table});", f"select count(*) + x from {table} into y;", f"select max(k) into x from {table} where k < 1000;", f"y := coalesce((select sum(v) from {table}), 0) % 100;",
                         f"perform from {table} where k = {self.number()};", f"select v into strict y from {table} where k = {self.number()};", f"execute 'select count(*) from {table}' into x;")

    def changes(self) -> str:
        table = self.table()
        return self.pick(f"update {table} set v = {self.number()} where k = {self.number()};", f"delete from {table} where k = {self.number()};", f"delete from {table} where v % 4 = {self.variable()} % 4;",
                         f"update ga set v = v + 1 where k >= {self.number()};", f"execute 'insert into {table} (k, v) values ($1, $2)' using {self.number()}, {self.number()};",
                         f"insert into {table} (k, v) values ({self.number()}, {self.number()}) on conflict do nothing;", f"insert into ga select v + {self.random.randrange(300)}, k from ga where k = {self.number()};",
                         f"insert into gb (k, v) values ({self.number()}, {self.key()}) returning v into y;")

    def counts(self) -> str:
        return self.pick("x := x + 1;", "y := y + x;", f"x := {self.number()};", "get diagnostics y = row_count;", "x := (x * 5 + 3) % 50;", "y := (y + 1) % 30;")

    def tells(self) -> str:
        return self.pick("raise notice '% % %', x, y, found;", f"raise notice '% of %', {self.variable()}, (select count(*) from {self.table()});", f"raise notice '%', {self.number()};")

    def leaves(self) -> str:
        if not self.loops:
            return "x := x + 2;"
        word = self.pick("exit", "continue", "exit", "return")
        if word == "return":
            return f"if {self.condition()} then return{'' if self.is_procedure else ' ' + self.number()}; end if;"
        return f"{word} when {self.condition()};"

    def calls(self) -> str:
        if self.level == 0:
            return "x := x + 3;"
        name = f"g{self.random.randrange(min(self.level, 3))}"
        return self.pick(f"x := {name}({self.number()});", f"perform {name}({self.number()});", f"select {name}({self.number()}) + x into y;", f"insert into ga values ({self.key()}, {name}({self.number()}));")

    def fails(self) -> str:
        if self.random.random() < 0.5:
            return f"x := 100 / ({self.variable()} - {self.random.randrange(8)});"
        return f"if {self.condition()} then raise exception 'raised %', {self.number()}; end if;"

    def tickets(self) -> str:
        return self.pick("x := nextval('gs');", "select nextval('gs') into y;", "perform nextval('gs');")

    def commits(self) -> str:
        return self.pick("commit;", "rollback;") if self.is_procedure else "y := y + 2;"

    def chooses(self):
        return Block(f"if {self.condition()} then", self.statements(), "end if;")

    def handles(self):
        self.handlers += 1
        body = self.statements()
        self.handlers -= 1
        caught = self.pick("unique_violation", "unique_violation", "unique_violation or division_by_zero", "others", "check_violation or not_null_violation", "raise_exception")
        said = self.pick("raise notice '% % %', sqlerrm, x, y;", "x := x + 1;", "raise notice '%', sqlstate;", "get stacked diagnostics said = pg_exception_context; raise notice '%', said;")
        return Block("begin", [*body, Block(f"exception when {caught} then", [said, *self.statements()[:1]], "")], "end;")

    def repeats(self):
        self.loops += 1
        loop, rounds = f"i{self.loops}", self.random.randrange(2, 8)
        if self.loops == 1 and self.level == 0 and self.random.random() < 0.25:
            rounds = 600
        start = self.number() if self.random.random() < 0.3 else "1"
        body = [self.insert(), *self.statements()]
        self.random.shuffle(body)
        head = self.pick(f"for {loop} in {start} .. {start} + {rounds} loop", f"for {loop} in 1 .. {rounds} loop", f"for {loop} in reverse {rounds} .. 1 loop",
                         f"for {loop} in select g from generate_series(1, {rounds}) g loop", f"for {loop} in select k % 100 from {self.table()} where k >= 0 order by 1 limit {min(rounds, 9)} loop",
                         f"foreach {loop} in array array[{', '.join(str(self.random.randrange(20)) for _ in range(min(rounds, 9)))}] loop")
        self.loops -= 1
        return Block(head, body, "end loop;")

    def kinds_beside(self):
        return [self.looks, self.changes, self.counts, self.counts, self.tells, self.leaves, self.calls, self.fails, self.tickets, self.commits, self.chooses, self.handles]

    def statement(self):
        if self.loops < 3 and self.depth < 5 and self.random.random() < (0.3 if self.loops < 2 else 0.1):
            return self.repeats()
        if self.random.random() < 0.4:
            return self.insert()
        kind = self.random.choice(self.kinds)
        if kind in (self.chooses, self.handles) and self.depth > 4:
            return self.counts()
        return kind()

    def statements(self) -> list:
        self.depth += 1
        found = [self.statement() for _ in range(self.pick(1, 1, 2, 3))]
        self.depth -= 1
        return found

    def routines(self) -> list:
        """(name, statements) of each."""
        made = []
        for self.level, name in enumerate(("g0", "g1", "g2", "gp")):
            self.is_procedure = name == "gp"
            made.append((name, [self.repeats(), *self.statements()]))
        return made

    def steps(self) -> list:
        """Calls, and blocks around them."""
        found = []
        for _ in range(self.random.randrange(4, 8)):
            argument = self.random.randrange(12)
            call = self.pick(f"select g0({argument})", f"select g1({argument})", f"select g2({argument})", f"call gp({argument})", f"select g, g0(g) from generate_series(1, 3) g")
            if self.random.random() < 0.3:
                found += [self.pick("begin", "begin isolation level repeatable read"), "savepoint s", call, "rollback to s", call.replace("(1", "(2"), self.pick("commit", "rollback")]
            else:
                found += [call] * self.pick(1, 2)
        return found


def lines(statements: list, indent: str = "  ") -> list:
    found = []
    for statement in statements:
        if isinstance(statement, str):
            found.append(indent + statement)
            continue
        found += [indent + statement.head, *lines(statement.body, indent + "  "), *([indent + statement.tail] if statement.tail else [])]
    return found


def definition(name: str, statements: list) -> str:
    kind = "procedure gp(p integer)" if name == "gp" else f"function {name}(p integer) returns integer"
    declared = ["declare", "  x integer := 0;", "  y integer := 0;", "  i1 integer := 0;", "  i2 integer := 0;", "  i3 integer := 0;", "  said text;"]
    end = [] if name == "gp" else ["  return x + y;"]
    return "\n".join([f"create or replace {kind} language plpgsql as $$", *declared, "begin", *lines(statements), *end, "end $$"])


def without_expressions(answer):
    answer.context = EXPRESSION_LINE.sub("", answer.context)
    for notice in answer.notices:
        notice.context = EXPRESSION_LINE.sub("", notice.context)
        notice.message = EXPRESSION_LINE.sub("", notice.message)
    return answer


def difference(sides, routines: list, steps: list) -> str:
    """Plays all to both servers; what differs first, or nothing."""
    for text in ("rollback", "discard plans", EMPTY, *(definition(*routine) for routine in routines)):
        expected, actual = (comparison.run(side, text) for side in sides)
        if expected.sqlstate or actual.sqlstate:
            return f"{text}\nPostgreSQL: {expected.describe()}\nthe server under test: {actual.describe()}" if expected.sqlstate != actual.sqlstate else ""
    for number, step in enumerate(steps):
        expected, actual = (without_expressions(comparison.run(side, step)) for side in sides)
        what = comparison.difference(expected, actual, False, WORDS)
        if what:
            return f"step {number} ({step}): {what}\nPostgreSQL: {expected.describe()}\nthe server under test: {actual.describe()}"
        if expected.status == "INERROR":
            continue
        for query in SHOWN:
            left, right = (comparison.run(side, query) for side in sides)
            if what := comparison.difference(left, right):
                return f"step {number} ({step}), then {query}: {what}\nPostgreSQL: {left.describe()}\nthe server under test: {right.describe()}"
    return ""


def smaller(statements: list):
    """The list without one of its statements, at any depth, and with what a block holds in the block's place."""
    for place, statement in enumerate(statements):
        yield statements[:place] + statements[place + 1 :]
        if isinstance(statement, Block):
            for body in smaller(statement.body):
                yield [*statements[:place], Block(statement.head, body, statement.tail), *statements[place + 1 :]]


def candidates(routines: list, steps: list):
    for place in range(len(steps)):
        yield routines, steps[:place] + steps[place + 1 :]
    for place, (name, statements) in enumerate(routines):
        for fewer in smaller(statements):
            yield [*routines[:place], (name, fewer), *routines[place + 1 :]], steps


def shrunk(sides, routines: list, steps: list):
    tries, goes_on = 0, True
    while goes_on:
        goes_on = False
        for fewer in candidates(routines, steps):
            tries += 1
            if tries > SHRINKS_MAX:
                return routines, steps
            if difference(sides, *fewer):
                routines, steps, goes_on = *fewer, True
                break
    return routines, steps


@pytest.fixture
def sides(postgres, gnomon):
    connections = [server.raw_connect() for server in (postgres, gnomon)]
    for connection in connections:
        for sql in (*TABLES, "set statement_timeout = '20s'", "set synchronous_commit = off"):
            connection.exec_(sql.encode())
    yield connections
    for connection in connections:
        for sql in ("rollback", *DROP.split("; ")):
            connection.exec_(sql.encode())
        connection.finish()


@pytest.mark.parametrize("part", range(PARTS))
def test_random_gathering(sides, part):
    for seed in range(SEED + part, SEED + COUNT, PARTS):
        generator = Generator(seed)
        routines = generator.routines()
        steps = generator.steps()
        if difference(sides, routines, steps):
            routines, steps = shrunk(sides, routines, steps)
            shown = "\n".join(definition(*routine) for routine in routines if any(routine[0] in text for text in (*steps, *(definition(*other) for other in routines if other is not routine))))
            pytest.fail(f"seed {seed}:\n{shown}\n{'; '.join(steps)}\n{difference(sides, routines, steps)}", pytrace=False)


def test_the_generator_covers_what_it_is_for():
    """Played to nobody: a seed decides all, and every kind of statement is there."""
    texts = ["\n".join(definition(*routine) for routine in Generator(seed).routines()) for seed in range(200)]
    assert texts == ["\n".join(definition(*routine) for routine in Generator(seed).routines()) for seed in range(200)]
    for word in ("insert into ga", "insert into gb", "insert into gc", "update", "delete", "exception when", "raise notice", "raise exception", "exit when", "continue when", "return ", "commit;",
                 "perform g", "x := g", "nextval", "execute", "on conflict", ".. 600", "foreach", "reverse", "strict"):
        assert sum(word in text for text in texts) > 3, word
