"""Sets of intervals behave like sets of integers, whether they grow one by one or are made at once."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emu.intervals import EMPTY, Intervals, merge

spans = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: tuple(sorted(pair)))
many = st.lists(spans, max_size=12)


def columns(ranges):
    """Begins and ends as arrays."""
    pairs = np.array(ranges, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def check(stored, model):
    """`stored` are maximal intervals, ascending, of the integers in `model`."""
    assert {i for begin, end in stored for i in range(begin, end)} == model
    assert all(begin < end for begin, end in stored)
    assert all(end < begin for (_, end), (begin, _) in pairwise(stored))


@given(many, many, many, spans)
def test_growing_intervals_are_a_set(first, at_once, last, asked):
    intervals, model = Intervals(), set()
    for begin, end in first:
        intervals.add(begin, end)
    intervals.add_all(*columns(at_once))
    for begin, end in last:
        intervals.add(begin, end)
    for begin, end in (*first, *at_once, *last):
        model |= set(range(begin, end))
    check(list(intervals), model)
    missing = sorted(set(range(*asked)) - model)
    assert [i for begin, end in intervals.gaps(*asked) for i in range(begin, end)] == missing
    assert intervals.covers(*asked) == (not missing)


@given(many, many, spans)
def test_arrays_of_intervals_are_a_set(one, two, asked):
    model = {i for begin, end in (*one, *two) for i in range(begin, end)}
    union = merge(*columns(one)).union(*columns(two))
    check(list(zip(union.begin.tolist(), union.end.tolist(), strict=True)), model)
    assert union.size == len(model)
    missing = sorted(set(range(*asked)) - model)
    assert union.covers(*columns([asked])).tolist() == [not missing]
    assert union.first_gap(*asked) == (missing[0] if missing else None)
    assert EMPTY.size == 0 and not EMPTY.union(*columns([])).size


@given(many, st.integers(1, 6))
def test_joined_intervals_hold_the_set(ranges, most):
    spans = merge(*columns(ranges))
    joined = spans.joined(most)
    pairs = list(zip(joined.begin.tolist(), joined.end.tolist(), strict=True))
    check(pairs, {i for begin, end in pairs for i in range(begin, end)})
    assert len(pairs) == min(most, len(spans.begin))
    assert joined.covers(spans.begin, spans.end).all()
    between = (spans.begin[1:] - spans.end[:-1]).tolist()
    assert joined.size == spans.size + sum(sorted(between)[: max(0, len(spans.begin) - most)])
