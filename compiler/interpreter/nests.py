"""What a structured nest makes: views of its operands along the loops, a body on whole arrays, a reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects.nest import GenericOp
from compiler.dialects.types import dtype_of
from compiler.interpreter.scalars import run_body
from compiler.interpreter.world import Meaning, Undefined, World

COMBINES: Mapping[str, np.ufunc] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
}

Views: TypeAlias = Sequence[Array]  # of operands along all loops
Contract: TypeAlias = Callable[[Views, Sequence[bool], np.dtype[Any]], Array]  # which loops are parallel, and the type


@dataclass(frozen=True, slots=True)
class Indices:
    """Which element of an array a point of the loops has: per axis of the array a constant, and a factor per loop."""

    constants: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(given: AffineMap) -> Indices:
        """Read off a linear map: its value at the origin, and what a step along each loop changes."""
        dims = given.num_dims
        zero = given.eval([0] * dims, [])
        steps = [given.eval([int(dim == place) for place in range(dims)], []) for dim in range(dims)]
        factors = tuple(tuple(step[axis] - first for step in steps) for axis, first in enumerate(zero))
        return Indices(tuple(zero), factors)

    def shifted(self, begin: Sequence[int]) -> Indices:
        """For loops that begin at the point `begin`."""
        moved = zip(self.constants, self.factors, strict=True)
        return Indices(
            tuple(first + sum(f * at for f, at in zip(row, begin, strict=True)) for first, row in moved), self.factors
        )

    def less(self, lows: Sequence[int]) -> Indices:
        """For an array that begins at the element `lows`."""
        return Indices(tuple(at - low for at, low in zip(self.constants, lows, strict=True)), self.factors)

    def bounds(self, sizes: Sequence[int]) -> list[tuple[int, int]]:
        """The least index that is met along each axis, and the one after the largest."""
        ends = [[factor * (size - 1) for factor, size in zip(row, sizes, strict=True) if size] for row in self.factors]
        pairs = zip(self.constants, ends, strict=True)
        return [(at + sum(min(0, end) for end in row), at + sum(max(0, end) for end in row) + 1) for at, row in pairs]

    def view(self, array: Array, sizes: Sequence[int]) -> Array:
        """The elements that the points of loops of `sizes` have, as a view [*sizes] of a contiguous array."""
        within = zip(self.bounds(sizes), array.shape, strict=True)
        if any(low < 0 or high > size for (low, high), size in within):
            raise IndexError(f"reaches {self.bounds(sizes)} of {list(array.shape)}")
        strides = [
            sum(row[dim] * step for row, step in zip(self.factors, array.strides, strict=True))
            for dim in range(len(sizes))
        ]
        offset = sum(at * step for at, step in zip(self.constants, array.strides, strict=True))
        return np.ndarray(sizes, array.dtype, array, offset, strides)


def maps_of(op: Operation) -> list[Indices]:
    """The maps of a nest: those of the operands, then that of the result."""
    maps: Any = op.properties["maps"]
    return [Indices.of(item.data) for item in maps if isinstance(item, AffineMapAttr)]


def run_nest(
    op: Operation,
    operands: Sequence[tuple[Array, Indices]],
    made: tuple[Sequence[int], Indices],
    sizes: Sequence[int],
    begin: Sequence[int],
    dtype: np.dtype[Any],
    nudge: float = 1.0,
    contract: Contract | None = None,
) -> Array:
    """The result, an array of a shape with its map, of operands with theirs, of loops of `sizes` from `begin` on.

    `contract` sums products (None: `contracted`).
    """
    properties: Any = op.properties
    shape, target = made
    if 0 in shape:
        return np.zeros(shape, dtype)
    parallel = [kind.data == "parallel" for kind in properties["iterators"]]
    views = [indices.view(np.require(array, requirements="C"), sizes) for array, indices in operands]
    combine = properties["combine"].data if isinstance(properties.get("combine"), StringAttr) else ""
    if combine == "add" and _is_product(properties["body"], views):
        total = (contract or contracted)(views, parallel, dtype)
    else:
        total = run_body(properties["body"], views, lambda dim: _counter(dim, sizes, begin), nudge)
        total = np.broadcast_to(total, sizes)
        if combine:
            axes = tuple(dim for dim, each in enumerate(parallel) if not each)
            wide = np.dtype(np.float64) if combine == "add" and dtype.kind == "f" else dtype
            total = COMBINES[combine].reduce(total, axis=axes, dtype=None if dtype.kind == "b" else wide)
    result = np.zeros(shape, dtype)
    kept = [dim for dim, each in enumerate(parallel) if each]
    outer = Indices(target.constants, tuple(tuple(row[dim] for dim in kept) for row in target.factors))
    outer.view(result, [sizes[dim] for dim in kept])[...] = total
    return result


def _counter(dim: int, sizes: Sequence[int], begin: Sequence[int]) -> Array:
    """The counter of a dimension of the loops, for all points."""
    shape = [size if place == dim else 1 for place, size in enumerate(sizes)]
    return (np.arange(sizes[dim]) + begin[dim]).reshape(shape)


def _is_product(body: Any, views: Sequence[Array]) -> bool:
    """Whether the body is nothing but the product of its two operands."""
    steps = list(body)
    return len(steps) == 1 == len(views) - 1 and steps[0].data["fn"].data == "mul"


def contracted(views: Views, parallel: Sequence[bool], dtype: np.dtype[Any]) -> Array:
    """Products of two views summed: what einsum does, on the dimensions along which each operand moves.

    Of the parallel dimensions [one size each], 1 where neither moves.
    """
    wide = np.dtype(np.float64) if dtype.kind == "f" else np.dtype(np.int64)  # integers wrap in the end as they would
    taken: list[Any] = []
    moving = set[int]()
    for view in views:
        dims = [dim for dim, step in enumerate(view.strides) if step and view.shape[dim] > 1]
        moving.update(dims)
        taken += [view[tuple(slice(None) if dim in dims else 0 for dim in range(view.ndim))].astype(wide), dims]
    kept = [dim for dim, each in enumerate(parallel) if each]
    still = prod(views[0].shape[dim] for dim, each in enumerate(parallel) if not each and dim not in moving)
    total = np.einsum(*taken, [dim for dim in kept if dim in moving], optimize=True) * still
    return np.asarray(total).reshape([views[0].shape[dim] if dim in moving else 1 for dim in kept])


def generic(op: GenericOp, args: Sequence[Array], world: World, contract: Contract | None = None) -> list[Array]:
    """`nest.generic`; see `run_nest`."""
    *sources, target = maps_of(op)
    sizes = attr.values(op.sizes)
    try:
        made = run_nest(
            op,
            list(zip(args, sources, strict=True)),
            (attr.shape_of(op.result), target),
            sizes,
            [0] * len(sizes),
            dtype_of(op.result).numpy,
            world.nudge_of(op),
            contract,
        )
    except IndexError as error:
        raise Undefined(op, str(error)) from None
    return [made]


MEANINGS: Mapping[type[Operation], Meaning] = {GenericOp: generic}
