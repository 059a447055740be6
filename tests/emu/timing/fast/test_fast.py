"""The fast executor says what the one that defines says: every end, wait, busy unit and count."""

import pytest
from core_programs import Drawn, Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_nests import Nests
from timed_results import everything
from timed_sets import Sets

from emu.timing.executor.step import step
from emu.timing.fast.fast import Fast, fast


def check(choose):
    """Both executors on random programs."""
    setup, samples = choose.choice((Nests, Sets))(choose).setup(), choose.choice((1, 1, 2, 4, 9))
    assert everything(fast(setup, samples)) == everything(step(setup, samples))


@given(st.data())
def test_the_same_as_step_by_step(data):
    check(Drawn(data))


@pytest.mark.parametrize("seed", range(40))
def test_the_same_as_step_by_step_of_seeds(seed):
    check(Seeded(seed))


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_many_the_same_as_step_by_step(block):
    for seed in range(1000 * (block + 1), 1000 * (block + 2)):
        check(Seeded(seed))


def test_what_is_kept_for_the_next_run_changes_nothing():
    setup = Nests(Seeded(4), cores=3).setup()
    executor = Fast(setup)
    first = everything(executor.run(3))
    assert everything(executor.run(1)) == everything(step(setup, 1))
    assert everything(executor.run(3)) == first
