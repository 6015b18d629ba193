"""Transactions as messages: each scenario is played to PostgreSQL and to Gnomon, and the transcripts must be the same.

What single statements answer stands in sql/transactions/; here it is what a Query message of several statements, a batch up to
Sync, portals, prepared statements, COPY and cancelling do with a transaction.
"""
import select

import pytest

from wire import protocol
from wire.protocol import Client, bind, close, copy_data, copy_done, copy_fail, describe, execute, flush, parse, query, sync
from wire.test_extended_query import expected_ready, without_partial_answers

SETUP = [
    "create table transaction_rows (a integer primary key, b text)",
    "insert into transaction_rows values (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five')",
]
CLEANUP = ["drop table transaction_rows", "drop table transaction_other"]


def insert(key: int) -> str:
    return f"insert into transaction_rows values ({key}, 'new')"


def run(sql: str) -> bytes:
    """A statement by the extended protocol, without Sync."""
    return parse(sql) + bind() + execute()


NEW = query("select a, b from transaction_rows where a > 5 or b = 'new' order by a")
ALL = query("select a, b from transaction_rows order by a")
ROLLBACK = query("rollback")
DUPLICATE = insert(1)

# One Query message is one transaction, unless statements in it say otherwise.
STRINGS = {
    "several writes": [query(f"{insert(10)}; {insert(11)}; select 1; update transaction_rows set b = 'new' where a = 2"), NEW],
    "an error undoes the statements before it": [query(f"{insert(10)}; delete from transaction_rows where a = 1; select 1/0; {insert(11)}"), NEW, ALL],
    "a duplicate key undoes the statements before it": [query(f"{insert(10)}; {DUPLICATE}"), NEW],
    "a name that is not there undoes the statements before it": [query(f"{insert(10)}; select nosuch"), NEW],
    "a syntax error runs nothing": [query(f"{insert(10)}; selec 1"), NEW],
    "a block in one string": [query(f"begin; {insert(10)}; {insert(11)}; commit"), NEW],
    "a block that is rolled back in one string": [query(f"begin; {insert(10)}; rollback; {insert(11)}"), NEW],
    "a block that stays open": [query(f"begin; {insert(10)}"), query(insert(11)), NEW, ROLLBACK, NEW],
    "BEGIN after other statements takes them into its block": [query(f"{insert(10)}; begin; {insert(11)}"), NEW, ROLLBACK, NEW],
    "BEGIN after other statements, then COMMIT": [query(f"{insert(10)}; begin; {insert(11)}; commit; {insert(12)}; select 1/0"), NEW],
    "COMMIT without BEGIN": [query(f"{insert(10)}; commit; {insert(11)}; select 1/0"), NEW],
    "ROLLBACK without BEGIN": [query(f"{insert(10)}; rollback; {insert(11)}"), NEW],
    "COMMIT ends a block that was open": [query("begin"), query(insert(10)), query(f"{insert(11)}; commit; {insert(12)}; select 1/0"), NEW],
    "an error in a block skips the rest of the string": [query(f"begin; {insert(10)}; select 1/0; rollback; {insert(11)}"), query("select 1"), ROLLBACK, NEW],
    "a failed block ends in a string": [query("begin"), query("select 1/0"), query(f"commit; {insert(10)}"), NEW],
    "a failed block and the statement before its end": [query("begin"), query("select 1/0"), query("select 1; commit"), ROLLBACK],
    "two blocks in one string": [query(f"begin; {insert(10)}; commit; begin; {insert(11)}; rollback; begin; {insert(12)}; commit"), NEW],
    "BEGIN twice in one string": [query(f"begin; begin; {insert(10)}; commit; commit"), NEW],
    "savepoints in a string's block": [query(f"begin; {insert(10)}; savepoint s; {insert(11)}; rollback to s; {insert(12)}; release s; commit"), NEW],
    "SAVEPOINT without BEGIN": [query(f"{insert(10)}; savepoint s; {insert(11)}"), NEW],
    "ROLLBACK TO without BEGIN": [query(f"{insert(10)}; rollback to s; {insert(11)}"), NEW],
    "RELEASE without BEGIN": [query(f"{insert(10)}; release s"), NEW],
    "ROLLBACK TO a savepoint of the open block": [query(f"begin; savepoint s; {insert(10)}"), query("select 1/0"), query(f"rollback to s; {insert(11)}; commit"), NEW],
    "COMMIT AND CHAIN without BEGIN": [query(f"{insert(10)}; commit and chain; {insert(11)}"), NEW],
    "ROLLBACK AND CHAIN without BEGIN": [query(f"{insert(10)}; rollback and chain; {insert(11)}"), NEW],
    "COMMIT AND CHAIN in a string": [query(f"begin; {insert(10)}; commit and chain; {insert(11)}"), NEW, ROLLBACK, NEW],
    "settings": [query("set application_name = 'kept'; select 1"), query("set application_name = 'gone'; select 1/0"), query("show application_name")],
    "SET LOCAL without BEGIN": [query("set local application_name = 'local'; show application_name"), query("show application_name")],
    "SET TRANSACTION without BEGIN": [query("set transaction isolation level repeatable read; show transaction_isolation"), query("show transaction_isolation")],
    "BEGIN with a level after a query": [query("select 1; begin isolation level repeatable read"), ROLLBACK],
    "BEGIN READ ONLY after a write": [query(f"{insert(10)}; begin read only; select 1"), query(insert(11)), ROLLBACK, NEW],
    "empty statements": [query("begin;; ;"), query(""), query("-- a comment"), query("select 1/0"), query(""), query(" ; "), ROLLBACK],
    "each row of a string sees the rows before": [query(f"{insert(10)}; select count(*) from transaction_rows; delete from transaction_rows where a < 3; select count(*) from transaction_rows"), ALL],
}  # fmt: skip

