"""Draws interleavings from a seed, and makes those smaller in which two servers differ."""
import random

from isolation.interleaving import READ_COMMITTED, REPEATABLE_READ, Script, Step

TABLES = (
    "create table r (id integer primary key, v integer)",
    "create table q (id integer primary key, v integer, w integer)",
    "create index q_v on q (v)",
    "create unique index q_w on q (w)",
)
SETUP = (
    "truncate r, q",
    "insert into r values (1, 10), (2, 20), (3, 30), (4, 40)",
    "insert into q values (1, 10, 1), (2, 20, 2), (3, 30, null)",
)
SHOWN = ("select * from r", "select * from q", "select id from r where id > -1000", "select id, v from q where v > -1000", "select id, w from q where w > -1000")
SHRINKS_MAX = 80


class Generator:
    """Statements over few rows, so that sessions meet; what a statement does never depends on the order in which it finds rows."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)

    def key(self) -> int:
        return self.random.choice([1, 1, 1, 2, 2, 3, 4, 6])

    def new_key(self) -> int:
        return self.random.choice([6, 6, 6, 7, 7, 2])

    def condition(self) -> str:
        pick, low = self.random, self.random.choice([10, 20, 30, 40])
        key = self.key()
        return pick.choice([f"id = {key}"] * 4 + [f"id between {key} and {key + 1}", f"v = {low}", f"v >= {low}", f"v < {low + 5}", f"v % 20 = {low % 20}"])

    def table(self) -> str:
        return self.random.choice("rrrq")

    def select(self) -> str:
        table = self.table()
        columns = self.random.choice(["*", "id, v", "count(*), sum(v)"])
        return f"select {columns} from {table}" + self.random.choice(["", f" where {self.condition()}", f" where {self.condition()}"])

    def join(self) -> str:
        return "select r.id, r.v, q.v from r join q on r.id = q.id" + self.random.choice(["", f" where r.id = {self.key()}"])

    def update(self) -> str:
        change = self.random.choice([f"v = v + {self.random.choice([1, 10, -10])}"] * 3 + [f"v = {self.random.choice([10, 20, 30, 99])}"])
        return f"update {self.table()} set {change} where {self.condition()}"

    def update_key(self) -> str:
        return self.random.choice([f"update r set id = {self.new_key()} where id = {self.key()}", f"update q set w = {self.new_key()} where id = {self.key()}"])

    def update_from(self) -> str:
        return f"update q set v = q.v + r.v from r where r.id = q.id and q.id = {self.key()}"

    def insert(self) -> str:
        key = self.new_key()
        return self.random.choice([f"insert into r values ({key}, {self.random.choice([10, 20, 60])})"] * 3 + [f"insert into q values ({key}, 60, {self.new_key()})"])

    def delete(self) -> str:
        return f"delete from {self.table()} where {self.condition()}"

    def lock(self) -> str:
        how = self.random.choice(["for update"] * 4 + ["for share"] * 2 + ["for update nowait", "for share nowait", "for update skip locked"])
        return f"select id, v from {self.table()} where {self.condition()} {how}"

    def failing(self) -> str:
        return "select 1 / (id - 2) from r"

    def statement(self) -> str:
        kinds = [
            (self.select, 4), (self.join, 0.7), (self.update, 10), (self.update_key, 1.5), (self.update_from, 0.7), (self.insert, 3.5), (self.delete, 2), (self.lock, 3),
            (self.failing, 0.15),
        ]  # fmt: skip
        return self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    def transaction(self, level: str) -> list[str]:
        statements, saved = [f"begin isolation level {level}"], False
        for _ in range(self.random.randrange(2, 6)):
            if self.random.random() < 0.12:
                statements.append("savepoint s")
                saved = True
            elif saved and self.random.random() < 0.3:
                statements.append("rollback to s")
            else:
                statements.append(self.statement())
        return [*statements, self.random.choices(["commit", "rollback"], [4, 1])[0]]

    def script(self) -> Script:
        names = "abc"[: self.random.choice([2, 2, 3])]
        level = self.random.choice([READ_COMMITTED, REPEATABLE_READ])
        levels = {name: level if self.random.random() < 0.8 else self.random.choice([READ_COMMITTED, REPEATABLE_READ]) for name in names}
        left = {name: self.transaction(levels[name]) for name in names}
        steps = []
        while left:
            name = self.random.choice(sorted(left))
            steps.append(Step(len(steps) + 1, name, left[name].pop(0)))
            if not left[name]:
                del left[name]
        return Script(tuple(steps), levels, SETUP, SHOWN, drawn=True)


def script_of(seed: int, number: int, attempt: int = 0) -> Script:
    return Generator(f"{seed}.{number}.{attempt}").script()


def smaller(script: Script):
    """The same script without one of its statements, or without a whole session."""
    for name in sorted(script.levels):
        if len(script.levels) > 2:
            levels = {known: level for known, level in script.levels.items() if known != name}
            yield Script(tuple(step for step in script.steps if step.session != name), levels, script.setup, script.tables, script.drawn)
    for dropped in script.steps:
        if not dropped.text.startswith(("begin", "commit", "rollback")) or dropped.text == "rollback to s":
            yield Script(tuple(step for step in script.steps if step != dropped), script.levels, script.setup, script.tables, script.drawn)


def shrunk(script: Script, differs) -> Script:
    """The smallest script found for which `differs` holds."""
    tries = 0
    while tries < SHRINKS_MAX:
        for candidate in smaller(script):
            tries += 1
            if differs(candidate):
                script = candidate
                break
            if tries >= SHRINKS_MAX:
                break
        else:
            break
    return script
