"""Slices of a tensor's tiles are the channels that were asked for, each once."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.cutting.tiles import Tile, slices


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_slices_are_the_channels_asked_for(widths, data):
    tiles, total = [], 0
    for index, width in enumerate(widths):
        tiles.append(Tile(total, total + width, index))
        total += width
    low = data.draw(st.integers(0, total - 1))
    high = data.draw(st.integers(low + 1, total))
    parts = slices(tiles, low, high)
    assert [tile.low + start + k for tile, start, size in parts for k in range(size)] == list(range(low, high))
    assert all(start >= 0 and size >= 1 and tile.low + start + size <= tile.high for tile, start, size in parts)


def test_a_shifted_tile_is_the_same_value_further_on():
    assert Tile(2, 5, "value", 7).shifted(10) == Tile(12, 15, "value", 7)