# What stands between two Syncs is one transaction, unless statements in it say otherwise.
BATCHES = {
    "several writes": [run(insert(10)) + run(insert(11)) + run("update transaction_rows set b = 'new' where a = 2") + sync(), NEW],
    "one statement executed several times": [
        parse("insert into transaction_rows values ($1, 'new')", "many") + sync(),
        b"".join(bind([str(key).encode()], statement="many") + execute() for key in (10, 11, 12)) + sync(), NEW,
        b"".join(bind([str(key).encode()], statement="many") + execute() for key in (13, 14, 11, 15)) + sync(), NEW,
    ],
    "an error undoes the statements before it": [run(insert(10)) + run(insert(11)) + run(DUPLICATE) + run(insert(12)) + sync(), NEW],
    "an error at Parse": [run(insert(10)) + parse("select nosuch") + sync(), NEW],
    "an error at Bind": [run(insert(10)) + parse("select $1::int") + bind([b"x"]) + execute() + sync(), NEW],
    "an error at Describe": [run(insert(10)) + describe("S", "nosuch") + sync(), NEW],
    "a batch after one that failed": [run(insert(10)) + run("select 1/0") + sync() + run(insert(11)) + sync(), NEW],
    "flush does not end it": [run(insert(10)) + flush() + run("select 1/0") + sync(), NEW],
    "a write and reads after it": [run(insert(10)) + run("select a from transaction_rows where a = 10") + run("select count(*) from transaction_rows") + sync(), NEW],
    "BEGIN in one packet with the first statement": [run("begin") + run(insert(10)) + sync(), run(insert(11)) + sync(), run("commit") + sync(), NEW],
    "a block in one batch": [run("begin") + run(insert(10)) + run("commit") + run(insert(11)) + run("select 1/0") + sync(), NEW],
    "BEGIN after a write": [run(insert(10)) + run("begin") + run(insert(11)) + sync(), run("rollback") + sync(), NEW],
    "COMMIT without BEGIN": [run(insert(10)) + run("commit") + run(insert(11)) + run("select 1/0") + sync(), NEW],
    "ROLLBACK without BEGIN": [run(insert(10)) + run("rollback") + run(insert(11)) + sync(), NEW],
    "SAVEPOINT without BEGIN": [run(insert(10)) + run("savepoint s") + sync(), NEW],
    "savepoints in a block": [run("begin") + run(insert(10)) + run("savepoint s") + run(insert(11)) + run("rollback to s") + run("commit") + sync(), NEW],
    "SET LOCAL without BEGIN": [run("set local application_name = 'local'") + run("show application_name") + sync(), run("show application_name") + sync()],
    "settings of a batch that fails": [run("set application_name = 'gone'") + run("select 1/0") + sync(), run("show application_name") + sync()],
    "Sync inside of a block": [run("begin") + sync(), sync(), run(insert(10)) + sync(), sync() + sync(), run("commit") + sync(), sync(), NEW],
    "an error in a block": [
        run("begin") + sync(), run(insert(10)) + run("select 1/0") + run("select 2") + sync(), sync(), parse("select 1") + sync(), parse("selec 1") + sync(),
        parse("") + bind() + describe("P") + execute() + sync(), run("rollback") + sync(), NEW,
    ],
    "COMMIT of a failed block": [run("begin") + run(insert(10)) + sync(), run(DUPLICATE) + sync(), parse("commit") + describe("S") + bind() + describe("P") + execute() + sync(), NEW],
    "an error and ROLLBACK in one batch": [run("begin") + run("select 1/0") + run("rollback") + sync(), run("select 1") + sync(), run("rollback") + sync()],
    "an error of a block in a batch of two Syncs": [run("begin") + run(insert(10)) + run("select 1/0") + sync() + run("rollback") + run(insert(11)) + sync(), NEW],
    "ROLLBACK TO after an error": [
        run("begin") + run(insert(10)) + run("savepoint s") + run(DUPLICATE) + sync(), run("rollback to savepoint s") + run(insert(11)) + sync(), run("commit") + sync(), NEW,
    ],
    "simple and extended in one block": [query("begin"), run(insert(10)) + sync(), query(insert(11)), run("savepoint s") + sync(), query("select 1/0"), run("rollback to s") + sync(), query("commit"), NEW],
    "COMMIT AND CHAIN": [run("begin isolation level repeatable read") + run(insert(10)) + run("commit and chain") + sync(), run("show transaction_isolation") + sync(), run(insert(11)) + run("rollback") + sync(), NEW],
    "BEGIN with modes": [run("begin read only, isolation level repeatable read") + run("show transaction_isolation") + run("show transaction_read_only") + run(insert(10)) + sync(), run("rollback") + sync(), NEW],
    "BEGIN twice": [run("begin") + run("begin") + sync(), run("commit") + run("commit") + sync()],
}  # fmt: skip

