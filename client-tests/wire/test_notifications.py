"""LISTEN and NOTIFY between sessions: at commit, once, in order, also to sessions that only wait."""
import threading

import pytest


@pytest.fixture
def sessions(gnomon):
    with gnomon.connect() as one, gnomon.connect() as two:
        yield one, two


def taken(connection, count: int, seconds: float = 10) -> list[tuple[str, str, int]]:
    return [(note.channel, note.payload, note.pid) for note in connection.notifies(timeout=seconds, stop_after=count)]


def test_an_idle_session_hears_of_it(sessions):
    one, two = sessions
    one.execute("listen news")
    two.execute("notify news, 'first'")
    two.execute("select pg_notify('news', 'second')")
    two.execute("notify other, 'not heard'")
    two.execute("notify news")
    pid = two.info.backend_pid
    assert taken(one, 3) == [("news", "first", pid), ("news", "second", pid), ("news", "", pid)]


def test_only_what_is_committed_is_heard_and_once(sessions):
    one, two = sessions
    one.execute("listen news")
    two.execute("begin")
    two.execute("notify news, 'rolled back'")
    two.execute("rollback")
    two.execute("begin")
    for payload in ("a", "b", "a", "c", "b"):
        two.execute(f"notify news, '{payload}'")
    two.execute("savepoint s")
    two.execute("notify news, 'undone'")
    two.execute("rollback to s")
    assert taken(one, 1, 0.3) == []
    two.execute("commit")
    assert [note[1] for note in taken(one, 3)] == ["a", "b", "c"]
    assert taken(one, 1, 0.3) == []


def test_the_own_session_hears_and_a_block_waits_for_its_end(sessions):
    one, two = sessions
    one.execute("listen news")
    one.execute("notify news, 'own'")
    assert taken(one, 1) == [("news", "own", one.info.backend_pid)]
    one.execute("begin")
    two.execute("notify news, 'later'")
    one.execute("select 1")
    assert taken(one, 1, 0.3) == []
    one.execute("commit")
    assert [note[1] for note in taken(one, 1)] == ["later"]
    one.execute("unlisten news")
    two.execute("notify news, 'too late'")
    one.execute("select 1")
    assert taken(one, 1, 0.3) == []


def test_orders_are_the_same_for_all_listeners(gnomon):
    senders, each = 4, 25
    with gnomon.connect() as one, gnomon.connect() as two:
        for listener in (one, two):
            listener.execute("listen orders")

        def send(number: int):
            with gnomon.connect() as sender:
                for n in range(each):
                    sender.execute("select pg_notify('orders', %s)", [f"{number} {n}"])

        threads = [threading.Thread(target=send, args=[number]) for number in range(senders)]
        for thread in threads:
            thread.start()
        heard = [[note[1] for note in taken(listener, senders * each)] for listener in (one, two)]
        for thread in threads:
            thread.join()
    assert heard[0] == heard[1]
    for number in range(senders):
        assert [text for text in heard[0] if text.startswith(f"{number} ")] == [f"{number} {n}" for n in range(each)]
