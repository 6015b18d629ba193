"""What the clients of the torture program do: transactions over shared tables and one of their own, each with a row in the journal."""
import random
import threading

import psycopg

from crash.model import History, OwnTable, State

ACCOUNTS = 40
OPENING_BALANCE = 1000
KEYS = 2000
SCHEMA = [
    "create table accounts (id integer primary key, balance bigint not null)",
    "create table journal (client integer, number integer, source integer, target integer, amount bigint, note text, primary key (client, number))",
    "create table items (client integer, id integer, v integer, s text, primary key (client, id))",
    "create index items_v on items (v)",
    "create index items_length on items (length(s)) where v >= 0",
    "create table keys (k integer primary key, client integer, number integer)",
    "create table tickets (id bigint generated always as identity, client integer, number integer)",
    "insert into accounts values " + ", ".join(f"({account}, {OPENING_BALANCE})" for account in range(ACCOUNTS)),
]
# What may happen to anybody who works beside others, or with little memory.
EXPECTED = (
    psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure,
    psycopg.errors.OutOfMemory, psycopg.errors.DiskFull, psycopg.errors.LockNotAvailable,
)  # fmt: skip


def text(draw: random.Random) -> str:
    length = draw.choice([0, 5, 12, 13, 40, 40, 100, 100, 300, draw.randrange(4000)])
    return (f"{draw.randrange(10**6)}," * (length // 2 + 1))[:length]


class Undone(Exception):
    """The client itself takes the transaction back."""


class Client:
    """One session's worth of work, with what it knows of the outcome. Threads: run() in one of its own."""

    def __init__(self, number: int, transactional_definitions: bool):
        self.number = number
        self.transactional_definitions = transactional_definitions
        self.history = History()
        self.acknowledged = 0
        self.refused = 0
        self.problem = ""  # what no crash excuses

    def run(self, dsn: str, seed: str, stop: threading.Event):
        """Until the server goes away, or `stop`."""
        self.draw = random.Random(seed)
        try:
            with psycopg.connect(dsn, autocommit=True) as self.connection:
                self.connection.execute("set lock_timeout = '5s'")
                self.connection.execute("set deadlock_timeout = '20ms'")
                while not stop.is_set():
                    self.step()
        except psycopg.OperationalError as error:
            # A connection that ended has no SQLSTATE, or one that says that the server ends.
            if error.sqlstate is not None and not error.sqlstate.startswith("57P"):
                self.problem = f"client {self.number}: {error.sqlstate} {error}"
        except Exception as error:  # pylint: disable=broad-except
            self.problem = f"client {self.number}: {type(error).__name__} {error}"

    def step(self):
        kinds = [(self.transaction, 20), (self.definition, 2), (self.large, 1), (self.message, 4)]
        kind = self.draw.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        try:
            kind()
        except EXPECTED:
            self.refused += 1
            if self.history.is_in_doubt:
                self.history.failed()
            if self.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                self.connection.execute("rollback")
        except Undone:
            self.connection.execute("rollback")

    # Transactions

    def commit(self, state: State, statement: str, is_synchronous: bool):
        self.history.begin(state)
        self.connection.execute(statement)
        self.history.acknowledged(is_synchronous)
        self.acknowledged += 1

    def transaction(self):
        state = self.history.now.copy()
        state.count += 1
        is_synchronous = self.draw.random() < (0.7 if self.number % 3 else 0.2)
        self.connection.execute("begin" + self.draw.choice(["", "", " isolation level repeatable read"]))
        if not is_synchronous:
            self.connection.execute("set local synchronous_commit = off")
        actions = [None] * self.draw.choice([0, 1, 1]) + self.draw.choices(self.actions(), k=self.draw.randrange(4))
        self.draw.shuffle(actions)
        source, target, amount = 0, 0, 0
        for action in actions:
            if action is None:
                source, target, amount = self.transfer()
            else:
                state = self.maybe_in_savepoint(action, state)
        self.connection.execute("insert into journal values (%s, %s, %s, %s, %s, %s)", [self.number, state.count, source, target, amount, text(self.draw)])
        self.connection.execute("insert into tickets (client, number) values (%s, %s)", [self.number, state.count])
        if self.draw.random() < 0.08:
            raise Undone
        self.commit(state, "commit", is_synchronous)

    def message(self):
        """The same in one message, which is a transaction of its own."""
        state = self.history.now.copy()
        state.count += 1
        source, target = self.draw.sample(range(ACCOUNTS), 2)
        amount = self.draw.randrange(1, 100)
        item, v = self.draw.randrange(500), self.draw.randrange(1000)
        statements = [
            f"update accounts set balance = balance - {amount} where id = {source}", f"update accounts set balance = balance + {amount} where id = {target}",
            f"delete from items where client = {self.number} and id = {item}", f"insert into items values ({self.number}, {item}, {v}, null)",
            f"insert into journal values ({self.number}, {state.count}, {source}, {target}, {amount}, null)",
        ]  # fmt: skip
        state.items[item] = (v, None)
        self.commit(state, "; ".join(statements), True)

    def maybe_in_savepoint(self, action, state: State) -> State:
        if self.draw.random() < 0.7:
            action(state)
            return state
        before = state.copy()
        self.connection.execute("savepoint here")
        try:
            action(state)
            if self.draw.random() < 0.5:
                self.connection.execute("release here")
                return state
        except (psycopg.errors.UniqueViolation, psycopg.errors.LockNotAvailable):
            pass
        self.connection.execute("rollback to here")
        return before

    def actions(self):
        actions = [self.insert_items, self.update_items, self.update_items, self.delete_items, self.add_key, self.drop_keys, self.change_own, self.change_own]
        return actions + [self.define] if self.transactional_definitions else actions

    def transfer(self) -> tuple[int, int, int]:
        source, target = self.draw.sample(range(ACCOUNTS), 2)
        amount = self.draw.randrange(1, 100)
        for account, change in ((source, -amount), (target, amount)):
            self.connection.execute("update accounts set balance = balance + %s where id = %s", [change, account])
        return source, target, amount

    def insert_items(self, state: State):
        free = next(number for number in iter(lambda: self.draw.randrange(5000), None) if number not in state.items)
        rows = {}
        for number in range(free, free + self.draw.choice([1, 1, 3, 20])):
            if number not in state.items:
                rows[number] = (self.draw.randrange(-50, 1000), text(self.draw))
        values = ", ".join("(%s, %s, %s, %s)" for _ in rows)
        self.connection.execute("insert into items values " + values, [value for number, row in rows.items() for value in (self.number, number, *row)])
        state.items.update(rows)

    def some_items(self, state: State) -> tuple[int, int]:
        low = self.draw.choice(list(state.items)) if state.items else 0
        return low, low + self.draw.choice([1, 1, 5, 40])

    def update_items(self, state: State):
        low, high = self.some_items(state)
        chosen = [number for number in state.items if low <= number < high]
        where = (self.number, low, high)
        if self.draw.random() < 0.5:
            change = self.draw.randrange(-20, 20)
            self.connection.execute("update items set v = v + %s where client = %s and id >= %s and id < %s", [change, *where])
            state.items.update({number: (state.items[number][0] + change, state.items[number][1]) for number in chosen})
        else:
            fresh = text(self.draw)
            self.connection.execute("update items set s = %s where client = %s and id >= %s and id < %s", [fresh, *where])
            state.items.update({number: (state.items[number][0], fresh) for number in chosen})

    def delete_items(self, state: State):
        low, high = self.some_items(state)
        if self.draw.random() < 0.05:
            low, high = 0, 10_000
        self.connection.execute("delete from items where client = %s and id >= %s and id < %s", [self.number, low, high])
        state.items = {number: row for number, row in state.items.items() if not low <= number < high}

    def add_key(self, state: State):
        """Others want the same keys."""
        for key in sorted(self.draw.sample(range(KEYS), self.draw.choice([1, 1, 4]))):
            self.connection.execute("insert into keys values (%s, %s, %s)", [key, self.number, state.count])
            state.keys[key] = state.count

    def drop_keys(self, state: State):
        low = self.draw.randrange(KEYS)
        high = low + self.draw.choice([10, 100, 1000])
        self.connection.execute("delete from keys where k >= %s and k < %s and client = %s", [low, high, self.number])
        state.keys = {key: number for key, number in state.keys.items() if not low <= key < high}

    # The own table

    @property
    def own_name(self) -> str:
        return f"own_{self.number}"

    def change_own(self, state: State):
        own = state.own
        if own is None:
            return
        low = self.draw.randrange(1000)
        chosen = [number for number in own.rows if low <= number < low + 30]
        kind = self.draw.choice(["insert", "insert", "update", "delete"])
        if kind == "insert" and low not in own.rows:
            values = [low] + [self.own_value(column) for column in own.columns[1:]]
            names = ", ".join(own.columns)
            self.connection.execute(f"insert into {self.own_name} ({names}) values ({', '.join(['%s'] * len(values))})", values)
            own.rows[low] = tuple(values)
        elif kind == "update" and len(own.columns) > 1:
            place = self.draw.randrange(1, len(own.columns))
            value = self.own_value(own.columns[place])
            self.connection.execute(f"update {self.own_name} set {own.columns[place]} = %s where id >= %s and id < %s", [value, low, low + 30])
            own.rows.update({number: own.rows[number][:place] + (value,) + own.rows[number][place + 1:] for number in chosen})
        elif kind == "delete":
            self.connection.execute(f"delete from {self.own_name} where id >= %s and id < %s", [low, low + 30])
            own.rows = {number: row for number, row in own.rows.items() if number not in chosen}

    def own_value(self, column: str):
        if self.draw.random() < 0.1:
            return None
        return text(self.draw) if column.startswith("s") else self.draw.randrange(10**6)

    def definition(self):
        """A statement that defines, as a transaction of its own."""
        state = self.history.now.copy()
        statement = self.choose_definition(state)
        self.commit(state, statement, True)

    def define(self, state: State):
        self.connection.execute(self.choose_definition(state))

    def choose_definition(self, state: State) -> str:
        own = state.own
        if own is None:
            state.own = OwnTable(["id", "a", "s"])
            return f"create table {self.own_name} (id integer primary key, a integer, s text)"
        changeable = own.columns[1:]
        kind = self.draw.choice(["drop", "truncate", "truncate", "add", "add", "add", "drop column", "index", "index", "index", "drop index", "drop index"])
        if kind == "drop":
            state.own = None
            return f"drop table {self.own_name}"
        if kind == "truncate":
            own.rows = {}
            return f"truncate {self.own_name}"
        if kind == "drop column" and changeable:
            column = own.columns.pop()
            own.indexes.discard(f"{self.own_name}__{column}")
            own.rows = {number: row[:-1] for number, row in own.rows.items()}
            return f"alter table {self.own_name} drop column {column}"
        if kind == "index" and changeable:
            column = self.draw.choice(changeable)
            name = f"{self.own_name}__{column}"
            if name not in own.indexes:
                own.indexes.add(name)
                return f"create index {name} on {self.own_name} ({column})"
        if kind == "drop index":
            if own.indexes:
                name = self.draw.choice(sorted(own.indexes))
                own.indexes.remove(name)
                return f"drop index {name}"
        used = set(own.columns)
        column = next(name for name in iter(lambda: self.draw.choice("as") + str(self.draw.randrange(1000)), None) if name not in used)
        own.columns.append(column)
        default = self.draw.choice([None, "dflt" if column.startswith("s") else 7])
        own.rows = {number: row + (default,) for number, row in own.rows.items()}
        kind = "text" if column.startswith("s") else "integer"
        return f"alter table {self.own_name} add column {column} {kind}" + ("" if default is None else f" default '{default}'")

    # Large transactions

    def large(self):
        kind = self.draw.choice([self.load, self.load, self.big_rollback, self.big_change])
        kind()

    def load(self):
        state = self.history.now.copy()
        state.count += 1
        first = self.draw.randrange(10_000, 1_000_000)
        rows = {first + n: (self.draw.randrange(1000), text(self.draw)) for n in range(self.draw.choice([100, 1000, 3000]))}
        if rows.keys() & state.items.keys():
            return
        self.connection.execute("begin")
        with self.connection.cursor().copy("copy items from stdin") as copy:
            copy.write("".join(f"{self.number}\t{number}\t{v}\t{s}\n" for number, (v, s) in rows.items()))
        state.items.update(rows)
        self.connection.execute("insert into journal values (%s, %s, 0, 0, 0, 'load')", [self.number, state.count])
        if self.draw.random() < 0.2:
            raise Undone
        self.commit(state, "commit", True)

    def big_rollback(self):
        self.connection.execute("begin")
        self.connection.execute("update items set s = s || 'x', v = v - 3 where client = %s", [self.number])
        self.connection.execute(f"insert into items select client, id + 10000000, v, s from items where client = {self.number}")
        self.connection.execute("delete from items where client = %s and id < 20000", [self.number])
        raise Undone

    def big_change(self):
        """Moves the loaded rows, or takes them away."""
        state = self.history.now.copy()
        state.count += 1
        self.connection.execute("begin")
        if self.draw.random() < 0.4:
            self.connection.execute("delete from items where client = %s and id >= 5000", [self.number])
            state.items = {number: row for number, row in state.items.items() if number < 5000}
        else:
            self.connection.execute("update items set v = v + 1 where client = %s", [self.number])
            state.items = {number: (row[0] + 1, row[1]) for number, row in state.items.items()}
        self.connection.execute("insert into journal values (%s, %s, 0, 0, 0, 'change')", [self.number, state.count])
        self.commit(state, "commit", True)


def found_state(connection, client: Client) -> State:
    """What the database holds of the client."""
    state = State()
    count, least, largest = connection.execute("select count(*), min(number), max(number) from journal where client = %s", [client.number]).fetchone()
    state.count = count if count == 0 or (least == 1 and largest == count) else -1
    state.items = {number: (v, s) for number, v, s in connection.execute("select id, v, s from items where client = %s", [client.number])}
    state.keys = dict(connection.execute("select k, number from keys where client = %s", [client.number]).fetchall())
    try:
        cursor = connection.execute(f"select * from {client.own_name}")
        state.own = OwnTable([column.name for column in cursor.description], set(), {row[0]: row for row in cursor})
    except psycopg.errors.UndefinedTable:
        return state
    names = set().union(*(possible.own.indexes for possible in client.history.possible if possible.own))
    state.own.indexes = {name for name in names if has_index(connection, client.own_name, name, state.own.columns)}
    return state


def has_index(connection, table: str, name: str, columns: list[str]) -> bool:
    """Leaves it as it is."""
    column = name.partition("__")[2]
    if column not in columns:
        return False
    notices = []
    connection.add_notice_handler(notices.append)
    connection.execute(f"create index if not exists {name} on {table} ({column})")
    connection.remove_notice_handler(notices.append)
    if not notices:
        connection.execute(f"drop index {name}")
    return bool(notices)


def check_sums(connection) -> list[str]:
    """Money is neither made nor lost, and every account has what the journal says."""
    balances = dict(connection.execute("select id, balance from accounts").fetchall())
    expected = {account: OPENING_BALANCE for account in range(ACCOUNTS)}
    for column, sign in (("source", -1), ("target", 1)):
        for account, amount in connection.execute(f"select {column}, sum(amount) from journal group by {column}"):
            expected[account] += sign * int(amount)
    wrong = {account: (balances.get(account), balance) for account, balance in expected.items() if balances.get(account) != balance}
    return [f"account {account} has {found} in place of {balance}" for account, (found, balance) in wrong.items()]


def check_tickets(connection) -> list[str]:
    """No value of a sequence was given twice: the table has no index that would have refused it."""
    given = connection.execute("select id, count(*) from tickets group by id having count(*) > 1").fetchall()
    following = connection.execute("select setval(pg_get_serial_sequence('tickets', 'id'), nextval(pg_get_serial_sequence('tickets', 'id')))").fetchone()[0]
    largest = connection.execute("select coalesce(max(id), 0) from tickets").fetchone()[0]
    problems = [f"ticket {ticket} was given {count} times" for ticket, count in given]
    return problems + ([f"the next ticket is {following}, {largest} was given already"] if following <= largest else [])


def check_index_reads(connection, clients, draw: random.Random) -> list[str]:
    """Rows found by index are those that the clients know of."""
    problems = []
    for v in [draw.randrange(-50, 1000) for _ in range(5)]:
        found = sorted(connection.execute("select client, id from items where v = %s", [v]).fetchall())
        expected = sorted((client.number, number) for client in clients for number, row in client.history.now.items.items() if row[0] == v)
        if found != expected:
            problems.append(f"items with v = {v} are {found} in place of {expected}")
    return problems