PREPARED = {
    "statements outlive their transaction": [
        query("begin"), parse("select a from transaction_rows where a = $1", "one") + sync(), query("commit"), bind([b"1"], statement="one") + execute() + sync(),
        query("begin"), parse("select b from transaction_rows where a = $1", "two") + sync(), ROLLBACK, bind([b"2"], statement="two") + execute() + sync(),
    ],
    "statements of a batch that fails": [
        parse("select 1", "three") + run("select 1/0") + sync(), bind(statement="three") + execute() + sync(), parse("select 2", "three") + sync(),
    ],
    "statements in a failed block": [
        parse("select a from transaction_rows where a = 1", "four") + sync(), parse("rollback", "end") + parse("begin", "start") + sync(),
        bind(statement="start") + execute() + sync(), query("select 1/0"), bind(statement="four") + execute() + sync(), describe("S", "four") + sync(), describe("S", "end") + sync(),
        bind(statement="start") + execute() + sync(), close("S", "nosuch") + sync(), bind(statement="end") + describe("P") + execute() + sync(), bind(statement="four") + execute() + sync(),
    ],
    "statements closed in a block that is rolled back": [
        parse("select 5", "five") + sync(), query("begin"), close("S", "five") + sync(), ROLLBACK, bind(statement="five") + execute() + sync(),
    ],
    "DEALLOCATE is not undone": [parse("select 6", "six") + sync(), query("begin; deallocate six; rollback"), bind(statement="six") + execute() + sync()],
    "BEGIN, a write and COMMIT prepared, many times": [
        parse("begin", "b") + parse("insert into transaction_rows values ($1, 'new')", "i") + parse("commit", "c") + parse("rollback", "r") + sync(),
        *(bind(statement="b") + execute() + bind([str(key).encode()], statement="i") + execute() + bind(statement=end) + execute() + sync()
          for key, end in ((10, "c"), (11, "r"), (12, "c"), (10, "c"))),
        bind(statement="r") + execute() + sync(), NEW,
    ],
}  # fmt: skip

