"""Rolled code unrolls to exactly what it was, and is as short as the loops that it came from."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from emu.foreign.rolling.roll import roll

HUGE = [0, 1, -1, 2, (1 << 61) - 1, 1 << 61, (1 << 61) + 1, 1 << 62, (1 << 63) - 1, -(1 << 63), -(1 << 61), 1 << 60]


@st.composite
def matrices(draw):
    """Few values, so that rows repeat often; some of them at the ends of what 64 bits hold."""
    shape = draw(st.integers(0, 60)), draw(st.integers(1, 4))
    values = st.sampled_from(draw(st.sampled_from([HUGE, [0, 1], [0, 1, 2, 3], [5], [0, 8, 16, 24, 32, 40]])))
    return draw(arrays(np.int64, shape, elements=values))


def same(matrix, fixed):
    rolled = roll(matrix, fixed)
    assert np.array_equal(rolled.unrolled(), matrix)
    assert rolled.rows + rolled.loops <= len(matrix)
    return rolled


@settings(max_examples=300)
@given(matrices(), st.data())
def test_unrolls_to_what_it_was(matrix, data):
    same(matrix, data.draw(st.lists(st.integers(0, matrix.shape[1] - 1), unique=True)))
