"""Schedules of products: dependencies hold, no step has more than there are crossbars, chains set the length."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.offload.schedule import SCHEDULES, alap, asap


@st.composite
def graphs(draw):
    sets = [st.sets(st.integers(0, place - 1), max_size=3) for place in range(1, draw(st.integers(1, 30)))]
    return [frozenset(), *(frozenset(draw(each)) for each in sets)]


def chain(needs):
    depth = []
    for each in needs:
        depth.append(1 + max((depth[need] for need in each), default=0))
    return max(depth)


@pytest.mark.parametrize("name", SCHEDULES)
@given(needs=graphs(), crossbars=st.integers(1, 6))
def test_any_graph(name, needs, crossbars):
    steps = SCHEDULES[name](needs, crossbars)
    assert all(steps[need] < steps[place] for place, each in enumerate(needs) for need in each)
    assert max(map(steps.count, steps)) <= crossbars
    assert min(steps) == 0
    assert max(chain(needs), -(-len(needs) // crossbars)) <= max(steps) + 1 <= len(needs)
    if crossbars >= len(needs):
        assert max(steps) + 1 == chain(needs)


# Steps with 1, 2 and 4 crossbars: of two products and one of both results; of three in a row; of ten by themselves.
@pytest.mark.parametrize("strategy", [asap, alap])
@pytest.mark.parametrize(
    ("needs", "lengths"),
    [
        ([(), (), (0, 1)], (3, 2, 2)),
        ([(), (0,), (1,)], (3, 3, 3)),
        ([()] * 10, (10, 5, 3)),
    ],
)
def test_kernels(strategy, needs, lengths):
    graph = [frozenset(each) for each in needs]
    assert tuple(max(strategy(graph, crossbars)) + 1 for crossbars in (1, 2, 4)) == lengths


def test_late_is_later_than_soon():
    graph = [frozenset(), frozenset(), frozenset({0}), frozenset({2})]  # the second one is needed by nobody
    assert (asap(graph, 2)[1], alap(graph, 2)[1]) == (0, 2)


def test_three_thousand_products_take_little_time():
    needs = [frozenset({place - 7} if place % 3 and place >= 7 else ()) for place in range(3000)]
    began = time.process_time()
    asap(needs, 4)
    assert time.process_time() - began < 2
