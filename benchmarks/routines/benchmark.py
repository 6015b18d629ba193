"""Calls of functions in LANGUAGE sql and PL/pgSQL, on Gnomon and PostgreSQL 15 in turns: medians of times and their ratios; the answers must be the same.

    benchmarks/routines/run                  200,000 rows that call, five rounds
    benchmarks/routines/run --rows 1000000
    benchmarks/routines/run --compiled 400   beside 400 prepared statements, which Gnomon has as machine code

Both servers hold the same data and run all the time; while one is measured the other is idle. PostgreSQL has its settings as it comes,
after VACUUM ANALYZE.
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "client-tests"))

import servers  # noqa: E402

GROUPS = 1000


def schema(rows: int) -> list[str]:
    return [
        "create table calls (id integer primary key, part integer not null, price numeric(10,2) not null)",
        f"insert into calls select i, i % {GROUPS}, (i * 37 % 10007) / 100.0 from generate_series(1, {rows}) i",
        "create table parts (part integer primary key, name text not null, tax numeric(4,2) not null)",
        f"insert into parts select i, 'part ' || i, (i % 7) / 100.0 from generate_series(0, {GROUPS - 1}) i",
        "create table noted (id integer, at integer)",
        "create function gross(price numeric, tax numeric) returns numeric language sql immutable as 'select price * (1 + tax)'",
        "create function tax_of(p integer) returns numeric language sql stable as 'select tax from parts where part = p'",
        "create function most(p integer) returns numeric language sql stable as 'select max(price) from calls where part = p'",
        "create function of_part(p integer) returns setof calls language sql stable as 'select * from calls where part = p'",
        "create function note(i integer) returns integer language sql as 'insert into noted values (i, 1) returning at'",
        """create function added_up(n integer) returns bigint language plpgsql as $$
declare s bigint := 0;
begin
  for i in 1 .. n loop
    if i % 3 = 0 then s := s + i; else s := s - 1; end if;
  end loop;
  return s;
end $$""",
        """create function fibonacci(n integer) returns integer language plpgsql as $$
begin
  if n < 2 then return n; end if;
  return fibonacci(n - 1) + fibonacci(n - 2);
end $$""",
        """create function spelled(n integer) returns text language plpgsql as $$
declare s text := '';
begin
  for i in 1 .. n loop s := s || chr(97 + i % 26); end loop;
  return md5(s);
end $$""",
        """create function sieve(n integer) returns integer language plpgsql as $$
declare
  is_prime boolean[] := array_fill(true, array[n]);
  found_ integer := 0;
begin
  for i in 2 .. n loop
    continue when not is_prime[i];
    found_ := found_ + 1;
    for j in 2 .. n / i loop is_prime[i * j] := false; end loop;
  end loop;
  return found_;
end $$""",
        """create function looked_up(n integer) returns numeric language plpgsql as $$
declare s numeric := 0; p numeric;
begin
  for i in 1 .. n loop
    select price into p from calls where id = i;
    s := s + p;
  end loop;
  return s;
end $$""",
        """create function gone_over(n integer) returns numeric language plpgsql as $$
declare s numeric := 0; r record;
begin
  for r in select part, price from calls where id <= n loop s := s + r.price; end loop;
  return s;
end $$""",
        """create function noted_down(n integer) returns integer language plpgsql as $$
begin
  for i in 1 .. n loop insert into noted values (i, 2); end loop;
  return n;
end $$""",
        """create function raised(n integer) returns integer language plpgsql as $$
declare c integer := 0;
begin
  for i in 1 .. n loop
    begin
      c := c + 1 / (i % 2);
    exception when division_by_zero then c := c + 1;
    end;
  end loop;
  return c;
end $$""",
    ]


QUERIES = {
    "an expression, for each row": "select sum(gross(price, 0.19)) from calls",
    "a lookup by key, for each row": "select sum(gross(price, tax_of(part))) from calls",
    "an aggregate over its rows, for 1,000 rows": "select sum(most(part)) from parts",
    "its rows, for 1,000 rows": "select count(*), sum(c.price) from parts p, of_part(p.part) c",
    "an INSERT, for 5,000 rows": "select sum(note(id)) from calls where id <= 5000",
    "PL/pgSQL: sums, 1,000,000 rounds": "select added_up(1000000)",
    "PL/pgSQL: recursion, 22,000 calls": "select fibonacci(21)",
    "PL/pgSQL: a growing string, 20,000 rounds": "select spelled(20000)",
    "PL/pgSQL: elements of an array, 5,000": "select sieve(5000)",
    "PL/pgSQL: 20,000 lookups by key": "select looked_up(20000)",
    "PL/pgSQL: FOR over 100,000 rows": "select gone_over(100000)",
    "PL/pgSQL: 5,000 INSERTs": "select noted_down(5000)",
    "PL/pgSQL: 5,000 blocks with handlers": "select raised(5000)",
}


def prepared(server, count: int):
    """A session with as many statements that have been executed; what is compiled stays while it lives."""
    connection = server.connect()
    if isinstance(server, servers.GnomonServer) and count > 0:
        connection.execute("set execution_mode = llvm")
    for number in range(count):
        connection.execute(f"prepare kept_{number} as select part + {number}, count(*) from parts where part % {number + 2} = $1 group by 1")
        connection.execute(f"execute kept_{number}(1)")
    return connection


def measure(server, query: str) -> tuple[float, list]:
    with server.connect() as connection:
        begun = time.perf_counter()
        rows = connection.execute(query).fetchall()
        return time.perf_counter() - begun, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compiled", type=int, default=0, help="prepared statements of another session (0)")
    options = parser.parse_args()
    binary = pathlib.Path(os.environ.get("GNOMON_BINARY", PROJECT / "build/release/gnomon"))
    both = (servers.GnomonServer(binary), servers.PostgresServer())
    try:
        for server in both:
            server.start()
            with server.connect() as connection:
                for statement in schema(options.rows):
                    connection.execute(statement)
                connection.execute("create index on calls (part)")
            server.psql("-c", "vacuum analyze")
        kept = [prepared(server, options.compiled) for server in both]
        print(f"{'a function that is':<46}{'Gnomon':>10}{'PostgreSQL':>12}{'ratio':>8}")
        for name, query in QUERIES.items():
            times = ([], [])
            for _ in range(options.rounds):
                answers = []
                for server, taken in zip(both, times):
                    seconds, rows = measure(server, query)
                    taken.append(seconds)
                    answers.append(rows)
                assert answers[0] == answers[1], (name, answers)
            gnomon, postgres = (statistics.median(taken) for taken in times)
            print(f"{name:<46}{gnomon * 1000:>7.1f} ms{postgres * 1000:>9.1f} ms{postgres / gnomon:>8.1f}")
        for connection in kept:
            connection.close()
    finally:
        for server in both:
            server.stop()


if __name__ == "__main__":
    main()
