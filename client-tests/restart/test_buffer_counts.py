"""What gnomon_buffer says of reading and evicting."""

MIB = 1 << 20
ROWS = 40_000
TOTALS = "select sum(reads), sum(read_bytes), sum(evictions), sum(writes), sum(written_bytes), sum(frames * page_bytes) from gnomon_buffer"


def fill(connection):
    values = ", ".join(f"({n})" for n in range(200))
    connection.execute("create table filled (n integer, s text)")
    for part in range(ROWS // 5000):
        connection.execute(f"insert into filled select a.n * 25 + b.n, repeat('y', 1000) from (values {values}) as a (n), (values {values}) as b (n) where b.n < 25 and {part} >= 0")


def totals(connection):
    return connection.execute(TOTALS).fetchone()


def test_a_cold_scan_reads_each_page_once_and_a_warm_one_none(server):
    server.start()
    with server.connect() as connection:
        fill(connection)
    assert server.stop() == 0, server.log()
    server.start()
    with server.connect() as connection:
        reads, read_bytes, *_ = totals(connection)
        assert connection.execute("select count(*), sum(length(s)) from filled").fetchone() == (ROWS, ROWS * 1000)
        cold, cold_bytes, evictions, writes, _, resident = totals(connection)
        assert cold_bytes - read_bytes >= ROWS * 1000
        assert cold > reads and evictions == 0 and writes == 0
        assert resident >= ROWS * 1000
        hits = connection.execute("select sum(hits) from gnomon_buffer").fetchone()[0]
        connection.execute("select sum(length(s)) from filled")
        assert totals(connection)[0] == cold
        assert connection.execute("select sum(hits) from gnomon_buffer").fetchone()[0] >= hits + cold - reads - 10


def test_a_tiny_pool_evicts_and_is_never_overfull(server):
    server.buffer_pool = "16MB"
    server.start()
    with server.connect() as connection:
        fill(connection)
        for _ in range(3):
            assert connection.execute("select count(*) from filled").fetchone() == (ROWS,)
            _, read_bytes, evictions, writes, written_bytes, resident = totals(connection)
            assert resident <= 16 * MIB
        assert evictions > 1000 and read_bytes > 3 * 20 * MIB
        assert writes > 300 and written_bytes >= 20 * MIB, "what was filled had to go to disk"
        rows = connection.execute("select size_class, cooling, frames, dirty, evictions, read_bytes, reads, page_bytes from gnomon_buffer").fetchall()
        assert [row[0] for row in rows] == list(range(9)), "a pool of 16 MB has room for pages of 64 KiB to 16 MiB"
        assert all(row[1] <= row[2] and row[3] <= row[2] and row[5] == row[6] * row[7] for row in rows)
        assert rows[0][4] > 1000
