"""psql's commands that describe: the screen is the same as with PostgreSQL."""
SCHEMA = """
create table parent (id int primary key, name varchar(20) not null default 'none', price numeric(10,2) check (price > 0), u text unique, created timestamp default now());
create table child (id serial primary key, pid int references parent(id) on delete cascade, g int generated always as identity, a int default 1+2, b int default -1, arr int[] default '{1,2}', c "char" default 'x', constraint ck check (a > 0 and (b < 5 or a is null)), unique (a, b));
create index on child (lower(c::text), a desc nulls last) where a > 3 and b is not null;
create unique index child_ab on child (b nulls first, a);
create table pairs (x int, y int, z text, primary key (x, y), unique (y, z));
create table referrer (x int, y int, foreign key (x, y) references pairs (x, y) match full on update cascade on delete set null, w text default upper('a' || 'b'), d date default date '2020-01-01' + 1, e double precision default 1.5, f boolean default (not true), n numeric default 1.50, t time default '10:00', check (w is not null or x between 1 and 10), check (lower(w) like 'a%'), check (w in ('a', 'b')));
create sequence alone start 5 increment 2 minvalue 1 maxvalue 100 cycle;
create view seen as select id, name from parent where price > 3;
create view starred as select * from child;
create materialized view kept as select id, name from parent where price > 3;
create unique index kept_id on kept (id);
create view checked as select id, name from parent where id > 3 with local check option;
alter view checked alter column name set default 'of the view';
create unlogged table unlogged (id int references parent deferrable initially deferred, other int references parent deferrable);
create type mood as enum ('sad', 'very happy');
create type place as (name text, mood mood, seen int[]);
create domain small as int default 3 not null;
create function fn_add(a int, b numeric default 1.5, c text = 'x'::text || 'y') returns numeric language sql immutable strict as 'select a + b';
create function fn_rows(n int, out k int, out w text) returns setof record language sql stable rows 20 as $$ select n, 'w' $$;
create function fn_table(variadic v int[]) returns table (x int, y text) language sql parallel safe cost 7 as $$ select 1, 'z$function$' $$;
create function fn_place(p place, inout s small) language sql as $$ select s $$;
comment on function fn_add(int, numeric, text) is 'adds';
create table parted (w int not null, day date default '2020-01-01', u text, p int references parent, primary key (w, day), check (w > 0)) partition by range (day, w);
create table parted_1 partition of parted for values from (minvalue, minvalue) to ('2020-06-01', 5);
create table parted_2 partition of parted (u default 'own', constraint mine check (w < 1000)) for values from ('2020-06-01', 5) to ('2021-06-01', maxvalue) partition by hash (w);
create table parted_2a partition of parted_2 for values with (modulus 2, remainder 0);
create table parted_3 partition of parted default;
create index on parted (u);
create table listed (k text, n bigint) partition by list (lower(k));
create table listed_1 partition of listed for values in ('a', null, 'it''s');
grant select, update on parent to pg_monitor;
grant insert (name, price), select (id) on parent to public;
grant select on seen to pg_monitor with grant option;
grant usage on sequence alone to public;
grant usage on type mood to pg_monitor;
create table fired (id int primary key, v int, note text);
create function fn_fires() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger b_fires before insert or update of v, note on fired for each row when (new.v > 0 and new.note is not null) execute function fn_fires('one', 'it''s');
create trigger a_fires after delete on fired referencing old table as gone execute function fn_fires();
create constraint trigger c_fires after insert on fired deferrable initially deferred for each row when (new.v <> 3) execute function fn_fires();
create trigger d_off before truncate on fired execute function fn_fires();
create trigger e_always before delete on fired for each row when (old is not null) execute function fn_fires();
alter table fired disable trigger d_off;
alter table fired enable always trigger e_always;
create trigger f_fires before insert on parted for each row execute function fn_fires();
create view fired_view as select id, v from fired;
create trigger instead instead of update or delete on fired_view for each row execute function fn_fires();
create table partial (a int, b text, constraint named unique (a), check (b <> ''), check (a > 1) not valid);
"""
# Other tests may have left tables behind: what lists all of a kind is asked for these.
OURS = "(alone|checked|child*|kept*|listed*|named|unlogged|pairs*|parent*|parted*|partial*|referrer*|seen|starred)"
COMMANDS = (
    *(rf"\{command} {OURS}" for command in ("d", "dt", "di", "dv", "ds", "dti", "dtvs", "dE", "dm", "dP")),
    r"\d parent", r"\d child", r"\d+ child", r"\d+ parent", r"\d referrer", r"\d pairs", r"\d partial", r"\d seen", r"\d starred", r"\d alone",
    r"\d kept", r"\d checked", r"\d unlogged", r"\d kept_id", r"\dm kept", r"\dv checked",
    r"\d child_id_seq", r"\d child_ab", r"\d parent_pkey", r"\d named", r"\d child_lower_a_idx", r"\d pa*", r"\d nothere", r"\dt pa*", r"\dt nothere",
    r"\d public.parent", r"\d postgres.public.parent", r"\dt public.pa*", r"\dp parent", r"\z child", r"\dp seen", r"\dp alone", r"\dn+ public", r"\dp partial", r"\du", r"\dg", r"\df", r"\dfa", r"\df abs",
    r"\dT", r"\ddp", r"\dD", r"\dPi", r"\dRp", r"\dRs", r"\dX", r"\dy", r"\des", r"\det", r"\dew", r"\deu", r"\drds", r"\dO",
    r"\dconfig max_index_keys", r"\dT mood", r"\dT+ mood", r"\dT place", r"\dD small", r"\dn public", r"\l postgres", r"\d place", r"\df ascii", r"\du postgres",
    r"\df fn_*", r"\df+ fn_*", r"\sf fn_add", r"\sf fn_rows", r"\sf fn_table", r"\sf+ fn_place", r"\df fn_add int", r"\dd fn_add",
    r"\d fired", r"\d fired_view", r"\d parted", r"\d+ parted", r"\d parted_1", r"\d parted_2", r"\d parted_2a", r"\d parted_3", r"\d parted_pkey",
    r"\dC money", r"\dC jsonb", r"\dC regoper", r"\dc utf8_to_iso_8859_1",
    r"\dAc btree money", r"\dAf btree money", r"\dAo btree money_ops", r"\dAp btree money_ops", r"\dAc hash tid",
    r"\d parted_1_pkey", r"\d parted_u_idx", r"\d listed", r"\d listed_1", rf"\dPt {OURS}", rf"\dPi {OURS}", rf"\dPtn {OURS}",
)
MARK = "=== the next command"


