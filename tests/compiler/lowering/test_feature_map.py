"""Layouts: views and strided copies mean what NumPy's reshape and transpose mean."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.lowering.feature_map import (
    channel_first,
    channel_last,
    factors,
    normalised,
    place_shape,
    refine,
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


@given(extents, st.permutations("CHW"), st.permutations("CHW"))
def test_refined_factors_copy_between_layouts(extent, left, right):
    shape = tuple(extent["CHW".index(axis)] for axis in left)
    form = place_shape(shape, tuple(right))
    target_extent, target_layout = form.extent, form.layout
    source_layout = normalised(tuple(left), extent)
    common = refine(factors(source_layout, extent), factors(target_layout, target_extent))
    assert common is not None, "one axis per dimension always nests"
    assert copied(common, extent, source_layout, target_extent, target_layout, shape)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.permutations("CHW"))
def test_refined_factors_copy_a_flattened_image(sizes, order):
    extent = (*sizes, 1, 1)[:3]
    layout = normalised(("", "".join(order)), extent)
    count = prod(extent)
    common = refine(factors(layout, extent), factors(("", "C"), (count, 1, 1)))
    assert common is not None
    assert copied(common, extent, layout, (count, 1, 1), ("", "C"), (1, count))


def copied(common, extent, layout, target_extent, target_layout, shape):
    """Whether the strided copy gives the same logical array."""
    source = np.arange(prod(extent))
    target = np.full(source.size, -1)
    for index in np.ndindex(*(size for size, _, _ in common)):
        to = sum(i * step for i, (_, _, step) in zip(index, common, strict=True))
        target[to] = source[sum(i * step for i, (_, step, _) in zip(index, common, strict=True))]
    before = logical(source.reshape(extent[1], extent[2], extent[0]), layout, extent, shape)
    after = target.reshape(target_extent[1], target_extent[2], target_extent[0])
    return np.array_equal(logical(after, target_layout, target_extent, shape), before)


def test_factorisations_that_do_not_nest():
    assert refine([(2, 3), (3, 1)], [(3, 2), (2, 1)]) is None


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
