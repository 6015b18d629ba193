"""That a table holds NaN in a numeric of fixed precision is known after restarts, clean and not."""
import pytest

QUERIES = (
    "select a, n, n + 1, w * 2 from nans order by a",
    "select sum(n), max(w), count(*) filter (where n > 5) from nans",
    "select a, e + 1 from added order by a",
    "select a, n + 1 from temporarily order by a",
    "select k, k + 1 from parted order by v",
)


@pytest.mark.parametrize("is_clean", [True, False])
def test_nans_are_nans_after_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        connection.execute("create table nans (a integer, n numeric(10,2), w numeric(30,4))")
        connection.execute("insert into nans values (1, 1.5, 2), (2, 'NaN', 4)")
        connection.execute("update nans set w = 'NaN' where a = 1")
        connection.execute("create table added (a integer); insert into added values (1); alter table added add column e numeric(7,1) default 'NaN'")
        connection.execute("create table temporarily (a integer, n numeric(10,2)); insert into temporarily values (1, 'NaN'); delete from temporarily")
        connection.execute("insert into temporarily values (2, 2)")
        connection.execute("create table parted (k numeric(6,2), v integer) partition by hash (v)")
        connection.execute("create table p0 partition of parted for values with (modulus 2, remainder 0); create table p1 partition of parted for values with (modulus 2, remainder 1)")
        connection.execute("insert into parted values ('NaN', 1), (1, 2), (2, 3)")
        before = [repr(connection.execute(query).fetchall()) for query in QUERIES]
    assert "Decimal('NaN')" in before[0]
    for _ in range(2):
        (server.stop if is_clean else server.kill)()
        server.start()
        with server.connect() as connection:
            assert [repr(connection.execute(query).fetchall()) for query in QUERIES] == before
