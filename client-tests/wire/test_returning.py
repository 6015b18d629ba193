"""RETURNING as messages: descriptions, formats, row limits. Played to PostgreSQL and to Gnomon, whose transcripts must be the same."""
import pytest

from wire.protocol import Client, bind, close, describe, execute, parse, query, sync

TABLE = "create table wire_kept (a integer primary key, b text, c numeric(8,2))"
FILL = "insert into wire_kept values (1, 'one', 1.5), (2, 'two', 2.5), (3, 'three', null), (4, null, 4), (5, 'five', 5)"
ALL = query("select * from wire_kept order by a")

SCENARIOS = {
    "simple": [query("insert into wire_kept values (6, 'six', 6) returning a, b, c, a + 1, 'x'"), query("update wire_kept set c = 1 where a = 1 returning *"),
               query("delete from wire_kept where a < 3 returning b"), query("delete from wire_kept where a < 3 returning b"), ALL],
    "several statements in one string": [query("insert into wire_kept values (7, 'x', 1) returning a; delete from wire_kept where a = 7 returning b; select 1"), ALL],
    "described before it is executed": [parse("update wire_kept set b = $1 where a = $2 returning b, a, c * 2 as d", "s") + describe("S", "s") + sync(), ALL,
                                        bind([b"new", b"2"], "p", "s") + describe("P", "p") + execute("p") + sync(), ALL],
    "bound and not executed": [parse("delete from wire_kept returning a", "s") + bind([], "p", "s") + describe("P", "p") + sync(), ALL],
    "bound, not executed, in a block": [query("begin"), parse("delete from wire_kept returning a", "s") + bind([], "p", "s") + close("P", "p") + sync(), query("commit"), ALL],
    "binary": [parse("insert into wire_kept values ($1, $2, $3) returning a, b, c, a::bigint, c is null", "s") + sync(),
               bind([b"9", b"nine", b"9.25"], "", "s", result_formats=[1]) + describe("P") + execute() + sync(),
               bind([b"10", None, None], "", "s", result_formats=[1, 0, 1, 1, 0]) + describe("P") + execute() + sync(), ALL],
    "prepared, many times": [parse("insert into wire_kept values ($1, 'n', 0) on conflict (a) do update set c = wire_kept.c + $2 returning a, c", "s") + sync(),
                             *(bind([key, b"2.5"], "", "s") + execute() + sync() for key in (b"1", b"20", b"20", b"20", b"3", b"3", b"1")), ALL],
    "with a row limit the change is whole": [
        query("begin"), parse("update wire_kept set c = a returning a, c") + bind([], "p") + execute("p", 2) + sync(), ALL, execute("p", 2) + sync(),
        execute("p", 2) + sync(), execute("p", 2) + sync(), query("commit"), ALL],
    "a limit that is the number of rows": [
        query("begin"), parse("delete from wire_kept returning a") + bind([], "p") + execute("p", 5) + execute("p", 5) + execute("p", 5) + sync(), query("rollback"), ALL],
    "without limit, executed again": [query("begin"), parse("insert into wire_kept values (30), (31) returning a") + bind([], "p") + execute("p") + execute("p") + sync(), query("commit"), ALL],
    "changes in WITH, piece by piece": [
        query("begin"), parse("with gone as (delete from wire_kept where a > $1 returning a, c) select a, c from gone order by a", "s") + describe("S", "s") + sync(),
        bind([b"1"], "p", "s") + describe("P", "p") + execute("p", 1) + sync(), ALL, execute("p", 2) + sync(), execute("p") + sync(), query("commit"), ALL],
    "a change in WITH that nobody reads, limited to nothing": [
        query("begin"), parse("with gone as (delete from wire_kept where a > 2 returning a) select 1 union all select 2 limit 1") + bind([], "p") + execute("p", 1) + close("P", "p") + sync(), query("commit"), ALL],
    "changes in WITH, binary": [parse("with new as (insert into wire_kept values ($1, 'w', 1) returning *) select a, b, c from new", "s") + sync(),
                                *(bind([key], "", "s", result_formats=[1]) + describe("P") + execute() + sync() for key in (b"70", b"71", b"70", b"72")), ALL],
    "MERGE": [query("merge into wire_kept using (values (1), (90)) as v (a) on wire_kept.a = v.a when matched then update set b = 'm' when not matched then insert values (v.a)"),
              parse("merge into wire_kept using (select $1::integer as x) as s on s.x = wire_kept.a when matched then delete", "s") + describe("S", "s") + bind([b"90"], "", "s") + execute() + sync(),
              bind([b"90"], "", "s") + execute() + sync(), ALL],
    "closed half way": [query("begin"), parse("insert into wire_kept values (40), (41), (42) returning a") + bind([], "p") + execute("p", 1) + close("P", "p") + sync(), query("commit"), ALL],
    "half way, outside of a block": [parse("delete from wire_kept returning a") + bind([], "p") + execute("p", 1) + sync(), ALL],
    "half way, then rolled back": [query("begin"), parse("delete from wire_kept where a > 2 returning a") + bind([], "p") + execute("p", 1) + sync(), query("savepoint x"),
                                   query("insert into wire_kept values (60)"), execute("p", 1) + sync(), query("rollback"), ALL],
    "an error in the change": [parse("insert into wire_kept values (50), (1) returning a") + bind() + describe("P") + execute() + sync(), ALL],
    "an error in what is returned": [parse("delete from wire_kept where a in (2, 3) returning 1 / (a - $1)") + bind([b"3"]) + execute() + sync(), ALL],
    "nothing to return": [parse("insert into wire_kept values (1) on conflict do nothing returning *") + bind() + describe("P") + execute() + execute() + sync(), ALL],
    "nobody says what a parameter is": [parse("insert into wire_kept values (1) returning $1") + describe("S") + sync()],
    "tags": [query("insert into wire_kept values (61), (62)"), query("insert into wire_kept values (61), (63) on conflict do nothing"),
             query("update wire_kept set b = 'q' where a > 60"), query("delete from wire_kept where a > 60 returning a")],
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcripts_are_postgresqls(postgres, gnomon, name):
    transcripts = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.start()
            client.ask(TABLE)
            client.ask(FILL)
            try:
                transcripts.append([])
                for batch in SCENARIOS[name]:
                    client.send(batch)
                    transcripts[-1].append(client.until_ready())
            finally:
                client.ask("rollback")
                client.ask("drop table wire_kept")
    reference, tested = transcripts
    assert tested == reference
