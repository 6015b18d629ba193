"""Functions that users made after restarts, clean and not."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create table base (id integer primary key, note text);
insert into base select g, 'n' || g from generate_series(1, 20) g;
create type mood as enum ('sad', 'happy');
create domain small as integer check (value < 100);
create function plain(a integer, b numeric default 1.5) returns numeric language sql immutable strict cost 7 as 'select a * b';
create function rows_of(low integer) returns setof base language sql stable rows 3 as 'select * from base where id > low order by id limit 2';
create function pair(out one integer, out two text) language sql parallel safe as $$ select 1, 'two' $$;
create function listed(variadic parts text[]) returns table (part text, place bigint) language sql leakproof as 'select * from unnest(parts) with ordinality';
create function of_types(m mood, s small) returns small language sql as 'select s';
create function changing(n text) returns integer language sql as 'insert into base values ((select max(id) + 1 from base), n) returning id';
create function changed() returns integer language sql as 'select 1';
create or replace function changed() returns integer language sql as 'select 2';
create function dropped() returns integer language sql as 'select 3';
drop function dropped();
create function named() returns integer language sql as 'select 4';
alter function named() rename to renamed;
create schema other;
alter function renamed() set schema other;
create function any_of(a anyelement, variadic b anycompatiblearray) returns anyarray language sql security definer set search_path = 'other', "A b" set app.x = 'it''s' as 'select array[a]';
create function cursor_of(a refcursor) returns refcursor language plpgsql as 'begin return a; end';
create procedure by_sql(a integer) language sql as 'insert into base values (a, ''by sql'')';
create function returned(a integer, b integer default 2) returns integer immutable return a * b + plain(a)::integer;
create function atomic_rows(low integer) returns setof base begin atomic select * from base where id > low order by id limit 2; end;
create procedure atomic_change(x integer, y text) begin atomic insert into base values (x, y); update base set note = note || '!' where id = x; end;
create table renamed_base (a integer, b text);
create function of_renamed(x integer) returns integer begin atomic insert into renamed_base values (x, 'r') returning a; end;
alter table renamed_base rename column a to key;
alter table renamed_base rename to base_renamed;
comment on function plain(integer, numeric) is 'a product';
create view calling as select plain(id, 2) as p from base;
create table defaulted (a integer, b integer default changed());
"""
QUERIES = [
    "select plain(2), plain(2, 3), plain(null)",
    "select * from rows_of(5)",
    "select * from pair()",
    "select * from listed('a', 'b') order by place",
    "select of_types('sad', 5)",
    "select changed(), other.renamed()",
    "select sum(p) from calling",
    "select any_of(1, 2, 2.5), any_of('x'::text, 'y'), cursor_of('c')",
    "select proname, prosecdef, proconfig from pg_proc where oid >= 16384 order by 1",
    "select proname, provolatile, proisstrict, proleakproof, proretset, proparallel, procost, prorows, pronargs, pronargdefaults, proargnames, proargmodes, prosrc from pg_proc where oid >= 16384 order by 1",
    "select pg_get_functiondef(oid) from pg_proc where oid >= 16384 and proname <> 'of_types' order by proname",
    "select returned(3), returned(3, 4)",
    "select * from atomic_rows(5)",
    "select proname, pg_get_function_sqlbody(oid) from pg_proc where oid >= 16384 order by proname",
    "select obj_description('plain(integer, numeric)'::regprocedure)",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_functions_are_there_after_a_restart(server, is_clean):
    require_same_after_restart(server, [SETUP], "create function unfinished() returns integer language sql as 'select 5'", QUERIES, is_clean)
    with server.connect() as connection:
        assert connection.execute("select proname from pg_proc where proname in ('unfinished', 'dropped', 'named')").fetchall() == []
        assert connection.execute("select changing('new')").fetchall() == [(21,)]
        connection.execute("call atomic_change(90, 'ninety')")
        assert connection.execute("select note from base where id = 90").fetchall() == [("ninety!",)]
        assert connection.execute("select of_renamed(4)").fetchall() == [(4,)]
        assert connection.execute("select * from base_renamed").fetchall() == [(4, "r")]
        with pytest.raises(Exception, match="because other objects depend on it"):
            connection.execute("drop table base_renamed")
        connection.execute("insert into defaulted (a) values (1)")
        assert connection.execute("select * from defaulted").fetchall() == [(1, 2)]
        connection.execute("create function later() returns integer language sql as 'select 6'")
        assert connection.execute("select later()").fetchall() == [(6,)]
        with pytest.raises(Exception, match="because other objects depend on it"):
            connection.execute("drop function plain(integer, numeric)")
