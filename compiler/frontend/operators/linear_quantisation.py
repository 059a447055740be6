"""Imports QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: floats to integers and back."""

from __future__ import annotations

from math import prod

from onnx import TensorProto
from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import Given, given, quantised, scale, shaped, size_of, stored, type_of
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.tensors import element_type
from compiler.nests.expression import Value, call, cast, largest, select, smallest
from emu.isa.dtypes import DType

_QUANTISED = frozenset({DType.i8, DType.u8, DType.i16, DType.u16})
_STEPS = 255.0  # of uint8


def quantize_linear(node: Node, scope: Scope) -> SSAValue:
    """round_half_even(x / scale) + zero point, saturated; one scale for all, or one for each index along `axis`."""
    x = scope.value(node)
    if dtype_of(x) not in (DType.f32, DType.i32):
        node.refuse(f"quantises {dtype_of(x).numpy}: float32 and int32 are supported")
    code = node.integer("output_dtype", 0) or TensorProto.UINT8
    zero = given(node, scope, 2)
    dtype = element_type(code) if zero is None else type_of(zero)
    if dtype is None or dtype not in _QUANTISED:
        node.refuse("makes elements of a type that is not supported: int8, uint8, int16 and uint16 are")
    operands = [x, *_along_axis(node, scope, x, scale(node, scope, 1), zero)]
    if len(operands) == 2:
        return elementwise(node, scope, operands, lambda a, s: quantised(cast(a, DType.f32) / s, 0, dtype))
    return elementwise(
        node, scope, operands, lambda a, s, z: quantised(cast(a, DType.f32) / s, cast(z, DType.f32), dtype)
    )


def dequantize_linear(node: Node, scope: Scope) -> SSAValue:
    """(x - zero point) scale, in float32; one scale for all, or one for each index along `axis`."""
    x = scope.value(node)
    zero = given(node, scope, 2)
    if dtype_of(x) not in (*_QUANTISED, DType.i32) or (zero is not None and type_of(zero) != dtype_of(x)):
        node.refuse("dequantises int8, uint8, int16, uint16 and int32, with a zero point of the same type")
    operands = [x, *_along_axis(node, scope, x, scale(node, scope, 1), zero)]
    if len(operands) == 2:
        return elementwise(node, scope, operands, lambda a, s: cast(a, DType.f32) * s)

    def write(a: Value, s: Value, z: Value) -> Value:
        if a.dtype == DType.i32:
            return cast(a - z, DType.f32) * s
        return (cast(a, DType.f32) - cast(z, DType.f32)) * s

    return elementwise(node, scope, operands, write)


def _along_axis(node: Node, scope: Scope, x: SSAValue, factor: Given, zero: Given | None) -> list[SSAValue]:
    """Scale, and zero point unless it is 0, as operands that broadcast against `x`."""
    shape, parts = shape_of(x), list[SSAValue]()
    if node.integer("block_size", 0):
        node.refuse("has scales of blocks (block_size), which are not supported: quantise per tensor or per channel")
    if zero is not None and not isinstance(zero, SSAValue) and not zero.any():
        zero = None
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
