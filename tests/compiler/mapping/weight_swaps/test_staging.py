"""The staging buffer: bounded, whole rows, every row once, halves by turns."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from compiler.emission.staging import STAGING, chunks, staging_bytes
from emu.isa.dtypes import DType


@given(st.integers(1, 4000), st.integers(1, 20_000), st.sampled_from([DType.i8, DType.f32]))
def test_chunks_cover_the_rows_inside_of_the_buffer(rows, cols, kind):
    row, size = cols * kind.size, staging_bytes([((rows, cols), kind)])
    assert size <= max(STAGING, 2 * row)
    found = list(chunks(rows, row, size))
    assert [first for first, _, _ in found] == [sum(count for _, count, _ in found[:k]) for k in range(len(found))]
    assert sum(count for _, count, _ in found) == rows
    assert all(offset + count * row <= size for _, count, offset in found)
    for (_, count, offset), (_, _, later) in pairwise(found):
        assert later >= offset + count * row or offset >= later + count * row
