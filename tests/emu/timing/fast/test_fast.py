"""The fast executor says what the one that defines says: every end, wait, busy unit and count."""

import pytest
from core_programs import Drawn, Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_nests import Nests
from timed_sets import Sets

from emu.timing.executor.step import step
from emu.timing.fast.fast import fast


def everything(timing):
    """All of a result, as plain values."""
    found = {"cores": timing.cores}
    for name in ("init", "main"):
        part = getattr(timing, name)
        found[name] = {
            "begin": part.begin,
            "ends": part.ends.tolist(),
            "busy": [busy.tolist() for busy in part.busy],
            "blocked": part.blocked.tolist(),
            "waits": dict(part.waits),
            "executions": [executions.tolist() for executions in part.executions],
            "memory": part.memory,
            "links": dict(part.links),
        }
    return found


def check(choose):
    """Both executors on random programs."""
    setup, samples = choose.choice((Nests, Sets))(choose).setup(), choose.choice((1, 1, 2, 4, 9))
    assert everything(fast(setup, samples)) == everything(step(setup, samples))


@given(st.data())
def test_the_same_as_step_by_step(data):
    check(Drawn(data))


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_many_the_same_as_step_by_step(block):
    for seed in range(1000 * block, 1000 * (block + 1)):
        check(Seeded(seed))
