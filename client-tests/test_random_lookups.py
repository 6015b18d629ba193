"""Lookups by whole keys find what a model says, while rows with the same keys come, go, move and are taken back, pages leave memory, and older
snapshots look on: where a tuple was found last is remembered, and may be wrong."""
import os
import random

import pytest

import servers

STEPS = int(os.environ.get("RANDOM_LOOKUP_COUNT", "4000"))
SEED = int(os.environ.get("RANDOM_LOOKUP_SEED", "5"))
KEYS = 400
LOOKUPS = {
    "number": ("select v from item where a = %s and b = %s", lambda key: (key // 20, key % 20)),
    "text": ("select v from item where name = %s and a = %s", lambda key: (name_of(key), key // 20)),
    "amount": ("select v from item where amount = %s::numeric(9, 2) and a = %s", lambda key: (f"{key}.25", key // 20)),
}
# A row with all of its keys, wide enough that few fit into a page.
INSERT = "insert into item (a, b, name, amount, v, filler) values (%s, %s, %s, %s::numeric, %s, repeat('x', %s))"


# Rows that stay, so that plans read by the indexes.
BASE = "insert into item select 1000 + n / 20, n % 20, 'base-' || n, -n, n, '' from generate_series(1, 5000) n"


def name_of(key: int) -> str:
    return f"{'key' if key % 2 else 'a longer key, beyond twelve bytes'}-{key}"


class Model:
    """The value of each key that there is: what is committed, and what the open transaction sees."""

    def __init__(self):
        self.committed: dict[int, int] = {}
        self.own: dict[int, int] | None = None

    @property
    def now(self) -> dict[int, int]:
        return self.committed if self.own is None else self.own


class Run:
    def __init__(self, server, seed: int):
        self.random = random.Random(seed)
        self.model = Model()
        self.next_value = 0
        self.writer = server.connect(prepare_threshold=0)
        self.reader = server.connect(prepare_threshold=0)
        self.seen: dict[int, int] | None = None  # by the reader's snapshot; None: it has none
        self.steps = {
            "look": (40, self.look), "look_back": (20, self.look_back), "look_together": (5, self.look_together), "insert": (25, self.insert), "delete": (10, self.delete), "update": (20, self.update),
            "move": (6, self.move), "begin": (4, self.begin), "end": (6, self.end), "snapshot": (3, self.snapshot), "many": (2, self.many), "truncate": (0.1, self.truncate),
            "vacuum": (0.5, self.vacuum),
        }  # fmt: skip

    def step(self):
        names = list(self.steps)
        name = self.random.choices(names, [self.steps[name][0] for name in names])[0]
        self.steps[name][1]()

    def find(self, connection, key: int, kind: str) -> list[int]:
        query, parameters = LOOKUPS[kind]
        return [row[0] for row in connection.execute(query, parameters(key))]

    def check(self, connection, rows: dict[int, int]):
        key = self.random.randrange(KEYS)
        kind = self.random.choice(list(LOOKUPS))
        assert self.find(connection, key, kind) == ([rows[key]] if key in rows else []), (key, kind)

    def look(self):
        self.check(self.writer, self.model.now)

    def look_together(self):
        """Some keys in one query, some of them twice."""
        keys = [self.random.randrange(KEYS) for _ in range(self.random.choice([3, 30]))]
        wanted = [LOOKUPS["number"][1](key) for key in keys]
        query = "select i.v from unnest(%s::integer[], %s::integer[]) wanted (a, b) join item i on i.a = wanted.a and i.b = wanted.b"
        found = self.writer.execute(query, ([a for a, _ in wanted], [b for _, b in wanted]))
        now = self.model.now
        assert sorted(row[0] for row in found) == sorted(now[key] for key in keys if key in now)

    def look_back(self):
        self.check(self.reader, self.model.committed if self.seen is None else self.seen)

    def add(self, key: int):
        self.next_value += 1
        self.writer.execute(INSERT, (*LOOKUPS["number"][1](key), name_of(key), f"{key}.25", self.next_value, self.random.choice([10, 300, 3000])))
        self.model.now[key] = self.next_value

    def absent(self) -> list[int]:
        return [key for key in range(KEYS) if key not in self.model.now]

    def insert(self):
        if absent := self.absent():
            self.add(self.random.choice(absent))

    def picked(self) -> int | None:
        return self.random.choice(list(self.model.now)) if self.model.now else None

    def delete(self):
        if (key := self.picked()) is not None:
            self.writer.execute("delete from item where a = %s and b = %s", LOOKUPS["number"][1](key))
            del self.model.now[key]

    def update(self):
        if (key := self.picked()) is not None:
            self.next_value += 1
            self.writer.execute("update item set v = %s, filler = repeat('y', %s) where name = %s", (self.next_value, self.random.choice([10, 300, 9000]), name_of(key)))
            self.model.now[key] = self.next_value

    def move(self):
        """A row gets the keys of one that is not there."""
        absent = self.absent()
        if (key := self.picked()) is not None and absent:
            to = self.random.choice(absent)
            self.writer.execute(
                "update item set a = %s, b = %s, name = %s, amount = %s::numeric where amount = %s::numeric",
                (*LOOKUPS["number"][1](to), name_of(to), f"{to}.25", f"{key}.25"),
            )
            self.model.now[to] = self.model.now.pop(key)

    def begin(self):
        if self.model.own is None:
            self.writer.execute("begin")
            self.model.own = dict(self.model.committed)

    def end(self):
        if self.model.own is None:
            return
        if self.random.random() < 0.5:
            self.writer.execute("commit")
            self.model.committed = self.model.own
        else:
            self.writer.execute("rollback")
        self.model.own = None

    def snapshot(self):
        if self.seen is not None:
            self.reader.execute("commit")
            self.seen = None
            return
        self.reader.execute("begin isolation level repeatable read")
        self.reader.execute("select count(*) from item")
        self.seen = dict(self.model.committed)

    def many(self):
        """Pages leave memory."""
        self.writer.execute("select count(*), sum(length(filler)) from other")

    def truncate(self):
        if self.model.own is None and self.seen is None:
            self.writer.execute("truncate item")
            self.writer.execute(BASE)
            self.model.committed = {}

    def vacuum(self):
        if self.model.own is None:
            self.writer.execute("vacuum item")


@pytest.mark.parametrize("part", range(2))
def test_lookups_agree_with_a_model(only_gnomon, part):
    """With keys of integers, texts and numerics; in a pool that holds less than there is."""
    server = servers.new_gnomon(buffer_pool="16MB")
    partitions = " partition by hash (a)" if part else ""
    try:
        server.start()
        with server.connect() as connection:
            keys = "unique (a, b), unique (a, name), unique (a, amount)" if part else "unique (a, b), unique (name), unique (amount)"
            connection.execute(f"create table item (a integer, b smallint, name varchar(40), amount numeric(9, 2), v bigint, filler text, {keys}){partitions}")
            for number in range(3 if part else 0):
                connection.execute(f"create table item_{number} partition of item for values with (modulus 3, remainder {number})")
            connection.execute(BASE)
            connection.execute("analyze item")
            for query, parameters in LOOKUPS.values():
                plan = connection.execute(f"explain {query}", parameters(7)).fetchall()
                assert any("Index Scan using" in line for (line,) in plan), plan
            connection.execute("create table other as select n, repeat('z', 2000) filler from generate_series(1, 12000) n")
        run = Run(server, SEED + part)
        for step in range(STEPS):
            try:
                run.step()
            except Exception as error:
                raise AssertionError(f"step {step} of seed {SEED + part}") from error
        run.writer.execute("rollback")
        rows = dict(run.writer.execute("select a * 20 + b, v from item where a < 1000").fetchall())
        assert rows == run.model.committed
        run.writer.close()
        run.reader.close()
        assert server.stop() == 0
    finally:
        server.remove()
