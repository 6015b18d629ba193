"""Random INSERT, UPDATE, DELETE, MERGE, changes in WITH, ALTER TABLE, CHECK and index statements, with ON CONFLICT and RETURNING: each returns the same rows, and
after each Gnomon and PostgreSQL hold the same rows."""
import os
import random

import psycopg
import pytest

STATEMENTS = int(os.environ.get("RANDOM_CHANGE_COUNT", "250"))
SEED = int(os.environ.get("RANDOM_CHANGE_SEED", "11"))
TABLE = "create table thing (id integer primary key, a integer, b text, c numeric(8,2), d date, e text unique, big text)"
INDEXES = ["thing_a on thing (a)", "thing_b on thing (b desc, a)", "thing_c on thing (c, d nulls first)",
           "thing_d on thing (d desc nulls last)", "thing_ab on thing (a, b, id)", "thing_big on thing (b)",
           "thing_lower on thing (lower(b), (a + 1) desc)", "thing_length on thing (length(big))",
           "thing_part on thing (d, a) where a > 10 and b is not null", "thing_some on thing ((c * 2)) where a < 35"]
# Which rows they take in changes often; a statement that breaks one fails on both sides.
UNIQUE_INDEXES = ["thing_once on thing (lower(e)) where a between 5 and 15", "thing_pair on thing (abs(a), (id % 50)) where c > 450"]


# Over columns that are always there; some rows break them when they are added.
CHECKS = ["a < 45", "a + id < 300 or a is null", "length(b) < 50 and b <> 'zz'", "c * c < 200000", "d > date '2019-12-01' or a > 5", "b not like 'bbb%z'",
          "upper(b) <> 'HHH' or c > 20", "length(big) < 70010", "coalesce(a, 1) <> 39", "thing.c <> 7.25", "e like 'e%'", "id >= 0"]
# A statement that changes several rows reports another of the rows that break something.
INTEGRITY = {"23502", "23505", "23514"}
ADDED = {"integer": ["7", "-1"], "text": ["'short'", "'a default of more than twelve bytes'"], "numeric(9,3)": ["1.5"],
         "real": ["0.1"], "date": ["date '2021-03-04'"], "boolean": ["true"], "numeric": ["123456789012345678901234567890"]}


