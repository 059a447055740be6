"""Operations of `tensor` and `affine`: slices, shapes, padding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import affine, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from compiler.interpreter.host.values import Array, numpy_type
from compiler.interpreter.host.world import HostMeaning, HostWorld, RegionMeaning

DYNAMIC = -(1 << 63)  # in the place of a size that is an operand


def mixed(static: Any, dynamic: Iterator[Array]) -> list[int]:
    """Numbers of which those that are not known stand among the operands."""
    return [int(next(dynamic)) if value == DYNAMIC else int(value) for value in static.get_values()]


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape that a type says; DYNAMIC where it does not."""
    return tuple(cast("TensorType[Any]", value.type).get_shape())


def cuts_of(op: Any, args: Sequence[Array]) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides of a slice; `args` are the operands that are numbers."""
    dynamic = iter(args)
    return mixed(op.static_offsets, dynamic), mixed(op.static_sizes, dynamic), mixed(op.static_strides, dynamic)


def slices_of(offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> tuple[slice, ...]:
    """As NumPy has them."""
    return tuple(
        slice(low, low + (size - 1) * step + 1 if size else low, step)
        for low, size, step in zip(offsets, sizes, strides, strict=True)
    )


def dropped(sizes: Sequence[int], declared: Sequence[int]) -> list[int]:
    """Those dimensions of size 1 of a slice that its type lacks."""
    left, found = len(sizes) - len(declared), list[int]()
    for place, size in enumerate(sizes):
        at = place - len(found)
        wanted = declared[at] if at < len(declared) else None
        if len(found) < left and size == 1 and wanted != 1:
            found.append(place)
    return found


def reduced(sizes: Sequence[int], declared: Sequence[int]) -> list[int]:
    """The shape of a slice without the dimensions that its type lacks."""
    lacking = dropped(sizes, declared)
    return [size for place, size in enumerate(sizes) if place not in lacking]


def part_of(array: Array, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> Array:
    """A slice, as a view; raises ValueError for one that is not inside."""
    for low, size, step, most in zip(offsets, sizes, strides, array.shape, strict=True):
        if low < 0 or step < 1 or size < 0 or (size and low + (size - 1) * step >= most):
            raise ValueError(f"takes {size} elements from {low} by steps of {step} of {most}")
    return array[(*slices_of(offsets, sizes, strides), ...)]


def _extract_slice(op: tensor.ExtractSliceOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    offsets, sizes, strides = cuts_of(op, args[1:])
    return [part_of(args[0], offsets, sizes, strides).reshape(reduced(sizes, shape_of(op.result)))]


def _insert_slice(op: tensor.InsertSliceOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    offsets, sizes, strides = cuts_of(op, args[2:])
    made = np.array(args[1])
    part_of(made, offsets, sizes, strides)[...] = args[0].reshape(sizes)
    return [made]


def collapsed(shape: Sequence[int], op: Any) -> list[int]:
    """The shape with groups of dimensions as one."""
    return [prod(shape[int(dim.value.data)] for dim in group) for group in op.reassociation]


def expanded(op: Any, args: Sequence[Array]) -> list[int]:
    """The shape that `output_shape` says; `args` are the sizes among the operands."""
    return list(no_negative(mixed(op.static_output_shape, iter(args))))


def _collapse(op: tensor.CollapseShapeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [args[0].reshape(collapsed(args[0].shape, op))]


def _expand(op: tensor.ExpandShapeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [args[0].reshape(expanded(op, args[1:]))]


def _pad(op: tensor.PadOp, args: Sequence[Array], world: HostWorld, interpreter: Interpreter) -> list[Array]:
    source, (low, high) = args[0], pads_of(op, args[1:])
    shape = [a + size + b for a, size, b in zip(low, source.shape, high, strict=True)]
    counters = [
        np.arange(size).reshape([size if place == dim else 1 for place in range(len(shape))])
        for dim, size in enumerate(shape)
    ]
    (value,) = interpreter.run_ssacfg_region(op.region, tuple(counters), "pad")
    made = np.array(np.broadcast_to(value, shape)).astype(source.dtype)
    made[tuple(slice(a, a + size) for a, size in zip(low, source.shape, strict=True))] = source
    return [made]


def pads_of(op: tensor.PadOp, args: Sequence[Array]) -> tuple[list[int], list[int]]:
    """How many elements stand before and after; `args` are the numbers among the operands."""
    dynamic = iter(args)
    low, high = mixed(op.static_low, dynamic), mixed(op.static_high, dynamic)
    if min(*low, *high, 0) < 0:
        raise ValueError(f"puts {low} elements before and {high} behind: a number is 0 or more")
    return low, high


def _empty(op: tensor.EmptyOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    """What nobody has written: no number that a program could count on."""
    kind, shape = numpy_type(op.tensor.type), sized(op.tensor, args)
    return [np.broadcast_to(np.array(np.nan if kind.kind == "f" else 0x55, kind), shape)]


def sized(value: SSAValue, args: Sequence[Array]) -> list[int]:
    """The shape of a result whose unknown sizes are operands."""
    dynamic = iter(args)
    return [int(next(dynamic)) if size < 0 else size for size in shape_of(value)]


def _splat(op: tensor.SplatOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.broadcast_to(args[0], sized(op.result, args[1:]))]


def _dim(op: tensor.DimOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [dimension(args[0], int(args[1]))]


def _cast(op: tensor.CastOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    declared = shape_of(op.dest)
    if len(declared) != args[0].ndim or any(
        a not in (b, DYNAMIC) for a, b in zip(declared, args[0].shape, strict=True)
    ):
        raise ValueError(f"casts a tensor of shape {list(args[0].shape)} to {op.dest.type}")
    return [args[0]]


def _concat(op: tensor.ConcatOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.concatenate(args, axis=op.dim.value.data)]


def _reshape(op: tensor.ReshapeOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [args[0].reshape(no_negative([int(size) for size in args[1]]))]


def _from_elements(op: tensor.FromElementsOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.array(args, numpy_type(op.result.type)).reshape(shape_of(op.result))]


def _extract(op: tensor.ExtractOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.asarray(args[0][place_in(args[0], args[1:])])]


def _insert(op: tensor.InsertOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    made = np.array(args[1])
    made[place_in(made, args[2:])] = args[0]
    return [made]


def place_in(array: Array, indices: Sequence[Array]) -> tuple[Array, ...]:
    """The index of an element, or of many at once; raises ValueError for one that the array lacks."""
    for dim, (index, size) in enumerate(zip(indices, array.shape, strict=True)):
        outside = (index < 0) | (index >= size)
        if np.any(outside):
            number = int(np.asarray(index)[outside].flat[0])
            raise ValueError(f"reaches the element {number} along dimension {dim} of {list(array.shape)}")
    return tuple(indices)


def dimension(array: Array, place: int) -> Array:
    """The size along a dimension; raises ValueError for one that the array lacks."""
    if not 0 <= place < array.ndim:
        raise ValueError(f"asks for dimension {place} of {array.ndim}")
    return np.array(array.shape[place], np.int64)


def no_negative(sizes: Sequence[int]) -> Sequence[int]:
    """The sizes; raises ValueError for one that is none: NumPy would take it for what is left."""
    if min(sizes, default=0) < 0:
        raise ValueError(f"has the sizes {list(sizes)}")
    return sizes


def affine_value(expression: AffineExpr, dims: Sequence[Array], symbols: Sequence[Array]) -> Array:
    """A function of dimensions and symbols."""
    match expression:
        case AffineDimExpr(place):
            return dims[place]
        case AffineSymExpr(place):
            return symbols[place]
        case AffineConstantExpr(number):
            return np.array(number, np.int64)
        case AffineBinaryOpExpr(kind, left, right):
            a, b = (affine_value(part, dims, symbols) for part in (left, right))
            return np.asarray(_AFFINE[kind](a, b), np.int64)
        case _:
            raise TypeError(f"{expression} is no affine expression")


_AFFINE: Mapping[AffineBinaryOpKind, Any] = {
    AffineBinaryOpKind.Add: np.add,
    AffineBinaryOpKind.Mul: np.multiply,
    AffineBinaryOpKind.Mod: np.mod,
    AffineBinaryOpKind.FloorDiv: np.floor_divide,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -np.floor_divide(-a, b),
}


def _results(op: Any, args: Sequence[Array]) -> list[Array]:
    given = op.map.data
    return [affine_value(each, args[: given.num_dims], args[given.num_dims :]) for each in given.results]


def _apply(op: affine.ApplyOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return _results(op, args)


def _min(op: affine.MinOp, args: Sequence[Array], world: HostWorld) -> list[Array]:
    return [np.minimum.reduce(_results(op, args))]


MEANINGS: Mapping[type[Operation], HostMeaning] = {
    tensor.ExtractSliceOp: _extract_slice,
    tensor.InsertSliceOp: _insert_slice,
    tensor.CollapseShapeOp: _collapse,
    tensor.ExpandShapeOp: _expand,
    tensor.EmptyOp: _empty,
    tensor.SplatOp: _splat,
    tensor.DimOp: _dim,
    tensor.CastOp: _cast,
    tensor.ConcatOp: _concat,
    tensor.ReshapeOp: _reshape,
    tensor.FromElementsOp: _from_elements,
    tensor.ExtractOp: _extract,
    tensor.InsertOp: _insert,
    affine.ApplyOp: _apply,
    affine.MinOp: _min,
}
OF_REGIONS: Mapping[type[Operation], RegionMeaning] = {tensor.PadOp: _pad}
