"""Random regular expressions over random texts: every match, every group and every error is PostgreSQL's.

RANDOM_REGEX_COUNT and RANDOM_REGEX_SEED ask for more.
"""
import os
import random

import psycopg

COUNT = int(os.environ.get("RANDOM_REGEX_COUNT", "400"))
SEED = int(os.environ.get("RANDOM_REGEX_SEED", "1"))
TEXTS = 3
CLASSES = ["[ab]", "[^a]", "[a-c]", "[[:alpha:]]", r"\w", r"\d", r"\s", "[^b-]", r"\W", r"[\w-]", "[[:digit:]x]", r"\D", "é", r"\n", "ö"]
CONSTRAINTS = ["^", "$", r"\m", r"\M", r"\y", r"\Y", r"\A", r"\Z", "[[:<:]]", "[[:>:]]"]
QUANTIFIERS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,2}", "{2,}", "{1,3}?", "{0,1}?", "{2}?", "{1}", "{1,1}?", "{0}", "{0,}?", "{,2}", "{3}"]
PREFIXES = ["***:", "(?i)", "(?e)", "(?b)", "(?n)", "(?x)", "(?q)", "***="]


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.groups = 0

    def pattern(self) -> str:
        self.groups = 0
        prefix = self.random.choice(PREFIXES) if self.random.random() < 0.05 else ""
        return prefix + self.branches(self.random.choice([1, 2, 2, 3, 3]))

    def branches(self, depth: int) -> str:
        return "|".join("".join(self.piece(depth) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4])))
                        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])))

    def piece(self, depth: int) -> str:
        pick = self.random
        if pick.random() < 0.06:
            return pick.choice(CONSTRAINTS)
        if depth > 0 and pick.random() < 0.04:
            return f"{pick.choice(['(?=', '(?!', '(?<=', '(?<!'])}{self.branches(depth - 1)})"
        return self.atom(depth) + (pick.choice(QUANTIFIERS) if pick.random() < 0.45 else "")

    def atom(self, depth: int) -> str:
        pick, kind = self.random, self.random.random()
        if kind < 0.06 and self.groups:
            return rf"\{pick.randint(1, self.groups)}"
        if kind < 0.4 and depth > 0:
            if pick.random() < 0.25:
                return f"(?:{self.branches(depth - 1)})"
            inner = self.branches(depth - 1)
            self.groups += 1
            return f"({inner})"
        return pick.choice(CLASSES + ["."] * 8) if kind < 0.55 else pick.choice("aaaabbbcx")

    def flags(self) -> str:
        chosen = "".join(self.random.sample("insxwpm", self.random.choice([0, 0, 0, 1, 1, 2])))
        return chosen + (self.random.choice("beq") if self.random.random() < 0.03 else "")

    def text(self) -> str:
        length = self.random.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 14])
        return "".join(self.random.choice("aaaabbbbccx  \nAB1éö-") if self.random.random() < 0.5 else self.random.choice("ab") for _ in range(length))


def outcome(connection, text: str, pattern: str, flags: str):
    try:
        return connection.execute(
            "select array(select m::text from regexp_matches(%s::text, %s, %s) with ordinality as x (m, n) order by n), regexp_like(%s, %s, %s), "
            "regexp_replace(%s, %s, '<\\2\\1\\&>', %s)",
            (text, pattern, flags + "g", text, pattern, flags, text, pattern, flags + "g")).fetchone()
    except psycopg.errors.QueryCanceled:
        return None
    except psycopg.Error as error:
        return error.sqlstate, error.diag.message_primary


def test_matches_groups_and_errors_are_the_same(postgres, gnomon):
    generator = Generator(SEED)
    with postgres.connect() as reference, gnomon.connect() as tested:
        reference.execute("set statement_timeout = '5s'")
        for number in range(COUNT):
            pattern, flags = generator.pattern(), generator.flags()
            for text in (generator.text() for _ in range(TEXTS)):
                expected = outcome(reference, text, pattern, flags)
                if expected is not None:  # back references may take PostgreSQL for ever
                    assert outcome(tested, text, pattern, flags) == expected, f"seed {SEED}, number {number}: {pattern!r} {flags!r} {text!r}"
