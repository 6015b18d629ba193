"""What a client of the torture program believes the database to hold of its own, and which beliefs a crash leaves open."""
import dataclasses
import itertools


@dataclasses.dataclass
class OwnTable:
    """The client's own table, which it defines and redefines. The first column is the key."""

    columns: list[str]
    indexes: set[str] = dataclasses.field(default_factory=set)
    rows: dict[int, tuple] = dataclasses.field(default_factory=dict)

    def copy(self):
        return OwnTable(list(self.columns), set(self.indexes), dict(self.rows))


@dataclasses.dataclass
class State:
    """All rows of one client after its transaction `count`: the journal has its numbers 1 to `count`."""

    count: int = 0
    items: dict[int, tuple] = dataclasses.field(default_factory=dict)  # id: v, s
    keys: dict[int, int] = dataclasses.field(default_factory=dict)  # key: transaction
    own: OwnTable | None = None

    def copy(self):
        return State(self.count, dict(self.items), dict(self.keys), self.own.copy() if self.own else None)


class History:
    """The states of one client that a crash may leave, oldest first: the last one that is certain, and those after it."""

    def __init__(self):
        self.possible = [State()]
        self.is_in_doubt = False
        self.keeps_all = False

    def keep_all(self):
        """For those to whom any state of the past may come back."""
        self.keeps_all = True

    @property
    def now(self) -> State:
        return self.possible[-1]

    def begin(self, state: State):
        """The client is about to ask for the commit that leads to this state."""
        self.possible.append(state)
        self.is_in_doubt = True

    def acknowledged(self, is_durable: bool):
        self.is_in_doubt = False
        if is_durable and not self.keeps_all:
            self.possible = self.possible[-1:]

    def failed(self):
        """It is certain that the last one did not come to be."""
        self.is_in_doubt = False
        self.possible.pop()

    def settle(self, found: State, goes_on: bool = True) -> str:
        """After a restart. Returns what is wrong; empty: the state is one of those that may be, and the client goes on from there, if it does."""
        for state in self.possible:
            if not differences(state, found):
                if goes_on:
                    self.possible = [state]
                    self.is_in_doubt = False
                return ""
        numbers = f"{self.possible[0].count} to {self.possible[-1].count}"
        nearest = next((state for state in self.possible if state.count == found.count), self.possible[-1])
        return f"transactions {numbers} may be the last, {found.count} is; compared with {nearest.count}: " + "; ".join(differences(nearest, found))


def differences(expected: State, found: State) -> list[str]:
    lines = []
    if expected.count != found.count:
        lines.append(f"{found.count} transactions in place of {expected.count}")
    lines += row_differences("items", expected.items, found.items)
    lines += row_differences("keys", expected.keys, found.keys)
    if (expected.own is None) != (found.own is None):
        lines.append("the own table " + ("is there" if found.own else "is missing"))
    elif expected.own is not None and found.own is not None:
        if expected.own.columns != found.own.columns:
            lines.append(f"own table has columns {found.own.columns} in place of {expected.own.columns}")
        if expected.own.indexes != found.own.indexes:
            lines.append(f"own table has indexes {sorted(found.own.indexes)} in place of {sorted(expected.own.indexes)}")
        lines += row_differences("own table", expected.own.rows, found.own.rows)
    return lines


def row_differences(name: str, expected: dict, found: dict) -> list[str]:
    if expected == found:
        return []
    wrong = [key for key in itertools.chain(expected, found.keys() - expected.keys()) if expected.get(key) != found.get(key)]
    shown = [f"{key}: {shorten(found.get(key))} in place of {shorten(expected.get(key))}" for key in wrong[:3]]
    return [f"{len(wrong)} rows of {name} differ ({', '.join(shown)})"]


def shorten(value) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:40]}... ({len(text)} characters)"
