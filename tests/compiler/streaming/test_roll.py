"""Rolling: the parts are the events again, and repetitions are found wherever they begin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.streaming.roll import MIN_TRIPS, roll


class FakeEvent:
    """An event with a given key and first row."""

    def __init__(self, key, first):
        self._key, self.rows = key, (first, 1)

    def key(self):
        return self._key


def repeated(period, steps, trips, start=0):
    return [
        FakeEvent(key, start + trip * step) for trip in range(trips) for key, step in zip(period, steps, strict=True)
    ]


def check(events):
    """Parts cover the events in order; in a loop, keys repeat and rows advance evenly."""
    parts, at = roll(events), 0
    for part in parts:
        assert part.start == at and part.period > 0
        at = part.end
        if part.trips == 1:
            continue
        assert part.trips >= MIN_TRIPS
        for position in range(part.period):
            instances = events[part.start + position : part.end : part.period]
            assert len({event.key() for event in instances}) == 1
            assert len(set(np.diff([event.rows[0] for event in instances]).tolist())) <= 1
    assert at == len(events)
    return parts


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=40))
def test_any_events(pairs):
    check([FakeEvent(key, first) for key, first in pairs])


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6),
    st.integers(5, 40),
    st.lists(st.tuples(st.integers(4, 9), st.integers(0, 3)), max_size=6),
    st.lists(st.tuples(st.integers(4, 9), st.integers(0, 3)), max_size=6),
)
def test_a_loop_between_other_events(body, trips, before, after):
    keys, steps = zip(*body, strict=True)
    events = [FakeEvent(*pair) for pair in before] + repeated(keys, steps, trips)
    parts = check(events + [FakeEvent(*pair) for pair in after])
    written = sum(part.period for part in parts)
    assert written <= len(before) + len(body) + len(after)


@pytest.mark.parametrize("trips", [10, 100])
def test_the_number_of_parts_does_not_depend_on_trips(trips):
    events = [FakeEvent("a", 0), *repeated("abc", (2, 1, 1), trips, 1), FakeEvent("c", 0)]
    assert [(part.period, part.trips > 1) for part in check(events)] == [(1, False), (3, True), (1, False)]


def test_rows_that_advance_unevenly_are_no_loop():
    events = [FakeEvent("a", first) for first in (0, 1, 3, 6, 10, 15)]
    assert all(part.trips == 1 for part in check(events))