UP = "select a from transaction_rows order by a"
DOWN = "select a from transaction_rows order by a desc"
PORTALS = {
    "a portal lives on to the end of its block": [
        query("begin"), parse(UP) + bind(portal="p") + execute("p", 2) + sync(), execute("p", 1) + sync(), query("select 1"), execute("p", 1) + describe("P", "p") + sync(),
        query("commit"), execute("p", 1) + sync(), describe("P", "p") + sync(),
    ],
    "ROLLBACK ends portals": [query("begin"), parse(UP) + bind(portal="p") + execute("p", 2) + sync(), ROLLBACK, execute("p", 1) + sync()],
    "COMMIT AND CHAIN ends portals": [query("begin"), parse(UP) + bind(portal="p") + execute("p", 2) + sync(), query("commit and chain"), execute("p", 1) + sync(), ROLLBACK],
    "COMMIT in a batch ends portals": [run("begin") + parse(UP) + bind(portal="p") + execute("p", 2) + run("commit") + execute("p", 2) + sync(), query("select 1")],
    "the unnamed portal lives on to the next Bind": [query("begin"), parse(UP) + bind() + execute("", 2) + sync(), execute("", 2) + sync(), parse(DOWN) + bind() + execute("", 2) + sync(), execute("", 9) + sync(), query("commit")],
    "an error in a block ends nothing but uses of portals": [
        query("begin"), parse(UP) + bind(portal="p") + execute("p", 2) + sync(), query("select 1/0"), execute("p", 1) + sync(), close("P", "p") + sync(), ROLLBACK,
    ],
    "ROLLBACK TO ends the portals that came after": [
        query("begin"), parse(UP, "up") + bind(portal="before", statement="up") + execute("before", 1) + sync(), query("savepoint s"),
        bind(portal="after", statement="up") + execute("after", 2) + sync(), query("rollback to s"), execute("before", 1) + sync(), execute("after", 1) + sync(), ROLLBACK,
    ],
    "ROLLBACK TO after an error leaves older portals": [
        query("begin"), parse(UP) + bind(portal="p") + execute("p", 1) + sync(), query("savepoint s"), query("select 1/0"), query("rollback to s"), execute("p", 2) + sync(), query("commit"),
    ],
    "RELEASE keeps portals": [
        query("begin; savepoint s"), parse(UP) + bind(portal="p") + execute("p", 1) + sync(), query("release s"), execute("p", 2) + sync(), query("commit"),
    ],
    "a portal does not see what its block does later": [
        query("begin"), parse(UP) + bind(portal="p") + execute("p", 2) + sync(), query("update transaction_rows set a = a + 100"), query("delete from transaction_rows where a = 103"), query(insert(50)),
        execute("p", 0) + sync(), ALL, ROLLBACK, ALL,
    ],
    "a portal does not see what its block does after Bind": [
        query("begin"), parse(UP) + bind(portal="p") + sync(), query(insert(50)), query("delete from transaction_rows where a = 1"), execute("p", 0) + sync(), ROLLBACK,
    ],
    "a portal sees what its block did before": [
        query("begin"), query("update transaction_rows set a = a + 100 where a > 2"), parse(UP) + bind(portal="p") + execute("p", 3) + sync(), execute("p", 0) + sync(), ROLLBACK,
    ],
    "portals of two statements taken in turn over Syncs": [
        query("begin"), parse(UP, "up") + parse(DOWN, "down") + bind(portal="u", statement="up") + bind(portal="d", statement="down") + sync(),
        execute("u", 2) + sync(), execute("d", 2) + sync(), execute("u", 2) + execute("d", 2) + sync(), close("P", "u") + sync(), execute("d", 0) + execute("d", 0) + sync(), execute("u") + sync(), ROLLBACK,
    ],
    "a portal defined twice": [query("begin"), parse(UP) + bind(portal="p") + sync(), parse(UP) + bind(portal="p") + sync(), ROLLBACK],
    "a portal of a write": [query("begin"), parse(insert(10)) + bind(portal="w") + sync(), execute("w") + sync(), execute("w") + sync(), ROLLBACK, NEW],
    "a portal in a read only block": [query("begin read only"), parse(insert(10)) + bind(portal="w") + sync(), execute("w") + sync(), ROLLBACK],
    "a portal with FOR UPDATE that is never executed": [
        query("begin"), parse(f"{UP} for update") + bind(portal="p") + sync(), query(insert(10)), close("P", "p") + sync(), query("commit"), NEW,
    ],
    "a portal with FOR UPDATE": [query("begin"), parse("select a from transaction_rows order by a for update") + bind(portal="p") + execute("p", 2) + sync(), execute("p", 0) + sync(), query("commit")],
}  # fmt: skip

