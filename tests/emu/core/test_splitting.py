"""Pieces of a loop: all iterations in order, and no ring wraps within a part."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.core.batch.splitting import TooManyPieces, split

rings = st.lists(st.tuples(st.integers(-5, 9), st.integers(1, 6)), max_size=3)


@given(st.integers(1, 40), rings)
def test_pieces_cover_the_loop_without_wraps(trips, found):
    seen = []
    for piece in split(trips, found):
        assert piece.start == len(seen)
        for turn in range(max(piece.repeats, 1)):
            for start, count in piece.parts:
                part = range(turn * piece.period + start, turn * piece.period + start + count)
                seen.extend(part)
                for offset, modulus in found:
                    values = [(k + offset) % modulus for k in part]
                    steps = {b - a for a, b in pairwise(values)}
                    assert steps <= {1} or (modulus == 1 and steps == {0})
    assert seen == list(range(trips))


def test_a_ring_that_goes_round_is_two_loops():
    (rounds, rest) = split(31, [(2, 3)])
    assert (rounds.repeats, rounds.period, rounds.parts) == (10, 3, ((0, 1), (1, 2)))
    assert rest.parts == ((30, 1),)


def test_loops_that_wrap_in_many_places_are_left_alone():
    with pytest.raises(TooManyPieces):
        split(10_000, [(0, 97), (0, 101), (0, 103)])
