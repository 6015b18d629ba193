"""`gnomon inspect` prints what the files say, also where they are damaged."""
import re
import subprocess

from . import test_damage

SECONDS_MAX = 120


def inspect(server, *options: str):
    command = [str(server.binary), "inspect", str(server.data), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def relation_of(overview: str, name: str) -> tuple[str, str]:
    """The id and the root page of a table or index."""
    return re.search(rf'^relation (\d+) {name}: root (0:\d+)', overview, re.MULTILINE).groups()


def test_overview_trees_and_pages_agree(server):
    test_damage.fill_with_indexes(server)
    shown = inspect(server)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert re.match(r"format version \d+, shut down cleanly, next relation \d+\n", shown.stdout)
    assert re.search(r'^relation \d+ table "beside": root 0:\d+, 3 tuples, 0 of them deleted, 1 leaves, next tuple 3$', shown.stdout, re.MULTILINE)
    table, root = relation_of(shown.stdout, 'table "beside"')
    tree = inspect(server, "--relation", table)
    assert tree.returncode == 0 and len(tree.stdout.splitlines()) == 1
    assert tree.stdout.startswith(f"page {root}: relation leaf of relation {table}, first tuple 0, 3 tuples of ")
    index, root = relation_of(shown.stdout, 'index "beside_pkey"')
    page = inspect(server, "--page", root)
    assert page.returncode == 0, page.stdout
    lines = page.stdout.splitlines()
    assert lines[0].startswith(f"page {root}: index leaf of relation {index}, level 0, 3 entries, ")
    # The mark of a number of one byte, the number, the tuple id.
    assert lines[1:] == [f"  [810{n}{n - 1:016x}]: tuple {n - 1}" for n in (1, 2, 3)]
    with_bytes = inspect(server, "--page", root, "--bytes").stdout.splitlines()
    assert len(with_bytes) == 4 + test_damage.PAGE_BYTES // 32 and with_bytes[4].startswith("00000000  ")


def test_a_large_index_is_shown_page_by_page_in_key_order(server):
    test_damage.fill_with_indexes(server)
    index, root = relation_of(inspect(server).stdout, 'index "keyed_text"')
    tree = inspect(server, "--relation", index)
    assert tree.returncode == 0, tree.stdout
    lines = tree.stdout.splitlines()
    assert lines[0].startswith(f"page {root}: index inner page of relation {index}, level 1, {len(lines) - 1} entries, ")
    shown = {re.match(r"page 0:(\d+): index leaf", line).group(1) for line in lines[1:]}
    written = {str(number) for number, relation, kind in test_damage.pages_of(server.data / "pages.00") if relation == int(index) and kind == test_damage.INDEX_LEAF}
    assert shown <= written and len(shown) == len(lines) - 1
    fences = [re.search(r"keys from \[(.*?)\] to \[(.*?)\]", line).groups() for line in lines[1:]]
    assert fences[0][0] == "" and fences[-1][1] == ""
    assert [end for _, end in fences[:-1]] == [begin for begin, _ in fences[1:]]


def test_damage_is_said_and_what_is_not_damaged_is_shown(server):
    test_damage.fill_with_indexes(server)
    index, root = relation_of(inspect(server).stdout, 'index "beside_pkey"')
    test_damage.flip(server.data / "pages.00", int(root.split(":")[1]), 44)
    for options in (("--page", root), ("--relation", index)):
        shown = inspect(server, *options)
        assert shown.returncode == 7
        assert shown.stdout.splitlines()[0].startswith(f"page {root}: index leaf of relation {index}, level 0, 86 entries")
        assert shown.stdout.splitlines()[1:] == ["  problem: has a wrong checksum", "  problem: has damaged entries"]
    assert inspect(server).returncode == 0


def test_what_is_not_there_and_a_directory_in_use_are_refused(server, tmp_path):
    test_damage.fill_with_indexes(server)
    assert inspect(server, "--page", "0:1000000").returncode == 7
    for wrong in (("--page", "17"), ("--page", "99:1"), ("--page", "0:0"), ("--relation", "15000"), ("--bytes",)):
        assert inspect(server, *wrong).returncode == 2, wrong
    missing = subprocess.run([str(server.binary), "inspect", str(tmp_path)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert missing.returncode == 3 and not list(tmp_path.iterdir())
    server.start()
    assert inspect(server).returncode == 4


def test_catalog_names_columns_and_indexes_with_their_relations(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table shown (n integer primary key, \"Some text\" varchar(7) default 'a' || 'b', v numeric(10,2) not null constraint high check (shown.v > n), check (n > 0), unique (v, n))")
        connection.execute("create index shown_order on shown (v desc nulls last, n)")
        connection.execute("alter table shown add constraint later check (v < 5) not valid")
        connection.execute("create table another (d date)")
    assert server.stop() == 0, server.log()
    overview = inspect(server).stdout
    shown = inspect(server, "--catalog")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    ids = {name: relation_of(overview, name)[0] for name in ('table "another"', 'table "shown"', 'index "shown_pkey"', 'index "shown_v_n_key"', 'index "shown_order"')}
    assert shown.stdout.splitlines() == [
        'database "postgres"',
        'table "another", relation ' + ids['table "another"'],
        '  column "d" date',
        'table "shown", relation ' + ids['table "shown"'],
        '  column "n" integer not null',
        "  column \"Some text\" character varying(7) default 'a' || 'b'",
        '  column "v" numeric(10,2) not null',
        '  index "shown_pkey", relation ' + ids['index "shown_pkey"'] + ', primary key ("n")',
        '  index "shown_v_n_key", relation ' + ids['index "shown_v_n_key"'] + ', unique constraint ("v", "n")',
        '  index "shown_order", relation ' + ids['index "shown_order"'] + ' ("v" desc nulls last, "n")',
        '  check "high" (v > n)',
        '  check "later" (v < 5) not valid',
        '  check "shown_n_check" (n > 0)',
    ]


def test_pages_are_shown_when_the_registry_is_damaged(server):
    test_damage.fill_with_indexes(server)
    index, root = relation_of(inspect(server).stdout, 'index "beside_pkey"')
    before = inspect(server, "--page", root).stdout
    path = server.data / "gnomon.relations"
    sound = path.read_bytes()
    path.write_bytes(sound[:100] + bytes([sound[100] ^ 1]) + sound[101:])
    assert inspect(server).returncode == 7
    assert inspect(server, "--relation", index).returncode == 7
    shown = inspect(server, "--page", root)
    assert shown.returncode == 0 and shown.stdout == before
    path.write_bytes(sound)
    assert inspect(server, "--relation", index).returncode == 0