COPIED = b"10\tnew\n11\tnew\n"
COPIES = {
    "COPY in a block": [query("begin"), query("copy transaction_rows from stdin") + copy_data(COPIED) + copy_done(), NEW, ROLLBACK, NEW],
    "COPY that the client fails": [query("begin"), query(insert(12)), query("copy transaction_rows from stdin") + copy_data(COPIED) + copy_fail("no"), query("select 1"), query("commit"), NEW],
    "COPY of wrong data in a block": [query("begin"), query(insert(12)), query("copy transaction_rows from stdin") + copy_data(COPIED + b"x\n") + copy_done(), query("select 1"), query("commit"), NEW],
    "COPY of a duplicate key in a block": [query("begin"), query(insert(10)), query("copy transaction_rows from stdin") + copy_data(COPIED) + copy_done(), query("commit"), NEW],
    "COPY among other statements": [query(f"{insert(12)}; copy transaction_rows from stdin; {insert(13)}") + copy_data(COPIED) + copy_done(), NEW],
    "COPY that fails among other statements": [query(f"{insert(12)}; copy transaction_rows from stdin; {insert(13)}") + copy_data(COPIED) + copy_fail("no"), NEW],
    "COPY, then an error": [query("copy transaction_rows from stdin; select 1/0") + copy_data(COPIED) + copy_done(), NEW],
    "two COPYs, the second of which fails": [
        query("copy transaction_rows from stdin; copy transaction_rows from stdin") + copy_data(COPIED) + copy_done() + copy_data(b"12\tnew\n1\tnew\n") + copy_done(), NEW,
    ],
    "BEGIN, COPY and COMMIT in one string": [query("begin; copy transaction_rows from stdin; commit") + copy_data(COPIED) + copy_done(), NEW],
    "COPY in a failed block": [query("begin"), query("select 1/0"), query("copy transaction_rows from stdin"), query("copy transaction_rows to stdout"), ROLLBACK],
    "COPY to the client of rows that are not committed": [query("begin"), query("delete from transaction_rows where a < 5"), query("copy transaction_rows to stdout"), ROLLBACK],
    "COPY taken back to a savepoint": [
        query("begin; savepoint s"), query("copy transaction_rows from stdin") + copy_data(COPIED) + copy_done(), query("rollback to s"),
        query("copy transaction_rows from stdin") + copy_data(b"11\tnew\n") + copy_done(), query("commit"), NEW,
    ],
    "COPY in a read only block": [query("begin read only"), query("copy transaction_rows from stdin"), ROLLBACK],
}  # fmt: skip

