"""Strips: every address is the slot that the row has in its ring, and blocks are what is contiguous."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.dialects.rows import Rows
from compiler.emission.strip import Strip, blocks
from emu.isa.dtypes import DType


@st.composite
def strips(draw):
    """A strip of a ring, in a loop (its depth a multiple of the step) or not."""
    step = draw(st.integers(0, 4))
    depth = step * draw(st.integers(1, 4)) if step else draw(st.integers(1, 9))
    trips = draw(st.integers(1, 5)) if step else 1
    rows = Rows(draw(st.integers(0, 12)), step, draw(st.integers(1, depth)), 40)
    return Strip(1000, depth, 3, 2, rows, DType.f32, 0 if step else -1, trips)


@given(strips(), st.data())
def test_addresses_are_slots(strip, data):
    row, iteration = data.draw(st.integers(0, strip.height - 1)), data.draw(st.integers(0, strip.trips - 1))
    slot = (strip.rows.first + strip.rows.step * iteration + row) % strip.depth
    assert strip.at(row=row).value([iteration], []) == 1000 + slot * strip.row


@given(strips(), strips(), st.integers(1, 3), st.data())
def test_blocks_cover_and_are_evenly_spaced(out, source, stride, data):
    taps = [(out, 0, 1), (source, 1, stride)]
    iteration = data.draw(st.integers(0, min(out.trips, source.trips) - 1))
    covered = 0
    for first, size in blocks(out.height, taps):
        assert first == covered and size > 0
        covered += size
        for strip, row, step in taps:
            begin = strip.at(row=row + first * step).value([iteration], [])
            for k in range(size):
                address = strip.at(row=row + (first + k) * step).value([iteration], [])
                assert address == begin + k * step * strip.row
    assert covered == out.height


def test_a_whole_buffer_is_one_block_without_modulo():
    strip = Strip(64, 8, 5, 3, Rows(2, 2, 2, 8), DType.f32, 0, 3)
    assert list(strip.blocks()) == [(0, 2)]
    (term,) = strip.at(row=1).terms
    assert (term.stride, term.modulus) == (2 * 60, 0)
