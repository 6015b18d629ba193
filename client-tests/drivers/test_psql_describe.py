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
create table partial (a int, b text, constraint named unique (a), check (b <> ''), check (a > 1) not valid);
"""
# Other tests may have left tables behind: what lists all of a kind is asked for these.
OURS = "(alone|child*|named|pairs*|parent*|partial*|referrer*|seen|starred)"
COMMANDS = (
    *(rf"\{command} {OURS}" for command in ("d", "dt", "di", "dv", "ds", "dti", "dtvs", "dE", "dm", "dP")),
    r"\d parent", r"\d child", r"\d+ child", r"\d+ parent", r"\d referrer", r"\d pairs", r"\d partial", r"\d seen", r"\d starred", r"\d alone",
    r"\d child_id_seq", r"\d child_ab", r"\d parent_pkey", r"\d named", r"\d child_lower_a_idx", r"\d pa*", r"\d nothere", r"\dt pa*", r"\dt nothere",
    r"\d public.parent", r"\d postgres.public.parent", r"\dt public.pa*", r"\dp parent", r"\z child", r"\du", r"\dg", r"\df", r"\dfa", r"\df abs",
    r"\dT", r"\ddp", r"\dD", r"\dPi", r"\dRp", r"\dRs", r"\dX", r"\dy", r"\des", r"\det", r"\dew", r"\deu", r"\drds", r"\dO",
    r"\dconfig max_index_keys",
)
MARK = "=== the next command"


def described(server) -> list[str]:
    lines = [SCHEMA, r"\set QUIET off"]
    for command in COMMANDS:
        lines += [rf"\echo {MARK}", command]
    lines += [r"\set QUIET on", "drop view starred, seen;", "drop table child, parent, referrer, pairs, partial;", "drop sequence alone;"]
    done = server.psql("-q", "-v", "ON_ERROR_STOP=0", "-f", "-", input="\n".join(lines) + "\n")
    assert "ERROR" not in done.stderr, done.stderr
    return done.stdout.split(MARK)


def test_descriptions_are_the_same(postgres, gnomon):
    expected, seen = described(postgres), described(gnomon)
    assert len(expected) == len(seen) == len(COMMANDS) + 1
    for command, of_postgres, of_gnomon in zip(COMMANDS, expected[1:], seen[1:]):
        assert of_gnomon == of_postgres, command


def test_schemas_databases_and_settings(only_gnomon):
    """What there is less of than in PostgreSQL."""
    assert "public" in only_gnomon.psql("-Atc", r"\dn").stdout
    assert only_gnomon.psql("-Atc", r"\l").stdout.startswith("postgres|postgres|UTF8|C|C|")
    assert "max_index_keys|32" in only_gnomon.psql("-Atc", r"\dconfig max_index*").stdout