def described(server) -> list[str]:
    lines = [SCHEMA, r"\set QUIET off"]
    for command in COMMANDS:
        lines += [rf"\echo {MARK}", command]
    lines += [r"\set QUIET on", "drop function fn_add, fn_rows, fn_table, fn_place;", "drop view starred, seen, checked;", "drop table parted, listed;", "drop materialized view kept;", "drop table child, unlogged, parent, referrer, pairs, partial;", "drop sequence alone; drop type place, mood; drop domain small;"]
    done = server.psql("-q", "-v", "ON_ERROR_STOP=0", "-f", "-", input="\n".join(lines) + "\n")
    assert "ERROR" not in done.stderr, done.stderr
    return done.stdout.split(MARK)


def test_descriptions_are_the_same(postgres, gnomon):
    expected, seen = described(postgres), described(gnomon)
    assert len(expected) == len(seen) == len(COMMANDS) + 1
    for command, of_postgres, of_gnomon in zip(COMMANDS, expected[1:], seen[1:]):
        assert of_gnomon == of_postgres, command


def test_fetch_count_reads_through_a_cursor(postgres, gnomon):
    script = r"""
    \set FETCH_COUNT 3
    select g, 'row ' || g as name from generate_series(1, 8) g order by g;
    select 1 where false;
    \x on
    select g from generate_series(1, 4) g order by g;
    \x off
    select 10 / (g - 1) as n from generate_series(1, 6) g;
    begin;
    select count(*) from generate_series(1, 8);
    commit;
    with r (x) as (values (1), (2), (3), (4)) select x from r order by x desc;
    \unset FETCH_COUNT
    select 'end';
    """
    seen = [server.psql("-v", "ON_ERROR_STOP=0", "-f", "-", input=script) for server in (postgres, gnomon)]
    assert "row 8" in seen[0].stdout and "division by zero" in seen[0].stderr
    assert (seen[1].stdout, seen[1].stderr) == (seen[0].stdout, seen[0].stderr)


def test_schemas_databases_and_settings(only_gnomon):
    """What there is less of than in PostgreSQL."""
    assert "public" in only_gnomon.psql("-Atc", r"\dn").stdout
    assert only_gnomon.psql("-Atc", r"\l").stdout.startswith("postgres|postgres|UTF8|C|C|")
    assert "max_index_keys|32" in only_gnomon.psql("-Atc", r"\dconfig max_index*").stdout
