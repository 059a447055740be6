"""Something scarce shared out: never worse than any other way to do it, within what there is."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping.solver import Ladder, least_loaded, least_longest, least_sum, needed, step_by_step


@st.composite
def ladders(draw):
    """Crossbars ascend, times descend."""
    steps = draw(st.integers(1, 4))
    taken = sorted(draw(st.lists(st.integers(1, 12), min_size=steps, max_size=steps, unique=True)))
    times = sorted(draw(st.lists(st.integers(0, 30), min_size=steps, max_size=steps)), reverse=True)
    return Ladder(taken, times)


def time(chosen, places):
    return [each.times[place] for each, place in zip(chosen, places, strict=True)]


def first(chosen):
    return [0] * len(chosen)


@given(st.lists(ladders(), max_size=4), st.integers(0, 60))
def test_no_other_way_takes_less(chosen, room):
    """The least sum, the least time of the slowest, and what single steps find, against all ways that there are."""
    ways = [way for way in product(*(range(len(each.times)) for each in chosen)) if needed(chosen, way) <= room]
    sums, paces, steps = (choose(chosen, room) for choose in (least_sum, least_longest, step_by_step))
    if not ways:
        assert sums == paces == steps == first(chosen)
        return
    assert max(needed(chosen, found) for found in (sums, paces, steps)) <= room
    assert sum(time(chosen, sums)) == min(sum(time(chosen, way)) for way in ways)
    assert sum(time(chosen, steps)) >= sum(time(chosen, sums))
    pace = max(time(chosen, paces), default=0)
    assert pace <= max(1, min(max(time(chosen, way), default=0) for way in ways))
    for ladder, place in zip(chosen, paces, strict=True):
        assert place == 0 or ladder.times[place - 1] > pace


def test_what_would_be_chosen_step_by_step_is_not_always_best():
    """The first step saves most, but two of the others fill the room."""
    chosen = [Ladder((1, 4), (90, 30)), Ladder((1, 3), (50, 15)), Ladder((1, 3), (50, 15))]
    assert least_sum(chosen, 7) == [0, 1, 1]
    assert step_by_step(chosen, 7) == [1, 0, 0]


def test_without_room_nothing_changes():
    assert least_sum([Ladder((2, 4), (8, 4))], 3) == [0]
    assert least_sum([], 5) == []


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=12),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 20)), min_size=1, max_size=4),
)
def test_the_bin_is_the_least_loaded_one_with_room(items, bins):
    """Against a look at every bin; what fits nowhere takes nothing."""
    room, load = [left for left, _ in bins], [work for _, work in bins]
    found = list(least_loaded(items, room, load))
    for (need, work), taken in zip(items, found, strict=True):
        fitting = [number for number, left in enumerate(room) if left >= need]
        assert taken == min(fitting, key=lambda number: (load[number], number), default=None)
        if taken is not None:
            room[taken] -= need
            load[taken] += work
