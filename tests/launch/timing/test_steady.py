"""The time per sample of runs that are steady, alternate, or are neither yet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.timing.steady import time_per_sample


@pytest.mark.parametrize(
    ("ends", "found"),
    [
        ([0, 10], (10, 0)),
        ([0, 10, 14], (4, 0)),
        ([0, 10, 14, 18], (4, 1)),
        ([0, 10, 14, 19], (5, 0)),
        ([0, 10, 14, 20, 24, 30], (5, 2)),
        ([5, 10, 20, 30, 40], (10, 1)),
    ],
)
def test_by_hand(ends, found):
    assert time_per_sample(ends) == found


@given(st.integers(1, 50), st.lists(st.integers(0, 20), min_size=1, max_size=4), st.integers(2, 5))
def test_what_comes_again_is_found(first, times, rounds):
    ends = [0, first]
    for _ in range(rounds):
        for time in times:
            ends.append(ends[-1] + time)
    period, turn = time_per_sample(ends)
    assert 1 <= turn <= len(times) and len(ends) > 2 * turn
    last = [late - early for early, late in zip(ends[-2 * turn - 1 : -1], ends[-2 * turn :], strict=True)]
    assert last[turn:] == last[:turn] and period == sum(last[turn:]) // turn
