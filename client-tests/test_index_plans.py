"""Which statements use an index: seen in EXPLAIN, as the answers are the same without."""
import pytest

PLANS = {
    "select * from plan where id = 5": "Index Scan using plan_pkey",
    "select * from plan where 5 = id and v > 3": "Index Scan using plan_pkey",
    "select * from plan where id = 5::bigint": "Index Scan using plan_pkey",
    "select * from plan where k = 5 and name = 'x'": "Index Scan using plan_k_name",
    "select * from plan where name = 'x'": "Seq Scan on plan",
    "select * from plan where id + 1 = 5": "Seq Scan on plan",
    "select * from plan where v = 5": "Seq Scan on plan",
    "select * from tiny where id = 5": "Index Scan using tiny_pkey on tiny",
    "update tiny set id = 5 where id = 5": "Index Scan using tiny_pkey on tiny",
    "select * from tiny where id > 4": "Seq Scan on tiny",
    "select * from tiny where id in (4, 5)": "Seq Scan on tiny",
    "update plan set v = 1 where id = 5": "Index Scan using plan_pkey",
    "delete from plan where id = 5": "Index Scan using plan_pkey",
    "select * from tiny, plan where plan.id = tiny.id": "Index Lookup using plan_pkey on plan",
    "select * from plan, tiny where plan.id = tiny.id": "Index Lookup using plan_pkey on plan",
    "select * from tiny left join plan on plan.id = tiny.id": "Index Lookup using plan_pkey on plan",
    "select * from plan left join tiny on plan.id = tiny.id": "Seq Scan on plan",
    "select * from tiny, plan where plan.v = tiny.id": "Seq Scan on plan",
    "update plan set v = 1 from tiny where plan.id = tiny.id": "Index Lookup using plan_pkey on plan",
    "select id from plan order by id limit 5": "Index Scan using plan_pkey",
    "select id from plan order by id desc limit 5": "Index Scan Backward using plan_pkey",
    "select id from plan order by k desc, name desc limit 5": "Index Scan Backward using plan_k_name",
    "select id from plan order by k, name desc limit 5": "Top-K Sort",
    "select id from plan order by id": "Sort",
    "select max(id) from plan": "Index Scan Backward using plan_pkey",
    "select min(id) from plan": "Index Scan using plan_pkey",
    "select max(v) from plan": "Seq Scan on plan",
    "select max(name) from plan where k = 3": "Index Scan Backward using plan_k_name",
    "select * from plan where upper(name) = 'NAME 5'": "Index Scan using plan_upper",
    "select * from plan where 'NAME 5' = upper(name) and v * 2 + 1 > 3": "Index Scan using plan_upper",
    "select * from plan where upper(name) = 'NAME 5' and k + v = 7": "Index Scan using plan_upper",
    "select * from plan where upper(name) = 'NAME 5' and v + k = 7": "Index Scan using plan_upper",
    "select * from plan where lower(name) = 'name 5'": "Seq Scan on plan",
    "select * from plan where upper(name || '') = 'NAME 5'": "Seq Scan on plan",
    "select * from (select id, upper(name) as u from plan) as x where u = 'NAME 5'": "Index Scan using plan_upper",
    "select id from plan order by upper(name), k + v limit 5": "Index Scan using plan_upper",
    "select id from plan order by upper(name) desc, k + v desc limit 5": "Index Scan Backward using plan_upper",
    "select upper(name) from plan order by 1 limit 5": "Index Scan using plan_upper",
    "select id from plan order by lower(name) limit 5": "Top-K Sort",
    "select max(upper(name)) from plan": "Index Scan Backward using plan_upper",
    "select min(upper(name)) from plan": "Index Scan using plan_upper",
    "select * from tiny, plan where plan.id * 2 = tiny.id": "Index Lookup using plan_twice on plan",
    "select * from tiny left join plan on tiny.id = plan.id * 2": "Index Lookup using plan_twice on plan",
    "select * from tiny, plan where plan.id * 2 + 1 = tiny.id": "Seq Scan on plan",
    "update plan set v = 1 where upper(name) = 'NAME 5'": "Index Scan using plan_upper",
    "select * from plan where case when k > 50 then id else -id end = 7": "Index Scan using plan_case",
    "select * from plan where case when k > 50 then 1 else 2 end = 1": "Seq Scan on plan",
    "select * from plan where v * 3 = 9 and k > 95": "Index Scan using plan_high",
    "select * from plan where v * 3 = 9 and k >= 96": "Index Scan using plan_high",
    "select * from plan where v * 3 = 9 and k between 97 and 98": "Index Scan using plan_high",
    "select * from plan where v * 3 = 9 and k in (97, 99)": "Index Scan using plan_high",
    "select * from plan where v * 3 = 9 and (k = 97 or k > 98)": "Index Scan using plan_high",
    "select * from plan where v * 3 = 9 and k >= 95": "Seq Scan on plan",
    "select * from plan where v * 3 = 9 and k in (95, 99)": "Seq Scan on plan",
    "select * from plan where v * 3 = 9": "Seq Scan on plan",
    "select * from plan where v * 3 = 9 or k > 97": "Seq Scan on plan",
    "select id from plan where k > 95 order by v * 3 limit 3": "Index Scan using plan_high",
    "select id from plan where k > 94 order by v * 3 limit 3": "Top-K Sort",
    "select max(v * 3) from plan where k > 95": "Index Scan Backward using plan_high",
    "select max(v * 3) from plan where k > 94": "Seq Scan on plan",
    "select * from tiny, plan where plan.v * 3 = tiny.id and k > 95": "Index Lookup using plan_high on plan",
    "select * from tiny, plan where plan.v * 3 = tiny.id and k > 94": "Seq Scan on plan",
    "select * from tiny left join plan on plan.v * 3 = tiny.id and k > 95": "Index Lookup using plan_high on plan",
    "select id from plan where rare is not null": "Index Scan using plan_rare",
    "select id from plan where rare = 'rare 1000'": "Index Scan using plan_rare",
    "select id from plan where rare is null": "Seq Scan on plan",
    "select id from plan order by rare limit 5": "Top-K Sort",
    "select min(rare) from plan where rare > 'rare 3'": "Index Scan using plan_rare",
    """select id from inverted where d @> '{"n": 5}'""": "Index Scan using inverted_d on inverted",
    """select id from inverted where '{"n": 5}' <@ d and k = 3""": "Index Scan using inverted_d",
    """select id from inverted where d @> '{"n": 5}' and d ? 'n'""": """(d @> '{"n": 5}'::jsonb) AND (d ? 'n'::text)""",
    "select id from inverted where d ? 'n'": "Index Scan using inverted_d",
    "select id from inverted where d ?| '{n,m}'": "Index Scan using inverted_d",
    "select id from inverted where d ?& '{n,m}'": "Index Scan using inverted_d",
    """select id from inverted where d <@ '{"n": 5}'""": "Seq Scan on inverted",
    """select id from inverted where not d @> '{"n": 5}'""": "Seq Scan on inverted",
    """select id from inverted where d = '{"n": 5}'""": "Seq Scan on inverted",
    """select id from inverted where d @> jsonb_build_object('n', k)""": "Seq Scan on inverted",
    """select id from inverted where e @> '{"n": 5}'""": "Index Scan using inverted_e",
    "select id from inverted where e ? 'n'": "Seq Scan on inverted",
    "select id from inverted where d->'tags' ? 'x'": "Index Scan using inverted_tags",
    "select id from inverted where d->'tag' ? 'x'": "Seq Scan on inverted",
    "select id from inverted where a @> '{1}'": "Index Scan using inverted_a",
    "select id from inverted where a <@ '{1}'": "Index Scan using inverted_a",
    "select id from inverted where '{1}' @> a": "Index Cond: (a <@ '{1}'::integer[])",
    "select id from inverted where a && '{1}' and b @> '{x}'": "(a && '{1}'::integer[]) AND (b @> '{x}'::text[])",
    "select id from inverted where a = '{1}'": "Index Scan using inverted_a",
    "select id from inverted where 1 = any (a)": "Seq Scan on inverted",
    "select id from inverted where b @> '{y}' and k > 10": "Index Scan using inverted_b",
    "select id from inverted where k > 10 and d @> '{}' order by id limit 5": "inverted",
    "select max(a) from inverted": "Seq Scan on inverted",
    "select id from inverted order by a limit 3": "Top-K Sort",
    """update inverted set k = 1 where d @> '{"n": 5}'""": "Index Scan using inverted_d",
    """delete from inverted where id = 5 and d @> '{"n": 5}'""": "Index Scan using inverted_pkey",
    "select * from tiny, inverted where inverted.a = array[tiny.id]": "Seq Scan on inverted",
}


