"""Random networks keep what they compute through every pass, and their programs compute what the last level does."""

from collections import Counter

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from levels import verified
from random_graphs import random_graphs
from random_schedules import cases, schedules

from compiler.frontend.operators import OPERATORS
from emu.arch import Arch, Core, Crossbar
from launch.levels.finding import Levels

SMALL = Arch(name="small", cores=64, core=Core(crossbars=256), crossbar=Crossbar(4, 4))
relaxed = settings(suppress_health_check=list(HealthCheck))


def check(tally: Counter[str], found: Levels | str) -> None:
    """All levels agree, or the compiler refuses the network."""
    if isinstance(found, str):
        tally["refused"] += 1
    else:
        assert found.passed, found.sentence()
        tally["same"] += 1


def of_graphs(count: int) -> None:
    tally = Counter[str]()

    @settings(relaxed, max_examples=count)
    @given(random_graphs(tuple(OPERATORS)), st.sampled_from(["image", "rows:1", "rows:2"]))
    def one(case, granularity):
        check(tally, verified(case, SMALL, {"granularity": granularity}))

    one()
    assert tally["same"] > 0.5 * tally.total()


def of_schedules(count: int) -> None:
    tally = Counter[str]()

    @settings(relaxed, max_examples=count)
    @given(cases(), schedules())
    def one(case, schedule):
        check(tally, verified(case, schedule.chip, dict(schedule.options)))

    one()
    assert tally["same"] > 0.4 * tally.total()


def test_random_graphs_through_every_pass() -> None:
    of_graphs(examples(8, 24))


def test_random_schedules_through_every_pass() -> None:
    of_schedules(examples(2, 16))


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_graphs_through_every_pass() -> None:
    of_graphs(1000)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_schedules_through_every_pass() -> None:
    of_schedules(500)
