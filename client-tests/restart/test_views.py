"""Views, arrays and uuids after restarts, clean and not."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create table base (id integer primary key, a integer[], u uuid default gen_random_uuid());
insert into base (id, a) select g, array[g, g * 2, null] from generate_series(1, 500) g;
create unique index on base (a);
create view plain as select * from base where id <= 10;
create view nested (k, total) as select a[1] % 3, sum(a[2]) from plain group by 1;
create table copied as select * from nested;
create view gone as select 1 as one;
create or replace view gone as select 2 as one, 3 as two;
create view dropped as select * from gone;
drop view dropped;
create materialized view filled as select id % 5 as part, count(*) as n from base group by 1;
create unique index on filled (part);
create materialized view unfilled as select * from base with no data;
create view checked as select id, a from base where id < 1000 with local check option;
alter view checked alter column a set default '{}';
create table referring (id integer references base deferrable initially deferred);
create table rewritten (a text);
insert into rewritten select g::text from generate_series(1, 1000) g;
alter table rewritten alter column a type integer using a::integer * 2;
create view grouped as select id, u from base group by id;
"""
QUERIES = [
    "select count(*), sum(id), count(distinct u) from plain",
    "select * from nested order by k",
    "select * from copied order by k",
    "select id from base where a = array[77, 154, null]",
    "select id from plain where 6 = any (a) order by id",
    "select * from filled order by part",
    "select * from filled where part = 3",
    "select sum(a), count(*), min(a), max(a) from rewritten",
    "select relname, relkind, relispopulated, reloptions from pg_class where relname in ('filled', 'unfilled', 'checked') order by 1",
    "select condeferrable, condeferred from pg_constraint where conname = 'referring_id_fkey'",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_views_are_there_after_a_restart(server, is_clean):
    require_same_after_restart(server, [SETUP], "create view unfinished as select * from base; drop view gone", QUERIES, is_clean)
    with server.connect() as connection:
        assert connection.execute("select * from gone").fetchall() == [(2, 3)]
        with pytest.raises(Exception, match="unfinished"):
            connection.execute("select * from unfinished")
        connection.rollback()
        with pytest.raises(Exception, match="has not been populated"):
            connection.execute("select * from unfilled")
        connection.rollback()
        with pytest.raises(Exception, match="view grouped depends on constraint base_pkey"):
            connection.execute("alter table base drop constraint base_pkey")
        connection.rollback()
        connection.execute("refresh materialized view unfilled")
        connection.execute("refresh materialized view concurrently filled")
        with pytest.raises(Exception, match="violates check option"):
            connection.execute("insert into checked values (1000)")
        connection.rollback()
        connection.execute("insert into checked values (999)")
        assert connection.execute("select a from base where id = 999").fetchall() == [([],)]
        with pytest.raises(Exception, match="dropped"):
            connection.execute("select * from dropped")
        connection.rollback()
        with pytest.raises(Exception, match="because other objects depend on it"):
            connection.execute("drop table base")
        connection.rollback()
        connection.execute("alter table base add column added integer default 1")
        connection.execute("drop table base cascade")
        with pytest.raises(Exception, match="nested"):
            connection.execute("select * from nested")