# Tables made and dropped inside of transactions.
DEFINITIONS = {
    "an error undoes a table": [query(f"create table transaction_other (a integer); insert into transaction_other values (1); select 1/0"), query("select * from transaction_other")],
    "a string with a table": [query("create table transaction_other (a integer); insert into transaction_other values (1); select * from transaction_other")],
    "an error undoes a DROP": [query("drop table transaction_rows; select 1/0"), ALL],
    "a batch with a table": [run("create table transaction_other (a integer)") + run("insert into transaction_other values (1)") + run("select * from transaction_other") + sync()],
    "a batch with a table that fails": [run("create table transaction_other (a integer)") + run("insert into transaction_other values (1)") + run("select 1/0") + sync(), query("select * from transaction_other")],
    "a prepared statement and a table that is rolled back": [
        query("begin"), query("create table transaction_other (a integer)"), parse("select * from transaction_other", "other") + sync(), bind(statement="other") + execute() + sync(), ROLLBACK,
        bind(statement="other") + execute() + sync(), query("create table transaction_other (a integer)"), bind(statement="other") + execute() + sync(),
    ],
    "a prepared statement and a table that is altered": [
        parse("select * from transaction_rows where a = 1", "altered") + sync(), query("begin"), query("alter table transaction_rows drop column b"), bind(statement="altered") + execute() + sync(), ROLLBACK,
        bind(statement="altered") + execute() + sync(),
    ],
    "BEGIN, a table, COPY and COMMIT in one string": [
        query("begin; create table transaction_other (a integer); copy transaction_other from stdin; commit") + copy_data(b"1\n2\n") + copy_done(), query("select * from transaction_other order by a"),
    ],
}  # fmt: skip

SCENARIOS = {
    f"{group}: {name}": batches
    for group, scenarios in (
        ("string", STRINGS), ("batch", BATCHES), ("prepared", PREPARED), ("portal", PORTALS), ("copy", COPIES), ("definition", DEFINITIONS),
    )
    for name, batches in scenarios.items()
}  # fmt: skip


class Prepared(Client):
    """A client on a server that has the tables, and another connection's view of them."""

    def __init__(self, server):
        super().__init__(server.port)
        self.server = server
        self.start()

    def __enter__(self):
        for sql in [*CLEANUP, *SETUP]:
            self.ask(sql)
        return self

    def __exit__(self, *_):
        self.close()
        with Client(self.server.port) as cleaner:
            cleaner.start()
            for sql in CLEANUP:
                cleaner.ask(sql)

    def of_another(self, sql: str) -> list:
        with Client(self.server.port) as other:
            return protocol.rows_of(other.start().ask(sql))


def transcript(server, batches) -> list:
    with Prepared(server) as client:
        seen = []
        for batch in batches:
            client.send(batch)
            for _ in range(expected_ready(batch)):
                seen.append(without_partial_answers(client.until_ready()))
        client.ask("rollback")
        seen.append(client.of_another("select a, b from transaction_rows order by a"))
        return seen


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcript_is_postgresqls(postgres, gnomon, name):
    assert transcript(gnomon, SCENARIOS[name]) == transcript(postgres, SCENARIOS[name])


def test_a_block_left_alone_ends_its_session(postgres, gnomon):
    def play(server):
        with Prepared(server) as client:
            client.ask("set idle_in_transaction_session_timeout = 200")
            seen = [client.ask("begin"), client.ask(insert(10)), client.read_until("Error"), client.ends()]
            seen.append(client.of_another("select a from transaction_rows order by a"))
            return seen

    assert play(gnomon) == play(postgres)


