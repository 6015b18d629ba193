"""Sessions propose rows with the same keys at once: nothing that one of them was told is lost, and nothing happens twice."""
import collections
import os
import random
import threading

import psycopg
import pytest

SEED = int(os.environ.get("CONCURRENT_PROPOSAL_SEED", "5"))
SESSIONS, TRANSACTIONS, KEYS = 6, 40, 25
RETRIED = {"40001", "40P01"}


class Worker(threading.Thread):
    """Counts what its committed transactions were told."""

    def __init__(self, server, level: str, seed: int):
        super().__init__()
        self.server, self.level, self.random = server, level, random.Random(seed)
        self.added = collections.Counter()  # by key: what its proposals added
        self.failure = None

    def run(self):
        try:
            with self.server.connect() as connection:
                connection.execute(f"set default_transaction_isolation = '{self.level}'")
                for _ in range(TRANSACTIONS):
                    self.transact(connection)
        except BaseException as failure:  # handed on to the test
            self.failure = failure

    def transact(self, connection):
        steps = []
        for _ in range(self.random.choice([1, 1, 2])):
            keys = sorted(self.random.sample(range(KEYS), self.random.choice([1, 1, 3])))
            steps.append((self.random.choice(["add", "add", "add", "keep", "delete"]), keys))
        while True:
            added = collections.Counter()
            try:
                with connection.transaction():
                    for kind, keys in steps:
                        self.step(connection, kind, keys, added)
            except psycopg.Error as error:
                if error.sqlstate in RETRIED:
                    continue
                raise
            for key, n in added.items():
                self.added[key] += n
            return

    def step(self, connection, kind: str, keys: list[int], added):
        rows = ", ".join(f"({key}, 1, 'key {key} of some length')" for key in keys)
        if kind == "delete":
            for key, n in connection.execute(f"delete from tally where k = {keys[0]} returning k, n").fetchall():
                added[key] -= n
        elif kind == "keep":
            given = connection.execute(f"insert into tally values {rows} on conflict do nothing returning k").fetchall()
            added.update(key for (key,) in given)
        else:
            given = connection.execute(f"insert into tally values {rows} on conflict (k) do update set n = tally.n + excluded.n returning k, n").fetchall()
            assert [key for key, _ in given] == keys
            added.update(keys)


@pytest.mark.parametrize("level", ["read committed", "repeatable read"])
def test_concurrent_proposals(gnomon, level):
    with gnomon.connect() as connection:
        connection.execute("create table tally (k integer primary key, n integer not null, s text unique)")
        try:
            workers = [Worker(gnomon, level, SEED * 100 + number) for number in range(SESSIONS)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for worker in workers:
                if worker.failure:
                    raise worker.failure
            total = collections.Counter()
            for worker in workers:
                for key, n in worker.added.items():
                    total[key] += n
            rows = dict(connection.execute("select k, n from tally").fetchall())
            assert {key: rows.get(key, 0) for key in range(KEYS)} == {key: total[key] for key in range(KEYS)}
            assert connection.execute("select count(*), count(distinct k), count(distinct s) from tally").fetchone() == (len(rows),) * 3
        finally:
            connection.execute("drop table tally")
