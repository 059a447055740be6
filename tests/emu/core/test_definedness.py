"""Definedness as intervals and strided sets equals a byte map, whatever is marked and asked in between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.core import definedness
from emu.core.definedness import Definedness

SIZE = 100  # one more than any range reaches
marks = st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 12), st.integers(1, 6))
questions = st.tuples(st.integers(0, SIZE), st.integers(0, 20))
steps = st.lists(st.one_of(marks, questions), max_size=25)


@pytest.fixture(params=[None, 2], ids=["all ranges kept", "few ranges kept"], autouse=True)
def limits(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            for name in ("MAX_RANGES", "MAX_PENDING", "MAX_LOOSE"):
                patch.setattr(definedness, name, request.param)
        yield


def play(known, expected, found):
    for step in found:
        if len(step) == 2:
            low, high = step[0], min(step[0] + step[1], SIZE)
            assert known.covers(low, high) == expected[low:high].all()
            continue
        first, width, far, count = step
        known.mark_runs(first, width, far, count)
        for k in range(count):
            expected[first + k * far : first + k * far + width] = True


@given(steps, steps, st.booleans())
def test_against_a_map(before, after, look):
    known, expected = Definedness(SIZE), np.zeros(SIZE, np.bool_)
    play(known, expected, before)
    if look:
        np.testing.assert_array_equal(known.map, expected)
    ranges = known.ranges()
    assert [k for low, high in ranges for k in range(low, high)] == np.flatnonzero(expected).tolist()
    known.reset(ranges[::2], SIZE)
    expected[:] = False
    for low, high in ranges[::2]:
        expected[low:high] = True
    play(known, expected, after)
    np.testing.assert_array_equal(known.map, expected)
