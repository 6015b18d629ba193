"""CREATE INDEX beside readers: they go on, also with snapshots that are older than the index. Scenarios are played to PostgreSQL and to
Gnomon, and the transcripts must be the same."""
import random
import threading

import psycopg
import pytest

from wire.protocol import bind, execute, query, sync
from wire.test_kept_plans import prepare, run, transcript

DIGITS = "(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))"
ROWS = 4000
GROUPS = 400
# Large enough for an index to pay.
FILL = (
    f"insert into grown select n, n % {GROUPS}, 'name ' || n from (select 1000 * w.n + 100 * x.n + 10 * y.n + z.n as n "
    f"from {DIGITS} as w (n), {DIGITS} as x (n), {DIGITS} as y (n), {DIGITS} as z (n) where w.n < {ROWS // 1000}) as numbers"
)
BEGIN = f"create table grown (a integer primary key, b integer, c text); create table few (n integer); {FILL}; insert into few values (7), (8), (9), (500)"
END = "drop table if exists grown; drop table if exists few"

READS = (
    "select a, c from grown where b = 7 order by a",
    "select count(*), sum(a) from grown where b between 7 and 9",
    "select count(*), sum(a) from grown where b >= 500",
    "select n, a from few join grown on b = n order by n, a",
    "select n, count(a) from few left join grown on b = n group by n order by n",
    "select a, b from grown order by b, a limit 5",
    "select min(b), max(b) from grown",
    "select x.s, y.s from (select sum(a) as s from grown where b = 7) as x, (select sum(a) as s from grown where b = 500) as y",
    "select max(a) from grown where b = 8",
)
CHANGE = "update grown set b = 500 where b = 7; delete from grown where b = 8; insert into grown values (4001, 9, 'late'), (4002, 500, 'late')"
PREPARED = "select a from grown where b = $1 order by a"
KINDS = {
    "index": "create index grown_b on grown (b)",
    "two columns": "create index grown_b on grown (b, a)",
    "unique": "create unique index grown_b on grown (b, a)",
    "partial": "create index grown_b on grown (b) where b > 5",
}


def reads(who: str, statements=READS) -> list:
    return [(who, query(statement)) for statement in statements]


def runs(who: str, *values) -> list:
    return [(who, run("s", value)) for value in values]


def older_snapshot(create: str) -> list:
    return [
        ("b", prepare(PREPARED)),
        *runs("b", 7, 8, 7),
        ("b", query("begin isolation level repeatable read")),
        ("b", query("select count(*) from few")),
        ("a", query(CHANGE)),
        ("a", query(create)),
        *reads("b"),
        *runs("b", 7, 8, 9, 500, 7),
        ("a", prepare(PREPARED)),
        *runs("a", 7, 8, 9, 500, 7),
        ("a", query("update grown set b = 7 where a = 4002")),
        *reads("b"),
        *runs("b", 7, 8, 9, 500, 7),
        ("b", query("commit")),
        *reads("b"),
        *runs("b", 7, 8, 9, 500, 7),
        *reads("a"),
    ]


