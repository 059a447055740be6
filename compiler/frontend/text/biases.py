"""What stands in the result of a product before it: a bias, where it is known and one number per filter."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from compiler.dialects.integer import SUM
from compiler.frontend.text.activations import standing
from compiler.interpreter.host.values import Array
from compiler.nests.linear import Map
from emu.isa.dtypes import DType


def bias_of(before: Array, target: Map, filters: Sequence[int], sizes: Sequence[int], wide: DType) -> Array | None:
    """[filters] that are added to a product whose filters are the loops `filters`, the first one outermost.

    `before` stands in the result, whose elements `target` places. None where it varies along other loops of `sizes`, or
    is no float32 and no number that sums of int32 hold: those wrap around alike in types that are as wide or narrower.
    """
    if wide != DType.f32 and (wide.is_float or wide.size > SUM.size):
        return None
    spread = standing(once(before), target, len(sizes))
    if spread is None or any(size > 1 and dim not in filters for dim, size in enumerate(spread.shape)):
        return None
    other = [dim for dim in range(len(sizes)) if dim not in filters]
    turned = spread.transpose([*filters, *other]).reshape([spread.shape[dim] for dim in filters])
    full = np.broadcast_to(turned, [sizes[dim] for dim in filters]).reshape(prod(sizes[dim] for dim in filters))
    return np.ascontiguousarray(full, np.float32 if wide == DType.f32 else SUM.numpy)


def once(array: Array) -> Array:
    """An array without what it repeats along its dimensions, which broadcasts to it."""
    for axis, size in enumerate(array.shape):
        first = array[(*[slice(None)] * axis, slice(0, 1))]
        if size > 1 and (array == first).all():
            array = first
    return np.ascontiguousarray(array).reshape(array.shape)  # NumPy makes a dimension where there is none
