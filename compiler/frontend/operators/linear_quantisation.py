"""Imports QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: floats to integers and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import Given, given, quantised, scale, shaped, size_of, stored, type_of
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Value, call, cast, largest, select, smallest
from emu.isa.dtypes import FLOATS, DType

_CODES: Mapping[int, DType] = {  # of element types that results may have
    TensorProto.INT8: DType.i8,
    TensorProto.UINT8: DType.u8,
    TensorProto.INT16: DType.i16,
    TensorProto.UINT16: DType.u16,
}
_QUANTISED = frozenset(_CODES.values())
_FLOATS: Mapping[int, DType] = {TensorProto.FLOAT: DType.f32, TensorProto.FLOAT16: DType.f16}
_STEPS = 255.0  # of uint8


def quantize_linear(node: Node, scope: Scope) -> SSAValue:
    """round_half_even(x / scale) + zero point, saturated; scales of all, of an index along `axis`, or of a block.

    The division is one of float32, as onnxruntime does it, also of float16.
    """
    x = scope.value(node)
    if dtype_of(x) not in (*FLOATS, DType.i32):
        node.refuse(f"quantises {dtype_of(x).numpy}: float32, float16 and int32 are supported")
    code = node.integer("output_dtype", 0) or TensorProto.UINT8
    zero = given(node, scope, 2)
    dtype = _CODES.get(code) if zero is None else type_of(zero)
    if dtype is None or dtype not in _QUANTISED:
        node.refuse("makes elements of a type that is not supported: int8, uint8, int16 and uint16 are")

    def write(a: Value, s: Value, z: Value | None = None) -> Value:
        return quantised(cast(a, DType.f32) / cast(s, DType.f32), 0 if z is None else cast(z, DType.f32), dtype)

    return _scaled(node, scope, x, scale(node, scope, 1, FLOATS), zero, write)


def dequantize_linear(node: Node, scope: Scope) -> SSAValue:
    """(x - zero point) scale, of the type of the scale; scales of all, of an index along `axis`, or of a block."""
    x = scope.value(node)
    zero = given(node, scope, 2)
    if dtype_of(x) not in (*_QUANTISED, DType.i32) or (zero is not None and type_of(zero) != dtype_of(x)):
        node.refuse("dequantises int8, uint8, int16, uint16 and int32, with a zero point of the same type")
    factor, code = scale(node, scope, 1, FLOATS), node.integer("output_dtype", 0)
    dtype = _FLOATS.get(code) if code else type_of(factor)
    if dtype is None:
        node.refuse("makes elements of a type that is not supported: float32 and float16 are")

    def write(a: Value, s: Value, z: Value | None = None) -> Value:
        wide = cast(s, DType.f32)
        if z is None:
            return cast(cast(a, DType.f32) * wide, dtype)
        if a.dtype == DType.i32:
            return cast(cast(a - z, DType.f32) * wide, dtype)
        return cast((cast(a, DType.f32) - cast(z, DType.f32)) * wide, dtype)

    return _scaled(node, scope, x, factor, zero, write)


def _scaled(
    node: Node, scope: Scope, x: SSAValue, factor: Given, zero: Given | None, write: Callable[..., Value]
) -> SSAValue:
    """`write` of x, its scales and, unless they are 0, zero points: of all, of an index along `axis`, or of a block."""
    shape, block = shape_of(x), node.integer("block_size", 0)
    if zero is not None and not isinstance(zero, SSAValue) and not zero.any():
        zero = None
    if not block:
        return elementwise(node, scope, [x, *_along_axis(node, scope, x, factor, zero)], write)
    axis = node.axis(node.integer("axis", 1), len(shape))
    ahead, behind, count = shape[:axis], shape[axis + 1 :], -(-shape[axis] // max(1, block))
    parts = {"scale": factor} if zero is None else {"scale": factor, "zero_point": zero}
    if block < 1 or any(size_of(part) != prod((*ahead, count, *behind)) for part in parts.values()):
        node.refuse(
            f"has scales or zero points that are not one per block of {block} along axis {axis} of {list(shape)}"
        )
    if shape[axis] % block:
        spread = {name: _spread(node, part, axis, block, shape) for name, part in parts.items()}
        return elementwise(
            node, scope, [x, *(scope.weights(f"{node.name}/{name}", spread[name]) for name in spread)], write
        )
    numbers = (*ahead, count, 1, *behind)
    operands = [stored(node, scope, shaped(node, scope, part, numbers, name), name) for name, part in parts.items()]
    cut = scope.emit(ReshapeOp, node, [x], (*ahead, count, block, *behind), part="blocks")
    made = elementwise(node, scope, [cut, *operands], write, "scaled")
    return scope.emit(ReshapeOp, node, [made], shape)


def _spread(node: Node, value: Given, axis: int, block: int, shape: Sequence[int]) -> Array:
    """A number for each element, where the last block along `axis` is not full; refused unless they are constant."""
    if isinstance(value, SSAValue):
        node.refuse(
            f"has blocks of {block} along axis {axis} of {list(shape)}, the last of which is not full:"
            " its scales and zero points must be constant"
        )
    blocks = value.reshape(*shape[:axis], -1, *shape[axis + 1 :])
    return np.repeat(blocks, block, axis).take(range(shape[axis]), axis)


def _along_axis(node: Node, scope: Scope, x: SSAValue, factor: Given, zero: Given | None) -> list[SSAValue]:
    """Scale, and zero point unless it is 0, as operands that broadcast against `x`."""
    shape, parts = shape_of(x), list[SSAValue]()
    for name, value in (("scale", factor), ("zero_point", zero)):
        if value is None:
            continue
        sizes: tuple[int, ...] = ()
        if size_of(value) > 1:
            axis = node.axis(node.integer("axis", 1), len(shape))
            if size_of(value) != shape[axis]:
                node.refuse(f"has {size_of(value)} numbers as {name} along axis {axis} of {list(shape)}")
            sizes = (shape[axis], *(1,) * (len(shape) - axis - 1))
        parts.append(stored(node, scope, shaped(node, scope, value, sizes, name), name))
    return parts


def dynamic_quantize_linear(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """x as uint8, with the scale and the zero point that its smallest and its largest element ask for."""
    x = scope.value(node)
    if dtype_of(x) != DType.f32 or not prod(shape_of(x)):
        node.refuse("quantises a float32 tensor that has elements")
    return dynamically(node, scope, x)


def dynamically(node: Node, scope: Scope, x: SSAValue, part: str = "") -> tuple[SSAValue, SSAValue, SSAValue]:
    """`x` as uint8, its scale and its zero point, of one number each."""
    axes, ahead = range(len(shape_of(x))), f"{part}_" if part else ""
    low = reduce(node, scope, x, axes, "min", lambda v: smallest(v, 0), keep=False, part=f"{ahead}min")
    high = reduce(node, scope, x, axes, "max", lambda v: largest(v, 0), keep=False, part=f"{ahead}max")

    def step(a: Value, b: Value) -> Value:
        return select(a.same(b), 1.0, (b - a) / _STEPS)

    factor = elementwise(node, scope, [low, high], step, f"{ahead}scale")

    def zero_of(a: Value, s: Value) -> Value:
        return cast(call("round", largest(smallest(0.0 - a / s, _STEPS), 0)), DType.u8)

    zero = elementwise(node, scope, [low, factor], zero_of, f"{ahead}zero_point")

    def write(v: Value, s: Value, z: Value) -> Value:
        return quantised(v / s, cast(z, DType.f32), DType.u8)

    return elementwise(node, scope, [x, factor, zero], write, part), factor, zero


OPERATORS = {
    "QuantizeLinear": quantize_linear,
    "DequantizeLinear": dequantize_linear,
    "DynamicQuantizeLinear": dynamic_quantize_linear,
}
