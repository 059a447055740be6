"""Repeats are where body follows body in equal steps, and the ones are taken that save most."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.interop.rolling.choice import chosen_repeats
from emu.interop.rolling.repeats import Repeats, repeats_of


def triples(repeats):
    return list(zip(repeats.start.tolist(), repeats.period.tolist(), repeats.trips.tolist(), strict=True))


@settings(max_examples=examples(50, 200))
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=60), st.integers(1, 8))
def test_every_repeat_is_one(rows, period):
    if period >= len(rows):
        return
    shape, value = np.array([s for s, _ in rows]), np.array([v for _, v in rows], np.uint64)
    found = repeats_of(period, shape, value, np.zeros(len(rows), np.int64))
    free = 0
    for start, length, trips in triples(found):
        assert length == period and trips >= 2 and start >= free
        bodies = np.array(rows)[start : start + period * trips].reshape(trips, period, 2)
        assert (bodies[:, :, 0] == bodies[0, :, 0]).all()
        assert not np.diff(bodies[:, :, 1], 2, axis=0).any()
        free = start + period * trips
    assert free <= len(rows)


def test_a_body_begins_at_its_lowest_depth():
    """Five times a loop (kind 9) of two rows: the body begins at the loop, not within what it encloses."""
    shape = np.array([1, 2, *[9, 1, 2] * 5])
    depth = np.array([1, 1, *[0, 1, 1] * 5])
    found = repeats_of(3, shape, np.zeros(len(shape), np.uint64), depth)
    assert triples(found) == [(2, 3, 5)]


def test_a_long_repeat_displaces_short_ones_that_save_less():
    pairs = Repeats.of([(0, 2), (10, 2), (100, 2)], 3)
    long = Repeats.of([(0, 4)], 10)
    assert triples(chosen_repeats([pairs, long])) == [(0, 10, 4), (100, 3, 2)]
    assert triples(chosen_repeats([Repeats.of([(0, 13)], 3), long])) == [(0, 3, 13)]


def test_a_pair_must_save_twice_as_much_as_what_it_displaces():
    """Bodies that come only twice go in equal steps always; they may not break loops that hold by themselves."""
    short = Repeats.of([(0, 8)], 2)
    assert triples(chosen_repeats([short, Repeats.of([(0, 2)], 20)])) == [(0, 2, 8)]
    assert triples(chosen_repeats([short, Repeats.of([(0, 2)], 40)])) == [(0, 40, 2)]


def test_a_loop_that_saves_nothing_is_none():
    assert len(chosen_repeats([Repeats.of([(0, 2)], 1)])) == 0
