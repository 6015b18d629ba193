"""The tests' own tools, without a server: what reads SQL files, compares answers, makes random queries and shrinks them."""
import query_generator
import query_runner
import statements
from comparison import Answer, Notice, difference, ordered_difference
from query_runner import Runner


def texts(source: str) -> list[str]:
    return [statement.text for statement in statements.parse(source)]


def test_statements_end_at_semicolons_outside_of_quotes_and_comments():
    source = "select ';', \";\", $$;$$, $a$;$$;$a$, E'\\';' /* ; /* ; */ ; */ -- ;\n, 1;\n-- only a comment ;\nselect 2;"
    assert [text.split()[0] + text[-1] for text in texts(source)] == ["select1", "select2"]


def test_comment_words_reach_the_next_statement_alone():
    found = statements.parse("-- file: position\n-- float\nselect 1;\n-- a float is not asked for here\nselect 2;\n-- multiset detail\nselect 3;")
    assert [sorted(statement.words) for statement in found] == [["float", "position"], ["position"], ["detail", "multiset", "position"]]


def test_copy_data_is_taken_to_its_end_mark():
    found = statements.parse("copy t from stdin;\n1\ta;b\n2\t'\n\\.\nselect 1;\ncopy t from stdin csv;\n\\.\ncopy t to stdout;")
    assert [statement.copy_data for statement in found] == [b"1\ta;b\n2\t'\n", None, b"", None]
    assert [statement.line for statement in found] == [1, 5, 6, 8]


def test_order_by_counts_at_the_top_level_alone():
    assert statements.is_ordered("select a from t order by a")
    assert not statements.is_ordered("select a from (select a from t order by a) as d")
    assert not statements.is_ordered("select 'order by', sum(a) from t")


def answer(*rows, type_id=23, **others):
    return Answer(tag=f"SELECT {len(rows)}", columns=[("a", type_id)], rows=[(row,) for row in rows], **others)


def test_differences_are_found():
    assert difference(answer(b"1", b"2"), answer(b"2", b"1")) == ""
    assert "row 1" in difference(answer(b"1", b"2"), answer(b"2", b"1"), ordered=True)
    assert difference(answer(b"1", b"1", b"2"), answer(b"1", b"2", b"2")) != ""
    assert difference(answer(b"1.0"), answer(b"1.00")) != ""
    assert difference(answer(None), answer(b"")) != ""
    assert difference(answer(b"1"), answer(b"1", b"1")) != ""
    assert "columns" in difference(answer(b"1"), answer(b"1", type_id=20))
    assert difference(answer(b"1"), Answer(sqlstate="22012")) != ""
    assert difference(Answer(sqlstate="22003"), Answer(sqlstate="22012")) != ""
    assert difference(Answer(sqlstate="22003", position="5"), Answer(sqlstate="22003", position="6")) == ""
    assert difference(Answer(sqlstate="22003", position="5"), Answer(sqlstate="22003", position="6"), words={"position"}) != ""


def test_rows_that_tie_come_in_any_order():
    one = Answer(tag="SELECT 3", columns=[("x", 701), ("a", 23)], rows=[(b"-0", b"1"), (b"0", b"2"), (b"1", b"3")])
    other = Answer(tag="SELECT 3", columns=[("x", 701), ("a", 23)], rows=[(b"0", b"2"), (b"-0", b"1"), (b"1", b"3")])
    wrong = Answer(tag="SELECT 3", columns=[("x", 701), ("a", 23)], rows=[(b"0", b"2"), (b"1", b"3"), (b"-0", b"1")])
    assert ordered_difference(one, other, [0]) == ""
    assert "row 1" in ordered_difference(one, other, [0, 1])
    assert "row 2" in ordered_difference(one, wrong, [0])
    assert ordered_difference(one, wrong, []) == ""
    assert "rows" in ordered_difference(one, Answer(tag="SELECT 3", columns=one.columns, rows=one.rows[:2]), [0])


def test_floats_are_exact_unless_relaxed():
    left, right = answer(b"0.30000000000000004", type_id=701), answer(b"0.3", type_id=701)
    assert difference(left, right) != ""
    assert difference(left, right, words={"float"}) == ""
    assert difference(answer(b"0.31", type_id=701), right, words={"float"}) != ""


def test_fields_of_errors_and_notices_count_where_asked_for():
    left = Answer(sqlstate="22012", context="line 3", hint="a", internal=("1 / 0", "3"))
    assert difference(left, Answer(sqlstate="22012", context="line 4")) == ""
    assert "context" in difference(left, Answer(sqlstate="22012", context="line 4"), words={"context"})
    assert "internal" in difference(left, Answer(sqlstate="22012", internal=("1 / 0", "4")), words={"internal"})
    told, other = answer(notices=[Notice("NOTICE", "00000", "x", hint="a")]), answer(notices=[Notice("NOTICE", "00000", "x", hint="b")])
    assert difference(told, other, words={"notices"}) == difference(told, other, words={"hint"}) == ""
    assert "notices" in difference(told, other, words={"notices", "hint"})
    assert "notices" in difference(told, answer(), words={"notices"})


def test_a_query_is_decided_by_seed_and_number():
    first = [query_generator.query_of(3, number).sql() for number in range(200)]
    assert first == [query_generator.query_of(3, number).sql() for number in range(200)]
    assert len(set(first)) > 195
    assert first != [query_generator.query_of(4, number).sql() for number in range(200)]


def test_random_queries_cover_the_grammar():
    everything = " ".join(query_generator.query_of(1, number).sql() for number in range(12000))
    for part in (
        "left join", "right join", "full join", "cross join", "select distinct", "count(distinct", "group by", "having", "order by", "limit", "offset", "nulls first",
        "case when", "coalesce(", "nullif(", "like", "not like", " in (", "not in (", "between", "extract(", "interval", "substring(", "is not distinct from",
        "is unknown", "avg(", "sum(distinct", "cast(", "::bigint", "position(", "null)", " union ", " union all ", " intersect ", " except ", "lateral (", "with w",
            " over (", "rollup (", "cube (", "groups between", "range between", "exclude group", "filter (where", "exists (select", "array(select", "window w as", "rows from (", "(values (", "::money", "::cidr", "::name", "::oid", "::random_percent", "random_add(", "random_nations(",
            "between symmetric", "grouping(", ") in (select", " union all (select", " except all ",
    ):  # fmt: skip
        assert part in everything, part


class WrongInVm(Runner):
    """Plays both servers: answers differ as long as the query has an extract."""

    def __init__(self):
        self.pools = {"vm": None, "llvm": None}
        self.tolerated = self.skipped = self.errors = 0
        self.shrink_seconds = query_runner.SHRINK_SECONDS_MAX

    def difference(self, sql, order, modes=None):
        if "extract(" in sql:
            return "vm", "row 1", answer(b"1"), answer(b"2")
        return None


def test_shrinking_leaves_what_matters():
    number = next(n for n in range(1000) if "extract(" in (query := query_generator.query_of(9, n)).sql() and len(query.where) > 1 and query.limit)
    found = WrongInVm().run(9, number)
    assert "extract(" in found.sql
    assert len(found.sql) < len(query_generator.query_of(9, number).sql())
    assert "limit" not in found.sql.splitlines()[-1]
    assert f"--only {number}" in str(found)


def test_smaller_queries_do_not_touch_the_original():
    query = next(q for n in range(100) if (q := query_generator.query_of(5, n)).limit)
    before = query.sql()
    assert all(candidate.sql() != before for candidate in query_runner.smaller_queries(query))
    assert query.sql() == before
