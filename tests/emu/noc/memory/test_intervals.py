"""Intervals behave like a set of integers."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from emu.noc.memory.intervals import Intervals

spans = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: tuple(sorted(pair)))


@given(st.lists(spans, max_size=12), spans)
def test_matches_a_set(added, asked):
    intervals, model = Intervals(), set()
    for begin, end in added:
        intervals.add(begin, end)
        model |= set(range(begin, end))
    stored = list(intervals)
    assert {i for begin, end in stored for i in range(begin, end)} == model
    assert all(end < begin for (_, end), (begin, _) in pairwise(stored))
    gaps = intervals.gaps(*asked)
    assert [i for begin, end in gaps for i in range(begin, end)] == sorted(set(range(*asked)) - model)
