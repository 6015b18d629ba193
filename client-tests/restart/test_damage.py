"""`gnomon verify` names every damaged page; a server on a damaged directory fails the statements that touch the damage with
XX001 and nothing else.
"""
import re
import struct
import subprocess

import pytest

PAGE_BYTES = 64 << 10
LEAF, INNER, INDEX_LEAF, INDEX_INNER = 1, 2, 3, 4
SECONDS_MAX = 120


def pages_of(path) -> list[tuple[int, int, int]]:
    """(page number, relation, page type) of every page that was written."""
    found = []
    data = path.read_bytes()
    for start in range(0, len(data) - PAGE_BYTES + 1, PAGE_BYTES):
        page_id, _, relation, kind = struct.unpack_from("<QQIH", data, start + 8)
        if page_id:
            found.append((start // PAGE_BYTES + 1, relation, kind))
    return found


def flip(path, number: int, offset: int):
    with open(path, "r+b") as file:
        file.seek((number - 1) * PAGE_BYTES + offset)
        byte = file.read(1)[0]
        file.seek((number - 1) * PAGE_BYTES + offset)
        file.write(bytes([byte ^ 0x55]))


def verify(server):
    return subprocess.run([str(server.binary), "verify", str(server.data)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)


def note_first_relation(server, connection, table):
    """Relations that are younger than this one, and the table itself, are the test's: a server makes some of its own."""
    server.first_relation = connection.execute(f"select '{table}'::regclass::oid").fetchone()[0]


def fill(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table good (n integer, s text)")
        note_first_relation(server, connection, "good")
        connection.execute("insert into good values (1, 'one'), (2, 'two')")
        connection.execute("create table large (n integer, s text)")
        with connection.cursor().copy("copy large from stdin") as copy:
            for first in range(0, 20_000, 1000):
                copy.write("".join(f"{n}\t{'x' * 300}\n" for n in range(first, first + 1000)))
        connection.execute("create table gone (n integer)")
        connection.execute("drop table gone")
    assert server.stop() == 0, server.log()


def test_a_sound_directory_has_no_problems(server):
    fill(server)
    for _ in range(2):
        checked = verify(server)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert re.fullmatch(r"\d{2,} pages checked, 0 problems", checked.stdout.strip()), checked.stdout
    server.start()
    busy = verify(server)
    assert busy.returncode == 4 and "in use" in busy.stderr, busy.stderr


def test_a_folder_that_is_none_is_left_alone(server, tmp_path):
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path, tmp_path / "missing"):
        checked = subprocess.run([str(server.binary), "verify", str(folder)], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        assert checked.returncode == 3 and "not a data directory" in checked.stderr, checked.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("kind", ["leaf", "inner", "root of a small table"])
def test_damaged_pages_are_named_and_only_their_table_suffers(server, kind):
    fill(server)
    path = server.data / "pages.00"
    pages = pages_of(path)
    relations = [relation for _, relation, page_type in pages if page_type == INNER and relation >= server.first_relation]
    large = relations[0]
    good = min(relation for _, relation, _ in pages if relation >= server.first_relation)
    wanted = {
        "leaf": [number for number, relation, page_type in pages if relation == large and page_type == LEAF][2:4],
        "inner": [number for number, relation, page_type in pages if relation == large and page_type == INNER],
        "root of a small table": [number for number, relation, _ in pages if relation == good],
    }[kind]
    assert wanted
    for number in wanted:
        flip(path, number, 5000)
    checked = verify(server)
    assert checked.returncode == 7, checked.stdout + checked.stderr
    for number in wanted:
        assert re.search(rf"damaged page {number} in file .*pages\.00", checked.stdout), checked.stdout
    server.start()
    damaged, sound = ("good", "large") if kind.startswith("root") else ("large", "good")
    with server.connect() as connection:
        for _ in range(2):
            with pytest.raises(Exception) as raised:
                connection.execute(f"select count(*), sum(length(s)) from {damaged}")
            assert raised.value.sqlstate == "XX001", raised.value
            assert "pages.00" in str(raised.value)
        count = connection.execute(f"select count(*), max(n) from {sound}").fetchone()
        assert count == ((20_000, 19_999) if sound == "large" else (2, 2))
        connection.execute(f"insert into {sound} values (-1, 'more')")
        connection.execute(f"drop table {damaged}")
        assert connection.execute(f"select min(n) from {sound}").fetchone() == (-1,)
    assert server.stop() == 0, server.log()


def fill_with_indexes(server):
    server.start()
    with server.connect() as connection:
        connection.execute("create table keyed (n integer primary key, s text not null)")
        note_first_relation(server, connection, "keyed")
        connection.execute("create index keyed_text on keyed (s)")
        connection.execute("create table beside (n integer primary key)")
        connection.execute("insert into beside values (1), (2), (3)")
        with connection.cursor().copy("copy keyed from stdin") as copy:
            for first in range(0, 30_000, 1000):
                copy.write("".join(f"{n}\t{n * 7919 % 30_000:05}{'x' * 100}\n" for n in range(first, first + 1000)))
        connection.execute("delete from keyed where n % 3 = 0")
    assert server.stop() == 0, server.log()


def indexes_of(server) -> list[int]:
    """The relation ids of primary key, index on the text, and the other table's primary key."""
    return sorted({relation for _, relation, kind in pages_of(server.data / "pages.00") if kind >= INDEX_LEAF and relation >= server.first_relation})


def test_a_sound_directory_with_indexes_has_no_problems(server):
    fill_with_indexes(server)
    checked = verify(server)
    assert checked.returncode == 0 and ", 0 problems" in checked.stdout, checked.stdout + checked.stderr


@pytest.mark.parametrize("kind", ["leaf", "inner"])
def test_damaged_index_pages_are_named_and_only_their_index_suffers(server, kind):
    fill_with_indexes(server)
    path = server.data / "pages.00"
    assert len(indexes_of(server)) == 3
    text_index = indexes_of(server)[1]
    wanted_kind = INDEX_LEAF if kind == "leaf" else INDEX_INNER
    wanted = [number for number, relation, page_type in pages_of(path) if relation == text_index and page_type == wanted_kind]
    assert wanted
    for number in wanted:
        flip(path, number, 40_000)
    checked = verify(server)
    assert checked.returncode == 7, checked.stdout + checked.stderr
    named = [re.match(rf"damaged page (\d+) in file .*pages\.00.* \(relation {text_index}\)", line) for line in checked.stdout.splitlines()[:-1]]
    assert all(named), checked.stdout
    assert sorted(int(match.group(1)) for match in named) == sorted(wanted)
    server.start()
    with server.connect() as connection:
        touching = [
            f"insert into keyed values (100000, '00007{'x' * 100}')",
            "insert into keyed select n + 100000, s from keyed",
        ]
        for statement in touching * 2:
            with pytest.raises(Exception) as raised:
                connection.execute(statement)
            assert raised.value.sqlstate == "XX001", raised.value
            assert "pages.00" in str(raised.value)
        # What does not need the index goes on: by the other index, by a scan, in the other table.
        assert connection.execute("select left(s, 5) from keyed where n = 1").fetchone() == ("07919",)
        assert connection.execute("select count(*), max(n) from keyed").fetchone() == (20_000, 29_999)
        connection.execute("insert into beside values (4)")
        connection.execute("delete from keyed where n = 2")
        connection.execute("drop index keyed_text")
        connection.execute("insert into keyed values (100000, 'after')")
        assert connection.execute("select n, s from keyed where n >= 30000").fetchall() == [(100_000, "after")]
        assert connection.execute("select count(*) from keyed").fetchone() == (20_000,)
    assert server.stop() == 0, server.log()
    checked = verify(server)
    lost = [line for line in checked.stdout.splitlines()[:-1] if not line.endswith("is neither in a tree nor free")]
    assert not lost, checked.stdout


@pytest.mark.parametrize("statement", ["drop table keyed", "truncate keyed"])
def test_a_table_with_damaged_indexes_can_be_emptied_and_dropped(server, statement):
    fill_with_indexes(server)
    path = server.data / "pages.00"
    keyed = indexes_of(server)[:2]
    for number, relation, _ in pages_of(path):
        if relation in keyed:
            flip(path, number, 60_000)
    server.start()
    with server.connect() as connection:
        with pytest.raises(Exception) as raised:
            connection.execute("insert into keyed values (100000, 'x')")
        assert raised.value.sqlstate == "XX001", raised.value
        connection.execute(statement)
        if statement.startswith("truncate"):
            connection.execute("insert into keyed values (1, 'again')")
            assert connection.execute("select * from keyed where s = 'again'").fetchall() == [(1, "again")]
        assert connection.execute("select n from beside where n = 2").fetchone() == (2,)
    assert server.stop() == 0, server.log()


def test_damage_in_the_catalog_stops_the_start_with_a_reason(server):
    fill(server)
    path = server.data / "pages.00"
    for number, relation, _ in pages_of(path):
        if relation == 1:
            flip(path, number, 100)
    checked = verify(server)
    assert checked.returncode == 7 and "the catalog cannot be read" in checked.stdout, checked.stdout
    failed = subprocess.run(server.command(), capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
    assert failed.returncode != 0 and "damaged page" in failed.stdout + failed.stderr
