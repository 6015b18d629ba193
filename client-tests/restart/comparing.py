"""A server that says the same before and after a restart, clean or not."""


def answers(server, queries):
    with server.connect() as connection:
        return [connection.execute(query).fetchall() for query in queries]


def require_same_after_restart(server, setup, unfinished, queries, is_clean):
    """Makes what the texts of `setup` say, each a message, and leaves a transaction open that has done `unfinished`, which nobody is to see again."""
    server.start()
    with server.connect() as connection:
        for text in setup:
            connection.execute(text)
    open_transaction = server.connect()
    open_transaction.execute("begin; " + unfinished)
    before = answers(server, queries)
    if is_clean:
        open_transaction.close()
        assert server.stop() == 0
    else:
        server.kill()
    server.start()
    assert answers(server, queries) == before
