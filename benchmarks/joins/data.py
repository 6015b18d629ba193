"""A schema about films, with skewed and correlated columns, and queries over it drawn from a seed.

In the manner of the join order benchmark (Leis and others, "How good are query optimizers, really?"): popular films have most of
the roles, words and ratings; a film's language follows its studio's country, its genre its decade, a person's trade the kind of role.
"""
import random

COUNTRIES = ["us", "in", "uk", "fr", "jp", "de", "it", "kr", "es", "br", "se", "dk"]
GENRES = ["drama", "comedy", "action", "horror", "western", "musical", "documentary", "animation"]
TABLES = {
    "studio": "id integer, country text, founded integer",
    "film": "id integer, studio_id integer, year integer, language text, genre text",
    "person": "id integer, country text, born integer, trade text",
    "role": "film_id integer, person_id integer, kind text, rank integer",
    "word": "id integer, class text",
    "film_word": "film_id integer, word_id integer",
    "rating": "film_id integer, source text, score integer",
    "award": "film_id integer, person_id integer, year integer, prize text",
    "sequel": "film_id integer, next_id integer, kind text",
}
# Columns that refer to one another.
LINKS = [
    ("film", "studio_id", "studio", "id"), ("role", "film_id", "film", "id"), ("role", "person_id", "person", "id"),
    ("film_word", "film_id", "film", "id"), ("film_word", "word_id", "word", "id"), ("rating", "film_id", "film", "id"),
    ("award", "film_id", "film", "id"), ("award", "person_id", "person", "id"), ("sequel", "film_id", "film", "id"),
    ("sequel", "next_id", "film", "id"),
]  # fmt: skip


def skewed(draw: random.Random, count: int) -> int:
    """From 1 to count; a tenth of the numbers has most of the draws."""
    return min(count, 1 + int(count * draw.random() ** 3))