SCENARIOS = {
    **{f"a snapshot that is older than what is made: {name}": older_snapshot(create) for name, create in KINDS.items()},
    "readers beside an index that is not committed": [
        ("b", prepare(PREPARED)),
        *runs("b", 7, 8, 7),
        ("a", query("begin; " + CHANGE)),
        ("a", query("create index grown_b on grown (b)")),
        *reads("a"),
        *reads("b"),
        *runs("b", 7, 8, 500),
        ("b", query("copy (select a, b from grown where b = 7 order by a) to stdout")),
        ("b", query("set lock_timeout = '200ms'")),
        *(("b", query(statement)) for statement in ("insert into grown values (5000, 1, 'x')", "update grown set b = 1 where a = 1", "delete from grown where a = 1", "truncate grown", "alter table grown drop constraint grown_pkey", "alter table grown add d integer", "vacuum grown", "analyze grown")),
        ("a", query("commit")),
        ("b", query("insert into grown values (5000, 7, 'x')")),
        *reads("b"),
        *runs("b", 7, 8, 500),
    ],
    "an index that is rolled back beside readers": [
        ("b", query("begin")),
        ("b", prepare("select a from grown where b >= $1 order by a")),
        ("b", bind([b"390"], statement="s", portal="p") + execute("p", 3) + sync()),
        ("a", query("begin")),
        ("a", query("create index grown_b on grown (b)")),
        ("b", execute("p", 3) + sync()),
        ("b", bind([b"398"], statement="s", portal="q") + execute("q", 3) + sync()),
        ("a", query("rollback")),
        ("b", execute("p", 3) + execute("q") + sync()),
        *runs("b", 399),
        *reads("b"),
        ("a", query("begin; savepoint one; create index grown_b on grown (b); create index grown_c on grown (c)")),
        ("b", execute("p", 3) + sync()),
        *reads("a", READS[:3]),
        ("a", query("rollback to one")),
        *reads("a", READS[:3]),
        ("a", query("create index grown_c on grown (b)")),
        *reads("a", READS[:3]),
        *reads("b"),
        ("a", query("commit")),
        *reads("b"),
        ("b", execute("p") + sync()),
        ("b", query("commit")),
        ("a", query("drop index grown_c")),
        *reads("b"),
    ],
    "changes with an older snapshot": [
        ("b", query("begin isolation level repeatable read")),
        ("b", query("select count(*) from few")),
        ("a", query("update grown set c = 'changed' where b = 3")),
        ("a", query("create index grown_b on grown (b)")),
        ("b", query("update grown set c = 'mine' where b = 7")),
        ("b", query("delete from grown where b = 8")),
        ("b", query("insert into few select a from grown where b = 9")),
        ("b", query("update grown set b = b + 1000 from few where n = b and a < 1000")),
        ("b", query("savepoint s")),
        ("b", query("update grown set c = 'mine' where b = 3")),
        ("b", query("rollback to s")),
        ("b", query("select a from grown where b = 12 order by a for update")),
        *reads("b"),
        ("b", query("commit")),
        *reads("a"),
        ("a", query("select n from few order by n")),
        ("a", query("select a, b, c from grown where c in ('mine', 'changed') order by a")),
    ],
    "an index of the own transaction that is newer than its snapshot": [
        ("a", query("begin isolation level repeatable read")),
        ("a", query("select count(*) from few")),
        ("b", query(CHANGE)),
        ("a", query("create index grown_b on grown (b)")),
        *reads("a"),
        ("a", query("update grown set c = 'mine' where b = 12")),
        ("a", query("commit")),
        *reads("a"),
        *reads("b"),
    ],
    "numerics that need another plan, too": [
        ("b", query("begin isolation level repeatable read")),
        ("b", query("select count(*) from few")),
        ("a", query(CHANGE)),
        ("a", query("create index grown_b on grown (b)")),
        ("b", query("select a, power(10::numeric(38, 0), 30) * 99999999999::numeric(38, 0) * a from grown where b = 7 order by a")),
        ("b", query("commit")),
        ("b", query("select a, power(10::numeric(38, 0), 30) * 99999999999::numeric(38, 0) * a from grown where b = 7 order by a")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, SCENARIOS[name], BEGIN, END) == transcript(postgres, SCENARIOS[name], BEGIN, END)


@pytest.fixture
def grown(gnomon):
    with gnomon.connect() as connection:
        connection.execute(BEGIN)
    yield gnomon
    with gnomon.connect() as connection:
        connection.execute(END)


def plan(connection, statement: str) -> str:
    return "\n".join(row[0] for row in connection.execute(statement))


@pytest.mark.parametrize("explain", ["explain", "explain analyze"])
def test_a_plan_leaves_out_what_is_newer_than_its_snapshot(grown, only_gnomon, explain):
    select = f"{explain} select a from grown where b = 7"
    lookup = f"{explain} select a from few join grown on b = n"
    with grown.connect() as definer, grown.connect() as older, grown.connect() as newer:
        older.execute("begin isolation level repeatable read")
        older.execute("select 1 from few")
        definer.execute("update grown set b = 500 where b = 7")
        with definer.transaction():
            definer.execute("create index grown_b on grown (b)")
            for connection in (older, newer):
                assert "Seq Scan on grown" in plan(connection, select)
        assert "Index Scan using grown_b" in plan(newer, select)
        assert "Index Lookup using grown_b" in plan(newer, lookup)
        assert "Seq Scan on grown" in plan(older, select)
        assert "Seq Scan on grown" in plan(older, lookup)
        assert "Index Scan using grown_pkey" in plan(older, f"{explain} select b from grown where a = 7")
        older.execute("commit")
        assert "Index Scan using grown_b" in plan(older, select)


def test_indexes_come_and_go_beside_readers(grown):
    """Whatever a snapshot sees is the same by every index that there is; groups change, and their sum does not."""
    ended = threading.Event()
    wrong, counts = [], []

    def define():
        chance = random.Random(7)
        with grown.connect() as connection:
            for step in range(60):
                create = chance.choice(list(KINDS.values()))
                try:
                    connection.execute("begin")
                    connection.execute(create)
                    if chance.random() < 0.3:
                        connection.execute("update grown set b = b where a % 100 = 5")
                    connection.execute(chance.choice(["commit", "commit", "rollback"]))
                    connection.execute("drop index if exists grown_b")
                except psycopg.errors.DeadlockDetected:
                    connection.execute("rollback")
        ended.set()

    def move():
        chance = random.Random(11)
        with grown.connect() as connection:
            while not ended.is_set():
                low = chance.randrange(GROUPS - 20)
                with connection.transaction():
                    connection.execute(f"delete from grown where b = {low} and a >= {ROWS}")
                    connection.execute(f"update grown set b = {GROUPS} - 1 - b where b = {low} or b = {GROUPS - 1 - low}")

    def read(level: str):
        chance = random.Random(level)
        done = 0
        with grown.connect() as connection:
            while not ended.is_set():
                with connection.transaction():
                    connection.execute(f"set transaction isolation level {level}")
                    for _ in range(4):
                        group = chance.randrange(GROUPS)
                        by_index, by_scan, whole = connection.execute(
                            f"select x.s, y.s, z.s from (select sum(a) as s from grown where b = {group}) as x, "
                            f"(select sum(a) as s from grown where b + 0 = {group}) as y, (select sum(a) as s from grown where b >= 0) as z"
                        ).fetchone()
                        prepared = connection.execute("select sum(a) from grown where b = %s", [group], prepare=True).fetchone()[0]
                        same = by_index == by_scan and (prepared == by_index or level == "read committed")
                        if not same or whole != ROWS * (ROWS - 1) // 2:
                            wrong.append((level, group, by_index, by_scan, whole, prepared))
                            ended.set()
                        done += 1
        counts.append(done)

    levels = ["read committed", "repeatable read", "repeatable read"]
    threads = [threading.Thread(target=work, args=arguments) for work, arguments in [(define, ()), (move, ()), *((read, (level,)) for level in levels)]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(counts) == len(levels) and min(counts) > 4
    with grown.connect() as connection:
        assert connection.execute("select count(*), sum(a) from grown").fetchone() == (ROWS, ROWS * (ROWS - 1) // 2)