@pytest.fixture(scope="module")
def filled(gnomon_holder):
    server = gnomon_holder.alive()
    if not server.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    values = ", ".join(f"({n})" for n in range(100))
    with server.connect() as connection:
        connection.execute("create table plan (id integer primary key, k integer, name text, v integer, rare text)")
        connection.execute("create index plan_k_name on plan (k, name)")
        connection.execute("create index plan_upper on plan (upper(name), (k + v))")
        connection.execute("create unique index plan_twice on plan ((id * 2))")
        connection.execute("create index plan_case on plan ((case when k > 50 then id else -id end))")
        connection.execute("create index plan_constants on plan ((case when k > 50 then 1 else 2 end))")
        connection.execute("create index plan_high on plan ((v * 3)) where k > 95")
        connection.execute("create index plan_rare on plan (rare) where rare is not null")
        connection.execute("insert into plan select a.n * 100 + b.n, a.n, 'name ' || b.n, b.n, null "
                           f"from (values {values}) as a (n), (values {values}) as b (n)")
        connection.execute("update plan set rare = 'rare ' || id where id % 1000 = 0")
        connection.execute("create table inverted (id integer primary key, k integer, d jsonb, e jsonb, a integer[], b text[])")
        connection.execute("create index inverted_d on inverted using gin (d)")
        connection.execute("create index inverted_e on inverted using gin (e jsonb_path_ops)")
        connection.execute("create index inverted_tags on inverted using gin ((d->'tags'))")
        connection.execute("create index inverted_a on inverted using gin (a, b)")
        connection.execute("create index inverted_b on inverted using gin (b) where k > 5")
        connection.execute("insert into inverted select g, g % 50, jsonb_build_object('n', g % 100), jsonb_build_object('n', g), "
                           "array[g % 90], array['x' || g] from generate_series(1, 5000) g")
        connection.execute("create table tiny (id integer primary key)")
        connection.execute("insert into tiny values (1), (2), (3), (4), (5)")
    yield server
    with server.connect() as connection:
        connection.execute("drop table plan, tiny, inverted")


