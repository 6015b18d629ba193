"""Literals of stored queries and expressions mean after restarts, clean and not, what the session that made them read."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
set timezone = 'Europe/Berlin';
set datestyle = 'sql, dmy';
set intervalstyle = 'sql_standard';
create table events (at timestamptz, d date default '01/02/2024', n text, check (d >= '01/02/2023'));
insert into events (at, n) values ('2024-01-01 00:30+01', 'in'), ('2023-12-31 23:30+01', 'out');
create view fresh as select n, date '01/02/2024' as d, interval '-1 2:00:00' as i from events where at >= '2024-01-01';
create view nested as select * from fresh where d = '01/02/2024';
create materialized view kept as select n, '01/02/2024'::timestamptz as t from events where at >= '2024-01-01';
create view made as select 'now'::timestamptz as now
""".strip()
QUERIES = [
    "select * from fresh",
    "select * from nested",
    "select * from kept",
    "select * from made",
    "select pg_get_viewdef('fresh'::regclass)",
    "select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'events'::regclass",
    "select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'events'::regclass",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_literals_of_views_mean_the_same_after_a_restart(server, is_clean):
    require_same_after_restart(server, SETUP.split(";\n"), "create view unfinished as select * from events", QUERIES, is_clean)
    with server.connect() as connection:
        connection.execute("set timezone = 'America/New_York'")
        connection.execute("refresh materialized view kept")
        assert connection.execute("select n, d::text, i::text from fresh").fetchall() == [("in", "2024-02-01", "-1 days -02:00:00")]
        assert connection.execute("select n, t::text from kept").fetchall() == [("in", "2024-01-31 18:00:00-05")]
