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
    "select * from tiny where id = 5": "Seq Scan on tiny",
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
}


@pytest.fixture(scope="module")
def filled(gnomon_holder):
    server = gnomon_holder.alive()
    if not server.is_gnomon:
        pytest.skip("PostgreSQL plays Gnomon's part")
    values = ", ".join(f"({n})" for n in range(100))
    with server.connect() as connection:
        connection.execute("create table plan (id integer primary key, k integer, name text, v integer)")
        connection.execute("create index plan_k_name on plan (k, name)")
        connection.execute("insert into plan select a.n * 100 + b.n, a.n, 'name ' || b.n, b.n "
                           f"from (values {values}) as a (n), (values {values}) as b (n)")
        connection.execute("create table tiny (id integer primary key)")
        connection.execute("insert into tiny values (1), (2), (3), (4), (5)")
    yield server
    with server.connect() as connection:
        connection.execute("drop table plan, tiny")


@pytest.mark.parametrize("statement", PLANS)
def test_plan(filled, statement):
    with filled.connect() as connection:
        plan = "\n".join(row[0] for row in connection.execute("explain " + statement))
    assert PLANS[statement] in plan
