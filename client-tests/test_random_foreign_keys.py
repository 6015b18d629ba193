"""Random tables that refer to one another, with all actions: after each statement Gnomon and PostgreSQL hold the same rows."""
import os
import random

import psycopg
import pytest

STATEMENTS = int(os.environ.get("RANDOM_KEY_STATEMENTS", "120"))
SEEDS = [int(seed) for seed in os.environ.get("RANDOM_KEY_SEEDS", "1,2,3,4").split(",")]
TABLES = ["t0", "t1", "t2", "t3"]
ACTIONS = ["no action", "restrict", "cascade", "cascade", "set null", "set default"]
# Which of several rows is reported depends on their order.
INTEGRITY = {"23502", "23503", "23505", "23514"}
KEY_VALUES = 12
# By id; the second of these is partitioned in turn.
PARTITIONS = {0: "from (minvalue) to (4)", 1: "from (4) to (8)", 2: "from (8) to (maxvalue)"}


class Generator:
    def __init__(self, seed: int, partitioned: tuple[str, ...] = ()):
        self.random = random.Random(seed)
        self.partitioned = partitioned
        self.detached = set()  # (table, number of the partition), as far as is known
        self.keys = []  # (child, name)
        self.next_key = 0

    def tables(self) -> list[str]:
        made = [f"create table {name} (id integer primary key, u integer {'' if name in self.partitioned else 'unique'}, a integer, "
                f"b integer default {self.random.randrange(4)}, c bigint check (c < 90), unique (u, id))"
                + (" partition by range (id)" if name in self.partitioned else "") for name in TABLES]
        for name in self.partitioned:
            made += [f"create table {name}_{number} partition of {name} for values {bounds}" + (" partition by range (id)" if number == 1 else "")
                     for number, bounds in PARTITIONS.items()]
            made += [f"create table {name}_1{part} partition of {name}_1 for values {bounds}"
                     for part, bounds in (("a", "from (4) to (6)"), ("b", "from (6) to (8)"))]
        made += [f"create index on {name} ({column})" for name in TABLES for column in ("a", "b, c") if self.random.random() < 0.5]
        return made + [self.add_key() for _ in range(self.random.randrange(4, 8))]

    def add_key(self) -> str:
        pick = self.random
        child, name = pick.choice(TABLES), f"k{self.next_key}"
        self.next_key += 1
        self.keys.append((child, name))
        parent = pick.choice(TABLES)
        is_partitioned = parent in self.partitioned
        if is_partitioned and child != parent and pick.random() < 0.4:
            parent += pick.choice(["_0", "_1", "_1a", "_2"])
        columns, parent_columns = pick.choice([("a", "id"), ("b", "id"), ("u", "id"), ("a, c", "u, id"), ("c, b", "u, id")]
                                              + ([] if is_partitioned else [("c", "u"), ("a", "u")]))
        actions = f"on delete {pick.choice(ACTIONS)} on update {pick.choice(ACTIONS)}"
        match = pick.choice(["", "", "match full "])
        valid = pick.choice(["", "", " not valid"])
        return (f"alter table {child} add constraint {name} foreign key ({columns}) references {parent} ({parent_columns}) "
                f"{match}{actions}{valid}")

    def deferrable_key(self) -> str:
        key = self.add_key().removesuffix(" not valid")
        return key + self.random.choice(["", " deferrable", " deferrable initially deferred", " deferrable initially deferred"])

    def block(self) -> list[str]:
        """A transaction that may put references off; no definition, for who has put what off differs."""
        pick, lines = self.random, ["begin"]
        for _ in range(pick.randrange(1, 6)):
            line = self.statement()
            lines.append(line if not line.startswith("alter") else self.insert())
            lines += pick.choice([[], [], [], [], ["savepoint s"], ["rollback to s"],
                                  ["set constraints all deferred"], ["set constraints all immediate"]])
        return lines + [pick.choice(["commit", "commit", "commit", "rollback"])]

    def value(self) -> str:
        return "null" if self.random.random() < 0.2 else str(self.random.randrange(KEY_VALUES))

    def statement(self) -> str:
        pick, table = self.random, self.random.choice(TABLES)
        key = pick.randrange(KEY_VALUES)
        return pick.choice([
            self.insert, self.insert, self.insert, self.insert,
            lambda: f"delete from {table} where id = {key}",
            lambda: f"delete from {table} where {pick.choice('uabc')} = {key} and id = {pick.randrange(KEY_VALUES)}",
            lambda: f"update {table} set id = {pick.randrange(KEY_VALUES)} where id = {key}",
            lambda: f"update {table} set u = {self.value()} where id = {key}",
            lambda: f"update {table} set {pick.choice('abc')} = {self.value()} where id = {key}",
            lambda: f"update {table} set a = {self.value()}, c = {self.value()} where id = {key}",
            lambda: f"update {table} set id = {pick.randrange(KEY_VALUES)}, u = {self.value()}, b = {self.value()} where id = {key}",
            lambda: self.change_keys() if pick.random() < 0.3 else self.insert(),
            lambda: self.change_partitions() if self.partitioned and pick.random() < 0.5 else self.insert(),
        ])()

    def change_partitions(self) -> str:
        """A partition goes or comes back, or rows of one alone are changed."""
        pick, table, number = self.random, self.random.choice(self.partitioned), self.random.choice(list(PARTITIONS))
        part = f"{table}_{number}"
        key = pick.randrange(KEY_VALUES)
        if (table, number) in self.detached:
            self.detached.discard((table, number))
            return f"alter table {table} attach partition {part} for values {PARTITIONS[number]}"
        if pick.random() < 0.3:
            self.detached.add((table, number))
            return f"alter table {table} detach partition {part}"
        return pick.choice([f"delete from {part} where id = {key}", f"update {part} set id = {pick.randrange(KEY_VALUES)} where id = {key}",
                            f"update {part} set a = {self.value()} where id = {key}", f"truncate {part}"])

    def change_keys(self) -> str:
        if len(self.keys) < 3 or self.random.random() < 0.6:
            return self.add_key()
        child, name = self.keys.pop(self.random.randrange(len(self.keys)))
        return f"alter table {child} {self.random.choice(['drop', 'validate'])} constraint {name}"

    def insert(self) -> str:
        rows = [f"({self.random.randrange(KEY_VALUES)}, {self.value()}, {self.value()}, {self.value()}, {self.value()})"
                for _ in range(self.random.choice([1, 1, 1, 2]))]
        return f"insert into {self.random.choice(TABLES)} values {', '.join(rows)}"