class Generator:
    """Statements whose outcome does not depend on the order in which rows are changed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.next_id = 0
        self.added = {}  # columns by name: their types
        self.next_column = 0

    def text(self) -> str:
        if self.random.random() < 0.1:
            return "null"
        return "'" + self.random.choice("abcdefgh") * self.random.choice([1, 3, 12, 13, 40]) + "'"

    def value(self, column: str) -> str:
        pick = self.random
        if column in ("a", "c", "d") and pick.random() < 0.1:
            return "null"
        return {"a": lambda: str(pick.randrange(40)), "b": self.text, "c": lambda: str(pick.randrange(2000) / 4),
                "d": lambda: f"date '2020-01-01' + {pick.randrange(50)}",
                "big": lambda: f"repeat('{pick.choice('xyz')}', {pick.choice([0, 5, 100, 3000, 70000])})"}[column]()

    def condition(self) -> str:
        pick = self.random
        low = pick.randrange(max(self.next_id, 1))
        return pick.choice([
            lambda: f"id = {low}", lambda: f"id between {low} and {low + pick.randrange(60)}",
            lambda: f"a = {pick.randrange(40)}", lambda: f"a > {pick.randrange(30, 40)}",
            lambda: f"b = {self.text()}", lambda: f"b = {self.text()} and a < {pick.randrange(40)}",
            lambda: f"c < {pick.randrange(60)}", lambda: f"d = date '2020-01-01' + {pick.randrange(50)}",
            lambda: "d is null", lambda: f"a = {pick.randrange(40)} and c > {pick.randrange(500)}",
            lambda: f"lower(b) = lower({self.text()})", lambda: f"lower(b) > 'c' and a + 1 = {pick.randrange(40)}",
            lambda: f"length(big) = {pick.choice([0, 5, 100, 3000])}", lambda: f"a > {pick.randrange(10, 20)} and b > 'c'",
            lambda: f"a = {pick.randrange(10, 20)} and d > date '2020-01-30' and b is not null",
            lambda: f"c * 2 > {pick.randrange(900)} and a = {pick.randrange(40)}",
            lambda: f"lower(e) = 'e{low}' and a between 6 and {pick.randrange(6, 18)}",
            lambda: f"abs(a) = {pick.randrange(40)} and id % 50 = {low % 50} and c > {pick.randrange(440, 480)}",
            lambda: f"id % 7 = {pick.randrange(7)}", lambda: f"e = 'e{low}'", lambda: f"length(big) > {pick.randrange(4000)}",
        ])()

    def insert(self) -> str:
        rows = []
        for _ in range(self.random.choice([1, 1, 5, 60])):
            key = self.next_id if self.random.random() < 0.97 else self.random.randrange(max(self.next_id, 1))
            unique = self.random.choice([f"'e{key}'", f"'e{key}'", "null"])
            rows.append(f"({key}, {self.value('a')}, {self.value('b')}, {self.value('c')}, {self.value('d')}, {unique}, "
                        f"{self.value('big')})")
            self.next_id += 1
        return "insert into thing (id, a, b, c, d, e, big) values " + ", ".join(rows)

    def propose(self) -> str:
        """Rows of which some are there already. Of those that propose one key twice none is updated, on either side."""
        pick, top = self.random, self.next_id
        keys = pick.sample(range(top + 8), min(pick.choice([1, 2, 6, 30]), top + 8))
        rows = [f"({key}, {self.value('a')}, {self.value('b')}, {self.value('c')}, {self.value('d')}, 'e{key}', {self.value('big')})" for key in keys]
        self.next_id = max(self.next_id, max(keys) + 1)
        target = pick.choice(["(id)", "(e)", "on constraint thing_pkey", "on constraint thing_e_key", "(id)"])
        change = pick.choice(["a = excluded.a", "a = thing.a + 1, b = excluded.b || thing.b", "c = coalesce(thing.c, 0) + excluded.c", "big = excluded.b",
                              "(b, d) = (excluded.b, excluded.d)", "b = default, a = excluded.a", "id = excluded.id, a = 3"])
        condition = pick.choice(["", "", " where thing.a < excluded.a", " where thing.b is not null", " where excluded.c > 250 or thing.d is null"])
        action = pick.choice(["on conflict do nothing", f"on conflict {target} do nothing", f"on conflict {target} do update set {change}{condition}",
                              f"on conflict {target} do update set {change}{condition}"])
        return f"insert into thing (id, a, b, c, d, e, big) values {', '.join(rows)} {action}"

    def returning(self) -> str:
        """What a statement is to return of the rows that it writes."""
        return self.random.choice(["", "", " returning id, a, b", " returning *", " returning id, upper(b), c * 2, a is null, length(big)"])

    def update(self) -> str:
        columns = self.random.sample(["a", "b", "c", "d", "big"], self.random.randrange(1, 4))
        return f"update thing set {', '.join(f'{name} = {self.value(name)}' for name in columns)} where {self.condition()}"

    def update_key(self) -> str:
        target, key = self.random.randrange(max(self.next_id, 1)), self.random.randrange(max(self.next_id, 1) * 2)
        column = self.random.choice([f"id = {key + 100000}", f"id = {key}", f"e = 'e{key}'", "e = null"])
        return f"update thing set {column} where id = {target}"

    def computed(self) -> str:
        change = self.random.choice(["a = a + 1", "b = b || 'z'", "c = c * 1.5", "a = -a, b = upper(b)", "big = big || b",
                                     "big = substring(big from 3)", "d = d - a"])
        return f"update thing set {change} where {self.condition()}"

    def added_value(self, column: str) -> str:
        return self.random.choice(ADDED[self.added[column]] + ["null", "default"])

    def alter(self) -> str:
        pick, commands = self.random, []
        for _ in range(pick.choice([1, 1, 2])):
            known = sorted(self.added)
            kind = pick.choice(["add", "add", "drop", "rename", "null", "default"]) if known else "add"
            if kind == "add" and len(known) < 6:
                name, self.next_column = f"x{self.next_column}", self.next_column + 1
                self.added[name] = pick.choice(sorted(ADDED))
                default = f" default {pick.choice(ADDED[self.added[name]])}" if pick.random() < 0.7 else ""
                commands.append(f"add {name} {self.added[name]}{default}{' not null' if default and pick.random() < 0.3 else ''}")
            elif kind == "rename" and not commands:
                old, new, self.next_column = pick.choice(known), f"x{self.next_column}", self.next_column + 1
                self.added[new] = self.added.pop(old)
                return f"alter table thing rename {old} to {new}"
            elif kind == "drop" and not commands:
                name = pick.choice(known)
                del self.added[name]
                return f"alter table thing drop {name}"
            elif kind == "null" and not commands:
                return f"alter table thing alter {pick.choice(known + ['a', 'd'])} {pick.choice(['set', 'drop', 'drop'])} not null"
            elif kind == "default" and not commands:
                name = pick.choice(known)
                return f"alter table thing alter {name} {pick.choice(['drop default', 'set default ' + ADDED[self.added[name]][0]])}"
        return "alter table thing " + ", ".join(commands) if commands else "alter table thing alter a drop default"

    def check(self) -> str:
        pick, name, known = self.random, f"check_{self.random.randrange(6)}", sorted(self.added)
        condition = pick.choice(CHECKS + [f"{column} is not null or id < {self.next_id}" for column in known])
        return "alter table thing " + pick.choice([
            lambda: f"add constraint {name} check ({condition})",
            lambda: f"add constraint {name} check ({condition}) not valid",
            lambda: f"add check ({condition})",
            lambda: f"validate constraint {name}",
            lambda: f"drop constraint if exists {name}, add constraint {name} check ({condition}) not valid",
            lambda: f"drop constraint {pick.choice([name, 'thing_a_check', 'thing_b_check', 'thing_c_check', 'thing_check'])}",
            lambda: f"rename constraint {name} to check_{pick.randrange(6)}",
        ])()

    def update_added(self) -> str:
        if not self.added:
            return self.update()
        column, other = (self.random.choice(sorted(self.added)) for _ in range(2))
        condition = self.random.choice([self.condition(), f"{other} is not null and {self.condition()}", f"{other} is null"])
        return f"update thing set {column} = {self.added_value(column)} where {condition}"

    def delete(self) -> str:
        return f"delete from thing where {self.condition()}"

    def merge(self) -> str:
        """Each row of the source has a key of its own."""
        pick, top = self.random, self.next_id
        keys = pick.sample(range(top + 8), min(pick.choice([1, 5, 30]), top + 8))
        self.next_id = max(self.next_id, max(keys) + 1)
        source = ", ".join(f"({key}, {pick.randrange(40)}, {self.text()})" for key in keys)
        matched = pick.choice(["update set a = s.a", "update set (b, a) = (s.b || thing.b, thing.a + s.a), c = 3", "delete", "do nothing", "update set id = s.id, d = default"])
        actions = [f"when matched and {pick.choice(['thing.a > s.a', 's.a % 2 = 0', 'thing.b is null'])} then {pick.choice(['delete', 'do nothing', 'update set b = s.b'])}"
                   if pick.random() < 0.5 else "", f"when matched then {matched}" if pick.random() < 0.8 else "",
                   f"when not matched and s.a > {pick.randrange(40)} then insert (id, a, b) values (s.id, s.a, s.b)" if pick.random() < 0.5 else "",
                   "when not matched then insert (a, id, b, e) values (s.a + 1, s.id, s.b, 'e' || s.id)" if pick.random() < 0.5 else "when not matched then do nothing"]
        return f"merge into thing using (values {source}) as s (id, a, b) on thing.id = s.id {' '.join(actions)}"

    def beside(self) -> str:
        """Two or three changes in one statement, which nobody waits for or which are read as a whole."""
        changes = [self.random.choice([self.update, self.delete, self.computed, self.insert])() for _ in range(self.random.choice([2, 2, 3]))]
        first = ", ".join(f"w{number} as ({change})" for number, change in enumerate(changes[1:]))
        return f"with {first} {changes[0]}"

    def moved(self) -> str:
        """Rows that are deleted and come again under other keys."""
        self.next_id += 2000
        return (f"with gone as (delete from thing where {self.condition()} returning *) insert into thing (id, a, b, c, d, e, big) "
                f"select id % 1000 + {self.next_id - 2000}, a, b, c, d, e, big from gone")

    def index(self) -> str:
        is_unique = self.random.random() < 0.2
        definition = self.random.choice(UNIQUE_INDEXES if is_unique else INDEXES)
        name = definition.split()[0]
        unique = "unique " if is_unique else ""
        return self.random.choice([f"create {unique}index if not exists {definition}", f"drop index if exists {name}"])

    def statement(self) -> str:
        kinds = [(self.insert, 8), (self.propose, 6), (self.update, 8), (self.update_key, 3), (self.computed, 4), (self.delete, 5), (self.index, 2),
                 (self.alter, 2), (self.update_added, 3), (self.check, 2), (self.merge, 4), (self.beside, 3), (self.moved, 1)]
        if self.random.random() < 0.005:
            return self.random.choice(["delete from thing", "truncate thing"])
        kind = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        is_change = kind not in (self.index, self.alter, self.check, self.merge)
        return kind() + (self.returning() if is_change else "")


def run(connection, statement: str):
    try:
        cursor = connection.execute(statement)
        return cursor.rowcount, sorted(cursor.fetchall(), key=repr) if cursor.description else None
    except psycopg.Error as error:
        return error.sqlstate


def is_same(actual, expected) -> bool:
    return actual == expected or (actual in INTEGRITY and expected in INTEGRITY)


def rows(connection, condition: str):
    return connection.execute(f"select * from thing where {condition} order by id").fetchall()


@pytest.mark.parametrize("round_number", range(3))
def test_random_changes(postgres, gnomon, round_number):
    generator = Generator(SEED + round_number)
    with postgres.connect() as reference, gnomon.connect() as connection:
        for side in (reference, connection):
            side.prepare_threshold = None  # ALTER TABLE changes what select * returns
            side.execute(TABLE)
            side.execute("set client_min_messages = error")
        try:
            for number in range(STATEMENTS):
                statement = generator.statement()
                label = f"seed {SEED + round_number}, statement {number}: {statement[:400]}"
                actual, expected = run(connection, statement), run(reference, statement)
                assert is_same(actual, expected), f"{label}: {actual} instead of {expected}"
                condition = generator.condition()
                assert rows(connection, condition) == rows(reference, condition), f"{label}; then {condition}"
                if number % 25 == 24:
                    assert rows(connection, "true") == rows(reference, "true"), label
            assert rows(connection, "true") == rows(reference, "true")
        finally:
            for side in (reference, connection):
                side.execute("drop table thing")