def status(messages) -> str:
    return messages[-1][1].decode()


def test_others_see_a_block_when_it_is_committed(gnomon):
    with Prepared(gnomon) as client:
        question = "select a, b from transaction_rows where a in (1, 2, 10) order by a"
        before = client.of_another(question)
        assert before == [(b"1", b"one"), (b"2", b"two")]
        for sql in ("begin", insert(10), "update transaction_rows set b = 'new' where a = 1", "delete from transaction_rows where a = 2"):
            assert status(client.ask(sql)) == "T"
            assert client.of_another(question) == before
        assert protocol.rows_of(client.ask(question)) == [(b"1", b"new"), (b"10", b"new")]
        assert status(client.ask("commit")) == "I"
        assert client.of_another(question) == [(b"1", b"new"), (b"10", b"new")]


def test_others_see_a_batch_when_its_sync_came(gnomon):
    with Prepared(gnomon) as client:
        client.send(run(insert(10)) + run(insert(11)) + flush())
        for _ in range(2):
            assert client.read_until("CommandComplete")[-1] == ("CommandComplete", "INSERT 0 1")
        assert client.of_another("select a from transaction_rows where a >= 10") == []
        client.send(sync())
        assert client.until_ready() == [("ReadyForQuery", b"I")]
        assert client.of_another("select a from transaction_rows where a >= 10 order by a") == [(b"10",), (b"11",)]


@pytest.mark.parametrize("ending", ["terminate", "close", "half a message"])
@pytest.mark.parametrize("state", ["block", "failed block", "batch"])
def test_a_client_that_goes_leaves_nothing(gnomon, ending, state):
    with Prepared(gnomon) as client:
        if state == "batch":
            client.send(run("delete from transaction_rows where a < 4") + run(insert(10)) + flush())
            for _ in range(2):
                client.read_until("CommandComplete")
        else:
            for sql in ("begin", "delete from transaction_rows where a < 4", "savepoint s", insert(10)):
                client.ask(sql)
        if state == "failed block":
            assert status(client.ask("select 1/0")) == "E"
        if ending == "terminate":
            client.send(protocol.terminate())
            assert client.ends()
        elif ending == "half a message":
            client.send(query("commit")[:-3])
        client.close()
        # The write waits for the row until the session that changed it is gone.
        with Client(gnomon.port) as other:
            other.start()
            assert other.ask("update transaction_rows set b = 'others' where a <= 4")[-2:] == [("CommandComplete", "UPDATE 4"), ("ReadyForQuery", b"I")]
            assert protocol.rows_of(other.ask("select a, b from transaction_rows order by a")) == [(b"%d" % n, b"others") for n in range(1, 5)] + [(b"5", b"five")]


# Computes for hours.
LONG = "select count(*) from " + ", ".join(f"transaction_rows t{n}" for n in range(20))


def cancel_until_ready(server, client) -> list:
    """A request that comes before the statement has begun is lost, so it is repeated until the statement ends."""
    seen = []
    while not seen or seen[-1][0] != "ReadyForQuery":
        if client.received or select.select([client.socket], [], [], 0.5)[0]:
            seen.append(client.read())
        else:
            with Client(server.port) as canceller:
                canceller.send(protocol.cancel(client.process_id, client.secret))
                assert canceller.ends()
    return without_partial_answers(seen)


@pytest.mark.parametrize("state", ["on its own", "block", "string", "batch"])
def test_a_cancelled_statement_fails_its_transaction(postgres, gnomon, state):
    def play(server):
        with Prepared(server) as client:
            seen = []
            if state == "block":
                seen += [client.ask("begin"), client.ask(insert(10))]
            if state == "string":
                client.send(query(f"{insert(10)}; {LONG}; {insert(11)}"))
            elif state == "batch":
                client.send(run(insert(10)) + run(LONG) + run(insert(11)) + sync())
            else:
                client.send(query(LONG))
            seen.append(cancel_until_ready(server, client))
            seen += [client.ask("select 1"), client.ask("rollback")]
            seen.append(client.of_another("select a from transaction_rows order by a"))
            return seen

    assert play(gnomon) == play(postgres)


