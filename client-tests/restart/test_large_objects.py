"""Large objects after restarts, clean and not."""
import hashlib

import pytest

SETUP = """
select lo_from_bytea(940001, 'small');
select lo_from_bytea(940002, decode(repeat('0123456789abcdef', 20000), 'hex'));
select lo_put(940001, 10000, 'far');
select lo_create(940003), lo_create(940004);
begin; select lo_put(940003, 0, 'undone'); rollback;
select lo_unlink(940004);
"""
QUERIES = [
    "select oid, lomowner, lomacl from pg_largeobject_metadata order by oid",
    "select loid, pageno, data from pg_largeobject order by loid, pageno",
    "select lo_get(940001), lo_get(940002), lo_get(940003)",
]


def answers(server):
    with server.connect() as connection:
        return [connection.execute(query).fetchall() for query in QUERIES]


@pytest.mark.parametrize("is_clean", [True, False])
def test_large_objects_are_there_after_a_restart(server, is_clean):
    server.start()
    with server.connect() as connection:
        for statement in SETUP.split(";\n"):
            connection.execute(statement)
    open_transaction = server.connect()
    open_transaction.execute("begin; select lo_from_bytea(940005, 'unfinished'), lo_put(940001, 0, 'SMALL'), lo_unlink(940002)")
    before = answers(server)
    if is_clean:
        open_transaction.close()
        assert server.stop() == 0
    else:
        server.kill()
    server.start()
    assert answers(server) == before
    with server.connect() as connection:
        content = connection.execute("select lo_get(940002)").fetchone()[0]
        assert hashlib.md5(content).hexdigest() == hashlib.md5(bytes.fromhex("0123456789abcdef") * 20000).hexdigest()
        created = {connection.execute("select lo_creat(-1)").fetchone()[0] for _ in range(20)}
        assert len(created) == 20 and not created & {940001, 940002, 940003}
        assert connection.execute("select lo_put(940003, 0, 'now'), lo_get(940003)").fetchone() == ("", b"")
    server.kill()
    server.start()
    with server.connect() as connection:
        assert connection.execute("select lo_get(940003)").fetchone() == (b"now",)
        assert connection.execute("select lo_create(940005)").fetchone() == (940005,)
