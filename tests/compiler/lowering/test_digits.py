"""Loops that two layouts of the same elements have in common step over both in one order."""

import itertools
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.lowering.digits import digits_of, refined, tile_map
from compiler.lowering.feature_map import normalised
from compiler.nests.linear import Linear, identity
from emu.program.form import Form

sizes = st.lists(st.integers(1, 4), min_size=3, max_size=3)


def flat_form(extent, order):
    return Form((prod(extent),), extent, normalised((order,), extent))


def value(index, point):
    return index.constant + sum(factor * point[dim] for dim, factor in index.factors)


@given(sizes, st.permutations("CHW"))
def test_common_loops_copy_between_two_orders_of_the_same_axes(extent, left):
    """Element n of the one, in row-major order of its axes, is element n of the other."""
    first = flat_form(tuple(extent), "".join(left))
    second = flat_form(tuple(extent["CHW".index(axis)] for axis in left), "CHW")
    cuts = refined(refined({}, identity(1), first), identity(1), second)
    digits = digits_of((prod(extent),), cuts)
    (parts,) = [part.parts for part in digits]
    maps = [tile_map(identity(1), form, digits) for form in (first, second)]
    source = first.physical(np.arange(prod(extent)))
    target = np.full(second.sizes, -1)
    for point in itertools.product(*(range(size) for _, size, _ in parts)):
        target[tuple(value(index, point) for index in maps[1])] = source[tuple(value(i, point) for i in maps[0])]
    np.testing.assert_array_equal(second.logical(target), np.arange(prod(extent)))


def test_axes_that_do_not_nest():
    first = Form((6,), (2, 1, 3), ("CW",))
    second = Form((6,), (3, 1, 2), ("CW",))
    assert refined(refined({}, identity(1), first), identity(1), second) is None


def test_a_counter_is_the_sum_of_its_digits():
    (digits,) = digits_of((12,), {0: (2, 2, 3)})
    assert digits.value == Linear.of(0, {0: 6, 1: 3, 2: 1})
    assert digits.digit(3, 4) == Linear.of(0, {0: 2, 1: 1})
