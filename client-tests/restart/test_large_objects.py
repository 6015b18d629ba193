"""Large objects, their rights and comments, and extensions after restarts, clean and not."""
import hashlib

import psycopg
import pytest

from restart.comparing import require_same_after_restart

SETUP = """
create role painter;
select lo_from_bytea(940001, 'small');
select lo_from_bytea(940002, decode(repeat('0123456789abcdef', 20000), 'hex'));
select lo_put(940001, 10000, 'far');
select lo_create(940003), lo_create(940004);
begin; select lo_put(940003, 0, 'undone'); rollback;
select lo_unlink(940004);
grant select on large object 940001 to painter with grant option;
alter large object 940003 owner to painter;
comment on large object 940002 is 'a picture';
create extension "uuid-ossp";
create extension pgcrypto;
drop extension pgcrypto;
comment on extension "uuid-ossp" is 'said';
create table keyed (id uuid default uuid_generate_v4() primary key, n integer);
"""
QUERIES = [
    "select oid, lomowner, lomacl from pg_largeobject_metadata order by oid",
    "select loid, pageno, data from pg_largeobject order by loid, pageno",
    "select lo_get(940001), lo_get(940002), lo_get(940003)",
    "select obj_description(940002, 'pg_largeobject')",
    "select extname, extversion, extnamespace from pg_extension order by extname",
    "select uuid_generate_v5(uuid_ns_dns(), 'www.example.com')",
]


@pytest.mark.parametrize("is_clean", [True, False])
def test_large_objects_are_there_after_a_restart(server, is_clean):
    unfinished = "select lo_from_bytea(940005, 'unfinished'), lo_put(940001, 0, 'SMALL'), lo_unlink(940002)"
    require_same_after_restart(server, SETUP.split(";\n"), unfinished, QUERIES, is_clean)
    with server.connect() as connection:
        content = connection.execute("select lo_get(940002)").fetchone()[0]
        assert hashlib.md5(content).hexdigest() == hashlib.md5(bytes.fromhex("0123456789abcdef") * 20000).hexdigest()
        created = {connection.execute("select lo_creat(-1)").fetchone()[0] for _ in range(20)}
        assert len(created) == 20 and not created & {940001, 940002, 940003}
        connection.execute("insert into keyed (n) values (1)")
        assert connection.execute("select lo_put(940003, 0, 'now'), lo_get(940003)").fetchone() == ("", b"")
        with pytest.raises(psycopg.errors.UndefinedFunction):
            connection.execute("select digest('x', 'md5')")
    server.kill()
    server.start()
    with server.connect() as connection:
        assert connection.execute("select lo_get(940003)").fetchone() == (b"now",)
        assert connection.execute("select lo_create(940005)").fetchone() == (940005,)
