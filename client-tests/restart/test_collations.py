"""Collations of columns, domains and indexes after restarts, clean and not."""
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create table words (id integer primary key, w text collate "de-x-icu", s varchar(20) collate "sv-x-icu" unique, c text collate "C", d text);
create index words_w on words (w);
create index words_d on words (d collate "sv-x-icu" desc, lower(w));
create domain german as text collate "de-x-icu";
create table of_domain (g german, h german collate "C");
create type pair as (k integer, t text collate "de-x-icu");
create table of_pairs (p pair);
create view ordered as select w, s from words where w < 'z';
insert into words select row_number() over (), t || g, t || g, t || g, t || g from generate_series(1, 40) g, (values ('a'), ('B'), ('ä'), ('Z'), ('z')) v (t);
insert into of_domain select w, w from words;
insert into of_pairs select row(id, w)::pair from words;
alter table words alter column c type text collate "da-x-icu";
"""
QUERIES = [
    "select w from words order by w",
    "select s from words order by s",
    "select c from words order by c",
    "select id from words where w >= 'ä' and w < 'b' order by w limit 5",
    "select id from words where w = 'ä7' or d = 'B3'",
    "select g from of_domain order by g limit 10",
    "select h from of_domain order by h limit 10",
    "select (p).t from of_pairs order by (p).t limit 10",
    "select min(w), max(s), min(c) from words",
    "select w from ordered order by w desc limit 5",
    "select indexdef from pg_indexes where tablename = 'words' order by 1",
    "select attrelid::regclass::text, attname, attcollation::regcollation::text from pg_attribute where attcollation > 951 order by 1, 2",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_collations_are_there_after_a_restart(server, is_clean):
    require_same_after_restart(server, [SETUP], "create table unfinished (a text collate \"de-x-icu\")", QUERIES, is_clean)
    with server.connect() as connection:
        connection.execute("insert into words (id, w) values (1000, 'Äa'), (1001, 'zz')")
        assert connection.execute("select w from words where w < 'ä1' order by w desc").fetchall() == [("a1",)]
        assert connection.execute("select w from words order by w desc limit 1").fetchall() == [("zz",)]
        assert connection.execute("select w from words where w = 'Äa'").fetchall() == [("Äa",)]