def test_a_statement_timeout_fails_its_block(postgres, gnomon):
    def play(server):
        with Prepared(server) as client:
            seen = [client.ask(sql) for sql in ("begin", insert(10), "savepoint s", "set local statement_timeout = 50")]
            seen.append(without_partial_answers(client.ask(LONG)))
            seen += [client.ask(sql) for sql in ("select 1", "rollback to s", "show statement_timeout", insert(11), "commit")]
            seen.append(client.of_another("select a from transaction_rows order by a"))
            return seen

    assert play(gnomon) == play(postgres)


def test_a_large_batch_is_one_transaction(gnomon):
    with Prepared(gnomon) as client:
        for last, expected in ((1, [(b"5",)]), (5000, [(b"2005",)])):
            messages = [parse("insert into transaction_rows values ($1, $2)", "big")]
            messages += [bind([str(key).encode(), b"x" * 100], statement="big") + execute() for key in (*range(1000, 2999), last)]
            client.send(b"".join(messages), sync())
            seen = client.until_ready()
            assert (protocol.sqlstates(seen) == ["23505"]) == (last == 1)
            assert client.of_another("select count(*) from transaction_rows") == expected
            client.send(close("S", "big"), sync())
            client.until_ready()


def test_now_stands_still_in_a_block(gnomon):
    with Prepared(gnomon) as client:
        if protocol.sqlstates(client.ask("select now()")):
            pytest.skip("there is no now() yet")
        client.ask("begin")
        first = protocol.rows_of(client.ask("select now(), transaction_timestamp(), current_timestamp"))
        client.ask("savepoint s")
        client.ask(insert(10))
        assert protocol.rows_of(client.ask("select now(), transaction_timestamp(), current_timestamp")) == first
        client.ask("commit and chain")
        assert protocol.rows_of(client.ask("select now(), transaction_timestamp(), current_timestamp")) != first
        client.ask("commit")


def test_serializable_is_refused_and_the_session_goes_on(only_gnomon):
    with Prepared(only_gnomon) as client:
        for sql in ("begin isolation level serializable", "start transaction isolation level serializable", "set default_transaction_isolation = 'serializable'",
                    "set session characteristics as transaction isolation level serializable"):
            messages = client.ask(sql)
            assert (protocol.sqlstates(messages), status(messages)) == (["0A000"], "I"), sql
        for sql in ("set transaction isolation level serializable", "set transaction_isolation = 'serializable'"):
            client.ask("begin")
            messages = client.ask(sql)
            assert (protocol.sqlstates(messages), status(messages)) == (["0A000"], "E"), sql
            assert status(client.ask("rollback")) == "I"
        assert protocol.rows_of(client.ask("show transaction_isolation")) == [(b"read committed",)]


def test_serializable_at_start_up_is_refused(only_gnomon):
    with Client(only_gnomon.port) as client, pytest.raises(protocol.Closed, match="0A000"):
        client.start(protocol.STARTUP | {"default_transaction_isolation": "serializable"})


@pytest.mark.parametrize("name, value", [("default_transaction_isolation", "repeatable read"), ("default_transaction_read_only", "on")])
def test_modes_given_at_start_up(postgres, gnomon, name, value):
    def play(server):
        with Prepared(server), Client(server.port) as client:
            client.start(protocol.STARTUP | {name: value})
            statements = ("show transaction_isolation", "show transaction_read_only", "begin", "show transaction_isolation", "show transaction_read_only", insert(10), "commit",
                          "begin isolation level read committed read write", "show transaction_isolation", insert(11), "commit")  # fmt: skip
            return [client.ask(sql) for sql in statements]

    assert play(gnomon) == play(postgres)
