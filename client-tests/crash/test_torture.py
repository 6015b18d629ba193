"""A few kills of the torture program, which does any number of them by hand."""
import random

import pytest

import servers
from crash import torture


def test_ten_kills_lose_nothing_and_leave_nothing_by_half():
    if servers.binary_under_test() == "postgresql":
        pytest.skip("PostgreSQL plays Gnomon's part")
    lines = []
    try:
        torture.Torture(seed=random.SystemRandom().randrange(10**6), kills=10, say=lines.append).run()
    except torture.Failure as failure:
        pytest.fail("\n".join([*lines, str(failure)]))
