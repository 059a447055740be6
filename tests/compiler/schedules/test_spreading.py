"""Crossbars shared out over products: never worse than any other way to do it, within the crossbars that are free."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from compiler.schedules.spreading import Ladder, least_time


@st.composite
def ladders(draw):
    """Crossbars ascend, times descend."""
    steps = draw(st.integers(1, 4))
    taken = sorted(draw(st.lists(st.integers(1, 12), min_size=steps, max_size=steps, unique=True)))
    times = sorted(draw(st.lists(st.integers(0, 30), min_size=steps, max_size=steps)), reverse=True)
    return Ladder(taken, times)


def need(chosen, places):
    return sum(each.crossbars[place] - each.crossbars[0] for each, place in zip(chosen, places, strict=True))


def time(chosen, places):
    return sum(each.times[place] for each, place in zip(chosen, places, strict=True))


@given(st.lists(ladders(), max_size=4), st.integers(0, 30))
def test_no_other_way_takes_less(given_, room):
    found = least_time(given_, room)
    ways = [way for way in product(*(range(len(each.times)) for each in given_)) if need(given_, way) <= room]
    assert need(given_, found) <= room
    assert time(given_, found) == min(time(given_, way) for way in ways)


def test_what_would_be_chosen_greedily_is_not_always_best():
    """The first step saves most per crossbar, but two of the others fill the room."""
    found = least_time([Ladder((1, 4), (90, 30)), Ladder((1, 3), (50, 15)), Ladder((1, 3), (50, 15))], 4)
    assert found == [0, 1, 1]


def test_without_room_nothing_changes():
    assert least_time([Ladder((2, 4), (8, 4))], 1) == [0]
    assert least_time([], 5) == []
