"""What is stored as SQL names routines and types by oid: after restarts, clean and not, it means what it meant."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create schema place;
create type place.mood as enum ('low', 'high');
create type place.pair as (a int, b text);
create function place.is_good(n int) returns boolean language plpgsql immutable as $$ begin return n > 0; end $$;
create domain place.good as int check (place.is_good(value));
create table kept (id int primary key check (place.is_good(id)), m place.mood default 'low'::place.mood, p place.pair default row(1, 'x')::place.pair, g place.good default 5::place.good, check (m <= 'high'::place.mood));
create index kept_high on kept (id) where m = 'high'::place.mood;
create view shown as select id, 'high'::place.mood as best, place.is_good(id - 1) as was from kept;
create function place.chosen(m place.mood default 'high'::place.mood) returns text language sql as 'select $1::text';
insert into kept (id) values (1), (2);
alter type place.mood rename to feeling;
alter type place.pair rename to couple;
alter domain place.good rename to better;
alter function place.is_good(int) rename to is_fine;
alter schema place rename to other_place;
""".strip()
QUERIES = [
    "select * from kept order by id",
    "select * from shown order by id",
    "select other_place.chosen()",
    "select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'kept'::regclass order by conname",
    "select pg_get_constraintdef(oid) from pg_constraint where contypid = 'other_place.better'::regtype",
    "select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'kept'::regclass order by adnum",
    "select indexdef from pg_indexes where tablename = 'kept' order by indexname",
    "select pg_get_viewdef('shown'::regclass)",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_stored_names_mean_the_same_after_a_restart(server, is_clean):
    require_same_after_restart(server, SETUP.split(";\n"), "insert into kept (id) values (3)", QUERIES, is_clean)
    with server.connect() as connection:
        connection.execute("insert into kept (id) values (4)")
        for refused in ("insert into kept (id) values (-1)", "insert into kept (id, g) values (5, -5)", "select (-1)::other_place.better"):
            with pytest.raises(Exception) as failure:
                connection.execute(refused)
            assert failure.value.sqlstate == "23514", refused
        assert connection.execute("select * from kept where id = 4").fetchone()[:2] == (4, "low")
