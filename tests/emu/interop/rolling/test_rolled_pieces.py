"""Any part of rolled code can be unrolled on its own."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from unrolled_nests import matrix_of, nests

from emu.interop.rolling.roll import roll


@settings(max_examples=examples(25, 100))
@given(nests(ops=20), st.integers(1, 50), st.data())
def test_pieces_make_up_the_whole(nest, most, data):
    matrix = matrix_of(nest, 3)
    rolled = roll(matrix, [0])
    pieces = list(rolled.pieces(most))
    assert all(0 < len(piece) <= most for piece in pieces)
    assert np.array_equal(np.concatenate(pieces), matrix)
    first = data.draw(st.integers(0, len(matrix)))
    last = data.draw(st.integers(first, len(matrix)))
    assert np.array_equal(rolled.instructions_between(first, last), matrix[first:last])


@settings(max_examples=examples(25, 100))
@given(nests(ops=20))
def test_places_name_rows_and_counters(nest):
    matrix = matrix_of(nest, 3)
    rolled = roll(matrix, [0])
    item, counters = rolled.timeline.executed(np.arange(len(matrix)))
    assert not rolled.is_loop[item].any()
    moved = (counters[:, :, None] * rolled.strides[rolled.stride[item]]).sum(axis=1)
    assert np.array_equal(rolled.base[item] + moved, matrix)
    around = np.arange(counters.shape[1]) < rolled.depth[item][:, None]
    assert not counters[~around].any()
    rows = np.flatnonzero(~rolled.is_loop)
    item, counters = rolled.timeline.executed(rolled.timeline.start[rows])
    assert np.array_equal(item, rows) and not counters.any()
    loops = np.flatnonzero(rolled.is_loop)
    assert np.array_equal(rolled.timeline.start[loops], rolled.timeline.start[loops + 1])


def test_what_streams_is_never_there_as_a_whole():
    """3 million instructions of 1 row: only the pieces are made."""
    matrix = np.arange(3 * 1000, dtype=np.int64).reshape(1000, 3)
    rolled = roll(matrix, [])
    long = type(rolled)(rolled.trips * 3000, rolled.end, rolled.base, rolled.stride, rolled.strides)
    total = largest = 0
    for piece in long.pieces():
        total, largest = total + len(piece), max(largest, len(piece))
    assert (total, largest) == (3_000_000, 1 << 16)
    assert long.instructions_between(2_999_999, 3_000_000).tolist() == [[8_999_997, 8_999_998, 8_999_999]]
