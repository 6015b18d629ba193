"""psql as users run it: the screen shows what it shows with PostgreSQL, errors with their line and caret among it."""
import re

import pytest

SCRIPT = r"""
create table people (id integer not null, name varchar(20), born date, height numeric(4,2), note text default 'none');
insert into people values (1, 'Ada', '1815-12-10', 1.65), (2, 'Grace', '1906-12-09', 1.70), (3, 'Käthe', null, null);
select * from people order by id;
\x on
select * from people order by id;
\x off
\a
select id, name from people order by id;
\a
\pset null '(null)'
select name, born, height from people order by name desc;
select count(*), avg(height), min(born), max(name) from people;
select id,
       nosuch
  from people;
select * form people;
select 'ä€😀', 1 / (id - 2) from people;
select 'ä€😀' as "ä", nosuch;
insert into people values (null, 'nobody');
insert into people values (4, 'a name that is much longer than twenty characters');
insert into people values (4, 'x', '2020-02-30');
select 'x'::integer;
select id + name from people;
drop table nosuch;
\copy people (id, name) from pstdin with (delimiter '|')
10|Edsger
11|Barbara
\.
\copy people (id, name) from pstdin with (delimiter '|')
12|Donald
x|Nobody
\.
\copy people (id, name) to stdout csv header
\copy (select id from people order by id) to stdout
copy people (name) to stdout;
select 1 as a; select 2 as b;
select 1 as one \gset
\echo :one
select :one + 1 as two;
select 1 where false;
\set ON_ERROR_STOP 0
select 1/0;
\echo :ERROR :SQLSTATE
select 1 \; select 2;
;
drop table people;
"""


def screen(server) -> tuple[str, str]:
    done = server.psql("-v", "ON_ERROR_STOP=0", input=SCRIPT)
    errors = [line for line in done.stderr.splitlines() if not line.startswith(("HINT:", "CONTEXT:"))]
    return done.stdout, "\n".join(re.sub(r"^psql:<stdin>:", "line ", line) for line in errors)


def test_the_screen_is_the_same(postgres, gnomon):
    assert screen(gnomon) == screen(postgres)


@pytest.mark.parametrize("command", ["select 1", "select nosuch", "selec", "select 1; select 2", ""])
def test_one_command_and_its_exit_code(postgres, gnomon, command):
    seen = []
    for server in (postgres, gnomon):
        done = server.psql("-c", command)
        seen.append((done.returncode, done.stdout, [line for line in done.stderr.splitlines() if not line.startswith("HINT:")]))
    assert seen[0] == seen[1]


def test_copy_of_a_file_there_and_back(gnomon, tmp_path):
    source, target = tmp_path / "source.csv", tmp_path / "target.csv"
    source.write_text("".join(f'{n},"line {n}, with ""quotes"""\n' for n in range(5000)))
    loaded = gnomon.psql("-c", "create table filed (n integer, s text)", "-c", f"\\copy filed from '{source}' csv", "-c", f"\\copy filed to '{target}' csv")
    assert loaded.returncode == 0, loaded.stderr
    assert "COPY 5000" in loaded.stdout
    assert sorted(target.read_text().splitlines()) == sorted(source.read_text().splitlines())
    gnomon.psql("-c", "drop table filed")


def test_connection_string_with_encryption_preferred(gnomon):
    """libpq asks for TLS and GSS first and goes on without them."""
    for mode in ("prefer", "disable", "allow"):
        done = gnomon.psql("-d", gnomon.dsn() + f" sslmode={mode} gssencmode=prefer", "-Atc", "select 'in'")
        assert done.stdout == "in\n", done.stderr


def test_encryption_required_is_refused(gnomon):
    done = gnomon.psql("-d", gnomon.dsn() + " sslmode=require", "-Atc", "select 'in'")
    assert done.returncode == 2 and "SSL" in done.stderr


def test_nobody_comes_in_who_is_no_role(only_gnomon):
    done = only_gnomon.psql("-U", "somebody", "-Atc", "select 1")
    assert done.returncode == 2 and 'role "somebody" does not exist' in done.stderr


def test_explain_shows_plan_pipelines_and_ir(only_gnomon):
    only_gnomon.psql("-c", "create table explained (a integer, b text)")
    plain = only_gnomon.psql("-Atc", "explain select b, count(*) from explained where a > 1 group by b")
    assert plain.returncode == 0 and "explained" in plain.stdout, plain.stderr
    for option in ("pipelines", "ir"):
        shown = only_gnomon.psql("-Atc", f"explain ({option}) select b, count(*) from explained where a > 1 group by b")
        assert shown.returncode == 0 and len(shown.stdout.splitlines()) > 1, shown.stderr
    only_gnomon.psql("-c", "drop table explained")


@pytest.mark.parametrize("mode", ["vm", "llvm", "auto"])
def test_execution_mode_is_set_and_shown(only_gnomon, mode):
    done = only_gnomon.psql("-Atc", f"set execution_mode = {mode}", "-c", "show execution_mode", "-c", "select 1 + 1")
    assert done.stdout.splitlines()[-2:] == [mode, "2"], done.stderr


def test_unknown_execution_mode_is_22023(only_gnomon):
    done = only_gnomon.psql("-v", "VERBOSITY=verbose", "-Atc", "set execution_mode = fast")
    assert "22023" in done.stderr