def rows(seed: int, scale: int = 1) -> dict[str, list[tuple]]:
    """Studios and words are as many at every scale."""
    film_count, person_count = 4000 * scale, 6000 * scale
    draw = random.Random(seed)
    studios = [(i, COUNTRIES[skewed(draw, 12) - 1], draw.randint(1900, 2010)) for i in range(1, 201)]
    films = []
    for i in range(1, film_count + 1):
        studio = studios[skewed(draw, 200) - 1]
        year = draw.randint(max(1920, studio[2]), 2020)
        genre = GENRES[(year - 1920) // 13 % 8] if draw.random() < 0.6 else draw.choice(GENRES)
        films.append((i, studio[0], year, studio[1] if draw.random() < 0.85 else draw.choice(COUNTRIES), genre))
    trades = ["actor", "actor", "actor", "director", "writer", "composer"]
    people = [(i, COUNTRIES[skewed(draw, 12) - 1], draw.randint(1880, 2000), draw.choice(trades)) for i in range(1, person_count + 1)]
    roles = []
    for _ in range(24000 * scale):
        person = people[skewed(draw, person_count) - 1]
        kind = person[3] if draw.random() < 0.9 else draw.choice(trades)
        roles.append((skewed(draw, film_count), person[0], kind, draw.randint(1, 30)))
    classes = ["place", "plot", "plot", "object", "mood"]
    words = [(i, classes[i % 5]) for i in range(1, 501)]
    film_words = list({(skewed(draw, film_count), skewed(draw, 500)) for _ in range(14000 * scale)})
    ratings = []
    for film in films:
        for source in draw.sample(["critics", "users", "festival"], 1 + (film[0] < 800 * scale) + (film[0] < 200 * scale)):
            ratings.append((film[0], source, min(100, max(0, int(draw.gauss(75 if film[0] < 400 * scale else 55, 15))))))
    awards = [(skewed(draw, 1000 * scale), roles[draw.randrange(len(roles))][1], draw.randint(1950, 2020),
               draw.choice(["best film", "best actor", "best script", "jury"])) for _ in range(2500 * scale)]  # fmt: skip
    sequels = [(i, draw.randint(i + 1, min(film_count, i + 60)), draw.choice(["sequel", "sequel", "remake", "spin-off"]))
               for i in range(1, film_count - 100, 4)]  # fmt: skip
    return {"studio": studios, "film": films, "person": people, "role": roles, "word": words, "film_word": sorted(film_words),
            "rating": ratings, "award": awards, "sequel": sequels}  # fmt: skip


def conditions(draw: random.Random, table: str, alias: str) -> list[str]:
    year = draw.randrange(1930, 2010, 10)
    country = COUNTRIES[skewed(draw, 12) - 1]
    choices = {
        "studio": [f"{alias}.country = '{country}'", f"{alias}.founded < {year}"],
        "film": [f"{alias}.language = '{country}'", f"{alias}.year between {year} and {year + 15}",
                 f"{alias}.genre = '{draw.choice(GENRES)}' and {alias}.year > {year}"],
        "person": [f"{alias}.country = '{country}'", f"{alias}.trade = 'director'", f"{alias}.born > {year - 40}"],
        "role": [f"{alias}.kind = 'writer'", f"{alias}.rank <= 3", f"{alias}.kind = 'actor' and {alias}.rank < 10"],
        "word": [f"{alias}.class = 'place'", f"{alias}.id < {draw.randint(5, 200)}"],
        "rating": [f"{alias}.score > {draw.randint(60, 90)}", f"{alias}.source = 'festival'"],
        "award": [f"{alias}.prize = 'jury'", f"{alias}.year > {year}"],
        "sequel": [f"{alias}.kind = 'remake'"],
    }
    return [draw.choice(choices[table])] if table in choices else []


class Query:
    """Relations by alias, the equalities that join them, and what else must hold."""

    def __init__(self, seed: int, size: int):
        draw = random.Random(seed * 1000 + size)
        self.tables = {"r0": draw.choice(["film", "film", "person", "role"])}
        self.joins = []  # (alias, column, alias, column)
        while len(self.tables) < size:
            alias = draw.choice(list(self.tables))
            fitting = [link for link in LINKS if self.tables[alias] in (link[0], link[2])]
            one, one_column, other, other_column = draw.choice(fitting)
            fresh = f"r{len(self.tables)}"
            if self.tables[alias] == one and (self.tables[alias] != other or draw.random() < 0.5):
                if any(join[:2] == (alias, one_column) for join in self.joins):
                    continue  # a column refers once
                self.tables[fresh] = other
                self.joins.append((alias, one_column, fresh, other_column))
            else:
                # The same table many times over makes results without end.
                if sum(table == one for table in self.tables.values()) >= 2:
                    continue
                self.tables[fresh] = one
                self.joins.append((fresh, one_column, alias, other_column))
        self.filters = {}
        for alias, table in self.tables.items():
            if draw.random() < (0.55 if size < 8 else 0.75):
                self.filters[alias] = conditions(draw, table, alias)

    def classes(self) -> list[list[tuple[str, str]]]:
        """Columns that equalities, also implied ones, hold equal."""
        found = []
        for a, x, b, y in self.joins:
            meeting = [members for members in found if (a, x) in members or (b, y) in members]
            merged = [member for members in meeting for member in members]
            merged += [member for member in ((a, x), (b, y)) if member not in merged]
            found = [members for members in found if members not in meeting] + [merged]
        return found

    def text(self, aliases, selected: str = "count(*)") -> str:
        chosen = [alias for alias in self.tables if alias in aliases]
        where = []
        for members in self.classes():
            inside = [f"{alias}.{column}" for alias, column in members if alias in aliases]
            where += [f"{inside[0]} = {other}" for other in inside[1:]]
        where += [condition for alias in chosen for condition in self.filters.get(alias, [])]
        return (f"select {selected} from {', '.join(f'{self.tables[alias]} {alias}' for alias in chosen)}"
                + (f" where {' and '.join(where)}" if where else ""))  # fmt: skip
