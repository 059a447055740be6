"""Layouts: views and strided copies mean what NumPy's reshape and transpose mean."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.lowering.feature_map import (
    channel_first,
    channel_last,
    normalised,
    place_shape,
    regroup,
)

extents = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4))


def logical(physical, layout, extent, shape):
    """The logical array of a tile [h][w][c]: axes in the layout's order."""
    order = "".join(layout)
    rest = [axis for axis in "CHW" if axis not in order]
    axes = ["HWC".index(axis) for axis in (*order, *rest)]
    return physical.transpose(axes).reshape(shape)


@given(extents, st.permutations("CHW"), st.data())
def test_a_view_is_a_row_major_reshape(extent, order, data):
    layout = normalised(tuple(order), extent)
    sizes = [extent["CHW".index(axis)] for axis in order]
    physical = np.arange(prod(extent)).reshape(extent[1], extent[2], extent[0])
    merged = data.draw(st.sampled_from([(sizes[0] * sizes[1], sizes[2]), (1, prod(sizes)), (*sizes, 1)]))
    found = regroup(merged, layout, extent)
    assert found is not None
    before = logical(physical, layout, extent, sizes)
    assert np.array_equal(logical(physical, found, extent, merged), before.reshape(merged))


def test_splitting_an_axis_is_no_view():
    assert regroup((2, 3, 4), ("C", "W"), (6, 1, 4)) is None


@given(st.lists(st.integers(0, 3), max_size=6))
def test_placed_shapes_are_forms(shape):
    for layout in (channel_first(len(shape)), channel_last(len(shape))):
        assert layout is not None
        form = place_shape(shape, layout)
        assert form.fault() == ""
        assert prod(form.extent) == prod(shape)


@pytest.mark.parametrize(
    ("shape", "layout", "extent", "placed"),
    [
        ((1, 3, 4, 5), channel_first(4), (3, 4, 5), ("", "C", "H", "W")),
        ((2, 3, 4, 5), channel_first(4), (3, 2, 4, 5), ("D", "C", "H", "W")),
        ((1, 3, 4, 5, 6), channel_first(5), (3, 4, 5, 6), ("", "C", "D", "H", "W")),
        ((7, 3), channel_first(2), (3, 1, 7), ("W", "C")),
        ((7, 3), channel_last(2), (3, 1, 7), ("W", "C")),
        ((5,), channel_first(1), (5, 1, 1), ("C",)),
        ((), channel_last(0), (1, 1, 1), ()),
    ],
)
def test_layouts_of_all_ranks(shape, layout, extent, placed):
    form = place_shape(shape, layout)
    assert (form.extent, form.layout) == (extent, placed)


def test_too_many_dimensions_have_no_layout():
    assert channel_first(14) is None and channel_last(14) is None
    assert len(set(channel_first(13))) == 13
