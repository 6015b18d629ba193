"""PL/pgSQL as messages: where notices stand, parameters, CALL and COMMIT in batches and strings, row limits, errors with all of their fields.

Played to PostgreSQL and to Gnomon, whose transcripts must be the same but for two things: notices are compared in their order, not with their
places among the rows, and how much of a result was sent before an error is open.
"""
import pytest

from wire.protocol import Client, bind, close, describe, error_fields, execute, parse, query, readable, sync

SETUP = """
create schema wire_pl;
set search_path = wire_pl, public;
create table kept (a integer primary key, b text);
create function note(a integer) returns integer language plpgsql as $$ begin raise notice 'a is %', a using hint = 'h', detail = 'd'; return a * 2; end $$;
create function rows_of(n integer) returns setof integer language plpgsql as $$ begin for i in 1 .. n loop raise notice 'row %', i; return next i; end loop; end $$;
create function pairs(n integer) returns table (x integer, y text) language plpgsql as $$ begin return query select g, 'y' || g from generate_series(1, n) g; end $$;
create function fails(a integer) returns integer language plpgsql as $$ begin return 10 / a; end $$;
create function unknown_column(a integer) returns integer language plpgsql as $$ begin return nosuch + a; end $$;
create function keeps(a integer, b text) returns integer language plpgsql as $$ declare n integer; begin insert into kept values (a, b); get diagnostics n = row_count; return n; end $$;
create function upserts(k integer, w text) returns text language plpgsql as $$
begin
  insert into kept values (k, w);
  return 'inserted';
exception when unique_violation then
  update kept set b = w where a = k;
  return 'updated';
end $$;
create function raises(a text) returns void language plpgsql as $$
begin
  raise exception 'raised %', a using errcode = '22012', detail = 'd', hint = 'h', schema = 's', table = 't', column = 'c', datatype = 'dt', constraint = 'k';
end $$;
create procedure inouts(inout a integer, inout b text, c integer) language plpgsql as $$ begin a := a + c; b := b || c; end $$;
create procedure commits(k integer) language plpgsql as $$
begin
  insert into kept values (k, 'committed');
  commit;
  insert into kept values (k + 1, 'rolled back');
  rollback;
  insert into kept values (k + 2, 'last');
end $$;
create procedure commits_and_fails(k integer) language plpgsql as $$ begin insert into kept values (k, 'committed'); commit; insert into kept values (k, 'again'); end $$;
insert into kept values (1, 'one'), (2, 'two'), (3, 'three');
"""
ALL = query("select * from kept order by a")

