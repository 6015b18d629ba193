"""Exact rows of every connected set of a query's relations, without joining them.

A query's joins are a tree: no set of equalities closes a cycle. The rows of a join along a tree are a sum of products: each relation
hands its neighbours, for each value of the column they share, how many rows of what lies behind it have that value. The relations'
own rows, those that pass the query's filters, are read from the server. Counts are exact up to 2^53: whole numbers in doubles.
"""
import numpy

import data


def bits(relations: int) -> list[int]:
    return [i for i in range(relations.bit_length()) if relations >> i & 1]


class TrueRows:
    """Relations are numbered as in the query; sets of them are bits of a number."""

    def __init__(self, connection, query: data.Query):
        self.aliases = list(query.tables)
        self.all = (1 << len(self.aliases)) - 1
        numbers = {alias: i for i, alias in enumerate(self.aliases)}
        self.classes = [[(numbers[alias], column) for alias, column in members] for members in query.classes()]
        self.classes_of = [[c for c, members in enumerate(self.classes) if any(member == relation for member, _ in members)]
                           for relation in range(len(self.aliases))]  # fmt: skip
        self.columns = [self.read(connection, query, relation) for relation in range(len(self.aliases))]
        self.values = [1 + max((int(self.columns[relation][c].max(initial=0)) for relation, _ in members))
                       for c, members in enumerate(self.classes)]  # fmt: skip
        self.behind = {(relation, c): self.reachable(relation, c) for c, members in enumerate(self.classes) for relation, _ in members}
        self.known = {}
        self.rows = {group: self.count(group) for group in self.connected_sets()}

    def read(self, connection, query: data.Query, relation: int) -> dict[int, numpy.ndarray]:
        """The filtered relation's columns by the class they belong to."""
        alias = self.aliases[relation]
        names = [column for c in self.classes_of[relation] for member, column in self.classes[c] if member == relation]
        found = connection.execute(query.text([alias], ", ".join(names))).fetchall()
        table = numpy.array(found, dtype=numpy.int64).reshape(len(found), len(names))
        return {c: table[:, i] for i, c in enumerate(self.classes_of[relation])}

    def neighbours(self, relation: int, without: int | None = None) -> int:
        return sum({1 << member for c in self.classes_of[relation] if c != without for member, _ in self.classes[c]} - {1 << relation})

    def reachable(self, relation: int, without: int) -> int:
        """The relation and all that lie behind it as seen from one of its classes."""
        found, pending = 1 << relation, self.neighbours(relation, without)
        while pending:
            found |= pending
            near = 0
            for member in bits(pending):
                near |= self.neighbours(member)
            pending = near & ~found
        return found

    def connected_sets(self) -> list[int]:
        """Sets of relations that equalities hold together, smaller ones first."""
        found = {1 << relation for relation in range(len(self.aliases))}
        pending = list(found)
        while pending:
            group = pending.pop()
            near = 0
            for member in bits(group):
                near |= self.neighbours(member)
            for larger in (group | 1 << relation for relation in bits(near & ~group)):
                if larger not in found:
                    found.add(larger)
                    pending.append(larger)
        return sorted(found, key=lambda group: (group.bit_count(), group))

    def count(self, group: int) -> float:
        return float(self.weights(bits(group)[0], group, None).sum())

    def weights(self, relation: int, group: int, towards: int | None) -> numpy.ndarray:
        """With how many rows of the group's others each row of the relation joins, those behind the class `towards` aside."""
        result = numpy.ones(len(next(iter(self.columns[relation].values()))))
        for c in self.classes_of[relation]:
            for other, _ in self.classes[c]:
                if c != towards and other != relation and group >> other & 1:
                    result *= self.message(other, c, group & self.behind[other, c])[self.columns[relation][c]]
        return result

    def message(self, relation: int, c: int, group: int) -> numpy.ndarray:
        key = relation, c, group
        if key not in self.known:
            self.known[key] = numpy.bincount(self.columns[relation][c], self.weights(relation, group, c), self.values[c])
        return self.known[key]
