"""How to draw a tensor with a history: moves end in the shape that is wanted, so its axes stand as another's did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from random_graphs import Graph

Shape = tuple[int, ...]
Forward = Callable[["Graph", str], list[str]]  # adds the node to a tensor of the shape before; what it makes
Backward = Callable[["Graph", Shape], tuple[Shape, Forward]]  # the shape before a node that makes a tensor of a shape
MOST_RANK = 6


def any_shape(g: Graph, count: int) -> Shape:
    """A shape of `count` elements and at most `MOST_RANK` dimensions, often with some of size 1."""
    dims, left = list[int](), count
    while left > 1 and len(dims) < MOST_RANK - 1:
        dims.append(g.choice(*(size for size in range(2, left + 1) if left % size == 0)))
        left //= dims[-1]
    dims += [left] * (left > 1)
    for _ in range(g.integer(0, min(3, MOST_RANK - len(dims)))):
        dims.insert(g.integer(0, len(dims)), 1)
    return tuple(dims)


def with_ones(g: Graph, shape: Shape) -> Shape:
    """`shape` without some of its dimensions of size 1, and with others."""
    dims = [size for size in shape if size != 1 or g.choice(True, False)]
    for _ in range(g.integer(0, max(0, min(2, MOST_RANK - len(dims))))):
        dims.insert(g.integer(0, len(dims)), 1)
    return tuple(dims)


def _reshaped(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    before = with_ones(g, shape) if g.integer(0, 2) else any_shape(g, prod(shape))
    return before, lambda g, name: g.add("Reshape", [name, g.integers(*shape)])


def _transposed(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    perm = g.draw(st.permutations(range(len(shape))))
    before = tuple(shape[perm.index(axis)] for axis in range(len(shape)))
    return before, lambda g, name: g.add("Transpose", [name], perm=perm)


def _sliced(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    """A part of a larger tensor, by Slice or by Split."""
    axis, first, after = g.integer(0, len(shape) - 1), g.integer(0, 3), g.integer(0, 3)
    size = shape[axis]
    before = (*shape[:axis], first + size + after, *shape[axis + 1 :])
    sizes = [part for part in (first, size, after) if part]
    if g.choice(True, False):
        ends = ([first], [first + size], [axis])
        return before, lambda g, name: g.add("Slice", [name, *(g.integers(*values) for values in ends)])
    place = int(first > 0)
    return before, lambda g, name: g.add("Split", [name, g.integers(*sizes)], len(sizes), axis=axis)[place:]


def _padded(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    axis = g.integer(0, len(shape) - 1)
    first = g.integer(0, min(2, shape[axis] - 1))
    last = g.integer(0, min(2, shape[axis] - 1 - first))
    pads = [0] * 2 * len(shape)
    pads[axis], pads[axis + len(shape)] = first, last
    before = (*shape[:axis], shape[axis] - first - last, *shape[axis + 1 :])
    return before, lambda g, name: g.add("Pad", [name, g.integers(*pads)])


def _joined(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    """Together with a new tensor, on either side."""
    axis = g.integer(0, len(shape) - 1)
    size = g.integer(0, shape[axis] - 1)
    before, other = ((*shape[:axis], part, *shape[axis + 1 :]) for part in (shape[axis] - size, size))
    ahead = g.choice(True, False)

    def forward(g: Graph, name: str) -> list[str]:
        more = [g.fresh(str(g.array(name).dtype), other)] if size else []
        return g.add("Concat", [*more, name] if ahead else [name, *more], axis=axis)

    return before, forward


def _expanded(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    axis = g.integer(0, len(shape) - 1)
    return (*shape[:axis], 1, *shape[axis + 1 :]), lambda g, name: g.add("Expand", [name, g.integers(*shape)])


def _gathered(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    axis = g.integer(0, len(shape) - 1)
    size = g.integer(1, shape[axis] + 2)
    places = np.asarray(g.random.integers(-size, size, shape[axis]))
    before = (*shape[:axis], size, *shape[axis + 1 :])
    return before, lambda g, name: g.add("Gather", [name, g.constant(places)], axis=axis)


def _greatest(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    axis, size = g.integer(0, len(shape)), g.integer(1, 3)
    before = (*shape[:axis], size, *shape[axis:])
    return before, lambda g, name: g.add("ReduceMax", [name, g.integers(axis)], keepdims=0)


def _multiplied(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    """By a constant matrix, on either side."""
    inner = g.integer(1, 6)
    if len(shape) > 1 and g.choice(True, False):
        left = g.fresh("float32", (shape[-2], inner), constant=True)
        return (*shape[:-2], inner, shape[-1]), lambda g, name: g.add("MatMul", [left, name], exact=False)
    right = g.fresh("float32", (inner, shape[-1]), constant=True)
    return (*shape[:-1], inner), lambda g, name: g.add("MatMul", [name, right], exact=False)


def _convolved(g: Graph, shape: Shape) -> tuple[Shape, Forward]:
    """By a window of one element or of three, beside which there is padding."""
    if not 3 <= len(shape) <= 5:
        return _multiplied(g, shape)
    channels, size = g.integer(1, 6), g.choice(1, 3)
    kernel = g.fresh("float32", (shape[1], channels, *[size] * (len(shape) - 2)), constant=True)
    pads = [size // 2] * 2 * (len(shape) - 2)
    before = (shape[0], channels, *shape[2:])
    return before, lambda g, name: g.add("Conv", [name, kernel], exact=False, pads=pads)


PRODUCTS: tuple[Backward, ...] = (_multiplied, _multiplied, _convolved)
RARE: tuple[Backward, ...] = (_sliced, _padded, _joined, _expanded, _gathered)
MOVES: tuple[Backward, ...] = (*[_reshaped] * 6, *[_transposed] * 3, *RARE)
NUMBERS: Mapping[str, tuple[Backward, ...]] = {"bool": ()}  # types that have no greatest one


def derived(g: Graph, dtype: str, shape: Shape, exact: bool = True, product: bool = False) -> str:
    """A tensor that one to three nodes make of another one.

    With `exact` they round nothing; with `product` the last one is a product, if there can be one.
    """
    steps, wanted = list[Forward](), shape
    products = () if exact or dtype != "float32" else PRODUCTS
    kinds = [*MOVES, *NUMBERS.get(dtype, (_greatest,)), *products]
    for step in range(g.integer(1, 3)):
        ways = PRODUCTS if product and not step else kinds
        before, forward = g.choice(*ways)(g, wanted) if wanted else _reshaped(g, wanted)
        if prod(before) <= g.most and len(before) <= MOST_RANK:
            wanted = before
            steps.append(forward)
    name = g.base(dtype, wanted)
    for forward in reversed(steps):
        made = forward(g, name)
        if not made:  # onnxruntime has no such node of this type
            return g.input(g.content(dtype, shape))
        name = made[0]
    return name