SCENARIOS = {
    "notices among rows": [query("select note(a) from kept order by a"), query("select * from rows_of(3)")],
    "notices before an error": [query("select note(a), fails(a - 2) from kept order by a"), query("do $$ begin raise warning 'w'; raise exception 'e'; end $$")],
    "no notices that nobody wants": [query("set client_min_messages = warning"), query("select note(1)"), query("do $$ begin raise notice 'n'; raise info 'i'; end $$")],
    "parameters": [parse("select note($1), keeps($1 + 100, $2)", "s") + describe("S", "s") + bind([b"5", b"five"], "", "s") + describe("P") + execute() + sync(),
                   bind([None, b"x"], "", "s") + execute() + sync(), bind([b"5", b"again"], "", "s") + execute() + sync(), ALL],
    "binary": [parse("select note($1), pg_typeof($1), x, y from pairs($1) order by x", "s") + bind([b"\0\0\0\2"], "", "s", value_formats=[1], result_formats=[1]) + describe("P") + execute() + sync()],
    "many times": [parse("select upserts($1, $2)", "s") + sync(),
                   *(bind([key, b"w" + key], "", "s") + execute() + sync() for key in (b"1", b"9", b"9", b"1", b"9", b"3", b"9", b"10", b"9")), ALL],
    "all fields of errors": [query("select raises('x')"), query("select fails(0)"), query("select unknown_column(1)"), query("select keeps(1, 'x')"), query("select keeps(null, 'x')")],
    "an error ends the batch": [parse("select fails($1)") + bind([b"0"]) + execute() + parse("select 1") + bind() + execute() + sync(), ALL],
    "row limits": [query("begin"), parse("select x, y from pairs(5)") + bind([], "p") + execute("p", 2) + execute("p", 2) + sync(), execute("p", 2) + execute("p", 2) + sync(), query("commit")],
    "a set within the list, row by row": [query("begin"), parse("select rows_of(3)") + bind([], "p") + execute("p", 2) + sync(), execute("p", 2) + sync(), query("commit")],
    "CALL": [query("call inouts(1, 'x', 5)"), parse("call inouts($1, $2, $3)", "s") + describe("S", "s") + bind([b"1", b"y", b"7"], "", "s") + describe("P") + execute() + sync(),
             bind([None, b"y", b"7"], "", "s", result_formats=[1]) + execute() + sync()],
    "CALL that commits": [query("call commits(10)"), parse("call commits($1)") + bind([b"20"]) + execute() + sync(), ALL, query("call commits_and_fails(30)"), ALL],
    "CALL that commits within a block": [query("begin"), query("call commits(10)"), query("rollback"), ALL],
    "CALL that commits, after another statement of the batch": [
        parse("insert into kept values (50, 'before')") + bind() + execute() + parse("call commits(60)") + bind() + execute() + sync(), ALL],
    "CALL that commits, before another statement of the batch": [
        parse("call commits(60)") + bind() + execute() + parse("insert into kept values (50, 'after')") + bind() + execute() + parse("select 1 / (a - 1) from kept") + bind() + execute() + sync(), ALL],
    "CALL that commits, in a string": [query("call commits(70); select count(*) from kept"), query("select 1; call commits(80)"), query("call commits(90);"), ALL],
    "DO in a string": [query("do $$ begin insert into kept values (70, 'x'); end $$; select 1 / 0"), ALL, query("do $$ begin insert into kept values (71, 'x'); commit; end $$"), ALL,
                       query("select 1; do $$ begin commit; end $$")],
    "DO takes no parameters": [parse("do $$ begin perform 1; end $$") + describe("S") + bind() + describe("P") + execute() + sync(), parse("do $$ begin perform $1; end $$") + describe("S") + bind([b"1"]) + execute() + sync()],
    "replaced between executions": [parse("select note($1)", "s") + bind([b"1"], "", "s") + execute() + sync(),
                                    query("create or replace function note(a integer) returns integer language plpgsql as 'begin return -a; end'"), bind([b"1"], "", "s") + execute() + sync()],
}


def told(kind: str, payload: bytes):
    """A message; of errors and notices all fields but those that speak of the server's source."""
    if kind in "EN":
        return ("Error" if kind == "E" else "Notice", {field: value for field, value in error_fields(payload).items() if field not in "FLRS"})
    return readable(kind, payload)


def until_ready(client) -> tuple[list, list]:
    """The messages up to ReadyForQuery, without what an error cut short; the notices."""
    seen, notices = [], []
    while not seen or seen[-1][0] != "ReadyForQuery":
        message = told(*client.read_raw())
        if message[0] == "Error":
            while seen and seen[-1][0] in ("RowDescription", "DataRow"):
                seen.pop()
        (notices if message[0] == "Notice" else seen).append(message)
    return seen, notices


@pytest.mark.parametrize("name", SCENARIOS)
def test_transcripts_are_postgresqls(postgres, gnomon, name):
    transcripts = []
    for server in (postgres, gnomon):
        with Client(server.port) as client:
            client.start()
            client.ask(SETUP)
            try:
                transcripts.append([])
                for batch in SCENARIOS[name]:
                    client.send(batch)
                    transcripts[-1].append(until_ready(client))
            finally:
                client.ask("rollback")
                client.ask("drop schema wire_pl cascade")
    reference, tested = transcripts
    assert tested == reference