@pytest.mark.parametrize("statement", PLANS)
def test_plan(filled, statement):
    with filled.connect() as connection:
        plan = "\n".join(row[0] for row in connection.execute("explain " + statement))
    assert PLANS[statement] in plan


def test_a_join_may_look_up_more_of_an_index_than_filters_fix(filled):
    """As the delivery of TPC-C finds the oldest order of a district, among thousands that each have some hundred."""
    with filled.connect() as connection:
        connection.execute("create table queue (a integer, b integer, n integer, v integer, primary key (a, b, n))")
        try:
            connection.execute("insert into queue select g / 9000, g / 900 % 10, g % 900, g from generate_series(0, 89999) g")
            connection.execute("analyze queue")
            oldest = "select v from queue where a = 3 and b = 4 and n = (select min(n) from queue where a = 3 and b = 4)"
            plan = "\n".join(row[0] for row in connection.execute(f"explain {oldest}"))
            assert "Index Cond: (a = 3) AND (b = 4) AND (n = min)" in plan, plan
            plan = "\n".join(row[0] for row in connection.execute("explain select v from queue, tiny where a = 3 and b = 4 and n = tiny.id"))
            assert "Index Lookup using queue_pkey on queue" in plan, plan
            for number in range(3):
                assert connection.execute(oldest).fetchall() == [(3 * 9000 + 4 * 900 + number,)]
                connection.execute("delete" + oldest.removeprefix("select v"))
            # A range is read where it is less than what the keys lead to.
            few = "select v from queue, tiny where a = 3 and b = 4 and n < 3 and v = tiny.id"
            plan = "\n".join(row[0] for row in connection.execute(f"explain {few}"))
            assert "Index Scan using queue_pkey on queue" in plan, plan
        finally:
            connection.execute("drop table queue")


def test_a_parameter_does_not_prove_a_partial_indexs_predicate(filled):
    with filled.connect() as connection:
        def plan(condition, *values):
            rows = connection.execute("explain select * from plan where " + condition, values, prepare=True)
            return "\n".join(row[0] for row in rows)
        assert "Index Scan using plan_high" in plan("v * 3 = %s and k > 97", 9)
        assert "plan_high" not in plan("v * 3 = 9 and k > %s", 97)
        assert "Index Scan using plan_rare" in plan("rare = %s", "rare 1000")
        for value in (94, 97):
            found = connection.execute("select count(*) from plan where v * 3 = 9 and k > %s", [value]).fetchone()
            assert found == (99 - value,)


def test_an_inverted_index_serves_parameters(filled):
    with filled.connect() as connection:
        for condition, value in (("d @> %s", '{"n": 5}'), ("a && %s", "{1,2}"), ("d ?| %s", "{n}")):
            rows = connection.execute("explain select * from inverted where " + condition, [value], prepare=True)
            assert "Index Scan using inverted_" in "\n".join(row[0] for row in rows)
            with_index = connection.execute("select count(*) from inverted where " + condition, [value]).fetchone()
            without = connection.execute(f"select count(*) filter (where {condition}) from inverted", [value]).fetchone()
            assert with_index == without
