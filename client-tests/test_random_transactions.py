"""Random transactions of one session: blocks, savepoints, changes, errors. After each statement Gnomon and PostgreSQL hold the same rows."""
import os

import psycopg
import pytest

from test_random_changes import INDEXES, TABLE, UNIQUE_INDEXES, Generator, rows

STATEMENTS = int(os.environ.get("RANDOM_TRANSACTION_COUNT", "400"))
SEED = int(os.environ.get("RANDOM_TRANSACTION_SEED", "5"))
NAMES = ["s", "t", '"S"']  # few, so that savepoints hide one another
EVERYTHING, SMALL = "true", "length(big) < 100"


class TransactionGenerator(Generator):
    """Statements that begin, end, nest and fail; it is told the status that the last one left the session in."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.savepoints = []  # names, oldest first

    def fill(self) -> str:
        rows = (f"({key}, {self.value('a')}, {self.value('b')}, {self.value('c')}, {self.value('d')}, 'e{key}', {self.value('big')})" for key in range(150))
        self.next_id = 150
        return "insert into thing (id, a, b, c, d, e, big) values " + ", ".join(rows)

    def failing(self) -> str:
        """What fails always, or when a row is there for it."""
        low = self.random.randrange(max(self.next_id, 1))
        return self.random.choice([
            "select 1/0", "select nosuch from thing", "selec 1", "insert into nosuch values (1)", "insert into thing (id, a) values (null, 1)",
            f"insert into thing (id, a) values ({low}, 1)", f"insert into thing (id, a) values (-1, 1), (-2, 2), ({low}, 3), (-1, 4)",
            f"update thing set a = 10 / (a - {low % 40}) where {self.condition()}", f"update thing set c = c * 10000 where {self.condition()}",
            f"update thing set id = {low} where {self.condition()}", f"update thing set e = 'e{low}' where {self.condition()}",
            f"insert into thing (id, a, e) select id + 1000000, a, e from thing where {self.condition()}",
            f"delete from thing where {self.condition()} and 1 / (id - {low}) >= 0",
        ])

    def many(self) -> str:
        """Moves rows to new keys and back, so that keys come and go within a transaction."""
        return self.random.choice([
            f"update thing set id = -id - 1 where {self.condition()}", "update thing set id = -id - 1 where id < 0",
            f"insert into thing (id, a, b, c, d, big) select id + 2000000, a, b, c, d, big from thing where id < 2000000 and {self.condition()}",
            "delete from thing where id >= 1000000", f"update thing set e = 'again ' || id where {self.condition()}",
        ])

    def change(self) -> str:
        kinds = [(self.insert, 8), (self.update, 7), (self.update_key, 3), (self.computed, 4), (self.delete, 4), (self.many, 4), (self.failing, 3)]
        if self.random.random() < 0.01:
            return "delete from thing"
        return self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    def string(self) -> str:
        """Several statements of one Query message, of which some have a block of their own."""
        return "; ".join(self.random.choice([self.change, self.change, self.begin, self.end])() for _ in range(self.random.randrange(2, 5)))

    def begin(self) -> str:
        return self.random.choice(["begin"] * 5 + ["start transaction", "begin isolation level repeatable read", "begin isolation level repeatable read", "begin read only"])

    def end(self) -> str:
        return self.random.choice(["commit"] * 6 + ["rollback"] * 4 + ["end", "abort", "commit and chain", "rollback and chain"])

    def savepoint(self) -> str:
        known = self.savepoints if self.savepoints and self.random.random() < 0.9 else NAMES
        name = self.random.choice(known)
        return self.random.choice([f"savepoint {self.random.choice(NAMES)}"] * 2 + [f"rollback to {name}"] * 2 + [f"release {name}"])

    def next(self, status: str) -> str:
        if status == "IDLE":
            kinds = [(self.begin, 12), (self.change, 4), (self.string, 3), (self.index, 2), (self.end, 0.3), (self.savepoint, 0.3)]
        elif status == "INTRANS":
            kinds = [(self.change, 14), (self.savepoint, 6), (self.end, 2.5), (self.begin, 0.2)]
        else:
            back = f"rollback to {self.random.choice(self.savepoints or NAMES)}"
            kinds = [(lambda: back, 6 if self.savepoints else 0.3), (self.end, 1 if self.savepoints else 3), (self.change, 0.6), (self.savepoint, 0.6)]
        return self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]()

    def done(self, statement: str, status: str, failed: bool):
        """Keeps the list of savepoints as the statement left it."""
        word, name = statement.split()[0], statement.split()[-1]
        if status == "IDLE" or "chain" in statement:
            self.savepoints = []
        elif failed:
            return
        elif word == "savepoint":
            self.savepoints.append(name)
        elif word in ("release", "rollback"):
            last = len(self.savepoints) - self.savepoints[::-1].index(name)
            del self.savepoints[last - (word == "release"):]


def run(connection, statement: str, prepared: bool):
    """The affected rows of each result, or the SQLSTATE; with the status of the transaction afterwards."""
    try:
        cursor, counts = connection.execute(statement, prepare=prepared), []
        while True:
            counts.append((cursor.statusmessage, cursor.rowcount))
            if not cursor.nextset():
                break
        outcome = counts
    except psycopg.Error as error:
        outcome = error.sqlstate
    return outcome, connection.info.transaction_status.name


@pytest.mark.parametrize("round_number", range(3))
def test_random_transactions(postgres, gnomon, round_number):
    generator = TransactionGenerator(SEED + round_number)
    fill, history = generator.fill(), []
    with postgres.connect() as reference, gnomon.connect() as connection, gnomon.connect() as observer:
        for side in (reference, connection):
            side.execute(TABLE)
            side.execute(fill)
            side.execute("set client_min_messages = error")
        status, committed = "IDLE", rows(observer, SMALL)
        try:
            for number in range(STATEMENTS):
                statement = generator.next(status)
                prepared = ";" not in statement and generator.random.random() < 0.2
                history = [*(history if status != "IDLE" else []), statement[:200]]
                label = f"seed {SEED + round_number}, statement {number}: {statement[:400]}\nthe block so far: " + "; ".join(history)
                expected = run(reference, statement, prepared)
                assert run(connection, statement, prepared) == expected, label
                status = expected[1]
                generator.done(statement, status, isinstance(expected[0], str))
                if status != "INERROR":
                    condition = generator.condition()
                    assert rows(connection, condition) == rows(reference, condition), f"{label}; then {condition}"
                if status == "IDLE" or "chain" in statement or ";" in statement:
                    if status != "INERROR":
                        assert rows(connection, EVERYTHING) == rows(reference, EVERYTHING), label
                    committed = rows(observer, SMALL)
                elif number % 5 == 0:
                    assert rows(observer, SMALL) == committed, f"{label}; another session sees it"
            for side in (reference, connection):
                side.execute("rollback")
            assert rows(connection, EVERYTHING) == rows(reference, EVERYTHING)
        finally:
            for side in (reference, connection):
                side.execute("rollback")
                side.execute("drop table thing")


def test_the_generator_covers_what_it_is_for():
    """Played to nobody: every kind of statement is there, and a seed decides all of them."""
    def play(seed):
        generator, statements = TransactionGenerator(seed), []
        for number in range(3000):
            statements.append(generator.next(("IDLE", "INTRANS", "INTRANS", "INERROR")[number % 4]))
        return statements

    first = play(1)
    assert first == play(1) != play(2)
    everything = "\n".join(first)
    for part in ("begin", "repeatable read", "read only", "savepoint s", "rollback to", "release", "commit and chain", "; ", "create unique index", "drop index", "insert", "delete", "1/0"):
        assert part in everything, part
    assert {name.split()[0] for name in INDEXES + UNIQUE_INDEXES} <= set(everything.split())