def drop_all(generator, *connections):
    names = TABLES + [f"{table}_{number}" for table in generator.partitioned for number in PARTITIONS]
    for connection in connections:
        connection.execute("rollback")
        connection.execute("drop table if exists " + ", ".join(names) + " cascade")


def outcome(connection, sql: str):
    try:
        return connection.execute(sql).rowcount
    except psycopg.Error as error:
        return "integrity" if error.sqlstate in INTEGRITY else error.sqlstate


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_stay_the_same(postgres, gnomon, seed):
    compare(postgres, gnomon, seed, Generator(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_partitioned_tables_stay_the_same(postgres, gnomon, seed):
    compare(postgres, gnomon, seed, Generator(seed, partitioned=("t1", "t2")))


def compare(postgres, gnomon, seed, generator):
    with postgres.connect() as reference, gnomon.connect() as tested:
        try:
            script = generator.tables() + [generator.statement() for _ in range(STATEMENTS)]
            for number, sql in enumerate(script):
                expected, actual = outcome(reference, sql), outcome(tested, sql)
                assert actual == expected, f"seed {seed}, statement {number}: {sql}\n" + ";\n".join(script[: number + 1])
                for table in TABLES if number >= len(TABLES) else []:
                    query = f"select * from {table} order by id"
                    assert tested.execute(query).fetchall() == reference.execute(query).fetchall(), f"seed {seed}, statement {number}: {sql}"
        finally:
            drop_all(generator, reference, tested)


@pytest.mark.parametrize("partitioned", [(), ("t1", "t2")], ids=["plain", "partitioned"])
@pytest.mark.parametrize("seed", SEEDS)
def test_deferred_keys_are_looked_at_when_postgresql_does(postgres, gnomon, seed, partitioned):
    generator = Generator(seed, partitioned)
    with postgres.connect() as reference, gnomon.connect() as tested:
        try:
            script = generator.tables() + [generator.insert() for _ in range(20)] + [generator.deferrable_key() for _ in range(4)]
            for _ in range(STATEMENTS // 2):
                script += generator.block() if generator.random.random() < 0.8 else [generator.insert()]
            for number, sql in enumerate(script):
                expected, actual = outcome(reference, sql), outcome(tested, sql)
                place = f"seed {seed}, statement {number}: {sql}\n" + ";\n".join(script[: number + 1])
                assert actual == expected, place
                assert tested.info.transaction_status == reference.info.transaction_status, place
                if number < len(TABLES) or tested.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
                    continue
                for table in TABLES:
                    query = f"select * from {table} order by id"
                    assert tested.execute(query).fetchall() == reference.execute(query).fetchall(), place
        finally:
            drop_all(generator, reference, tested)
