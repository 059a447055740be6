"""Tiles of a tensor: the parts that make up a box of it, each element once; ranges of channels in its middle."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping.cutting.tiles import Tile, channel_ranges, overlap, overlapping


@st.composite
def tensors(draw):
    """Tiles of a tensor [rows][width][channels]: bands of rows, each cut along its channels in its own way."""
    rows, width, channels = draw(st.integers(1, 9)), draw(st.integers(1, 3)), draw(st.integers(1, 12))
    tiles = []
    for low, high in pairwise(draw(bounds(rows))):
        for first, last in pairwise(draw(bounds(channels))):
            tiles.append(Tile(((low, high), (0, width), (first, last)), len(tiles)))
    return (rows, width, channels), tiles


def bounds(size):
    return st.sets(st.integers(0, size), max_size=3).map(lambda cuts: sorted(cuts | {0, size}))


@st.composite
def boxes(draw, sizes):
    found = []
    for size in sizes:
        low = draw(st.integers(0, size - 1))
        found.append((low, draw(st.integers(low + 1, size))))
    return tuple(found)


@given(tensors(), st.data())
def test_the_parts_of_a_box_are_its_elements_once(tensor, data):
    sizes, tiles = tensor
    box = data.draw(boxes(sizes))
    counts = np.zeros(sizes, int)
    for tile, common in overlapping(tiles, box):
        assert overlap(common, tile.box) == common
        counts[tuple(slice(*part) for part in common)] += 1
    assert counts[tuple(slice(*part) for part in box)].all()
    assert counts.sum() == counts[tuple(slice(*part) for part in box)].size


@given(tensors(), st.data())
def test_ranges_of_channels_follow_each_other(tensor, data):
    sizes, tiles = tensor
    box = data.draw(boxes(sizes))
    ranges = channel_ranges(tiles, box)
    assert [ranges[0][0], ranges[-1][1]] == [*box[-1]]
    assert all(end == begin for (_, end), (begin, _) in pairwise(ranges))


def test_a_shifted_tile_is_the_same_value_further_on():
    tile = Tile(((0, 4), (2, 5)), "value", 7)
    assert tile.shifted(1, 10) == Tile(((0, 4), (12, 15)), "value", 7)
    assert tile.shifted(0, 3) == Tile(((3, 7), (2, 5)), "value", 7)
