"""The fast executor says what the one that defines says: every end, wait, busy unit and count."""

from dataclasses import replace

import numpy as np
import pytest
from core_programs import Drawn, Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_nests import Nests, Ties
from timed_results import everything
from timed_sets import Sets
from timed_writes import Writings

from emu.timing.executor.step import step
from emu.timing.fast.fast import Fast, fast
from emu.timing.fast.observer import CoreObserver
from emu.timing.model.costs import WHOLE


def check(choose):
    """Both executors on random programs."""
    setup, samples = choose.choice((Nests, Sets, Ties, Writings))(choose).setup(), choose.choice((1, 1, 2, 4, 9))
    assert everything(fast(setup, samples)) == everything(step(setup, samples))


@given(st.data())
def test_the_same_as_step_by_step(data):
    check(Drawn(data))


@pytest.mark.few(20)
@pytest.mark.parametrize("seed", range(40))
def test_the_same_as_step_by_step_of_seeds(seed):
    check(Seeded(seed))


@pytest.mark.full
@pytest.mark.parametrize("block", range(20))
def test_many_the_same_as_step_by_step(block):
    for seed in range(1000 * (block + 1), 1000 * (block + 2)):
        check(Seeded(seed))


@pytest.mark.parametrize("seed", range(8))
def test_the_same_programs_on_other_chips(seed):
    first = Nests(Seeded(seed), cores=2).setup()
    for changes in ({"window": 5}, {"local_ports": 3 - first.local_ports}, {"credits": 4}, {"cores": cheaper(first)}):
        other = replace(first, **changes)
        assert everything(fast(other, 2)) == everything(step(other, 2))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", [Nests, Sets])
def test_looking_on_changes_nothing(kind, seed):
    setup = kind(Seeded(seed)).setup()
    assert everything(Fast(setup).run(3, lambda *_: CoreObserver())) == everything(step(setup, 3))


def free(costs):
    """Operations compute in no time."""
    return replace(costs, compute=np.zeros_like(costs.compute), interval=np.full_like(costs.interval, WHOLE))


def cheaper(setup):
    """The cores of a setup with such operations."""
    return {core: replace(timed, sections=cheap(timed.sections)) for core, timed in setup.cores.items()}


def cheap(sections):
    return {name: replace(part, costs=free(part.costs)) for name, part in sections.items()}


def test_what_is_kept_for_the_next_run_changes_nothing():
    setup = Nests(Seeded(4), cores=3).setup()
    executor = Fast(setup)
    first = everything(executor.run(3))
    assert everything(executor.run(1)) == everything(step(setup, 1))
    assert everything(executor.run(3)) == first
