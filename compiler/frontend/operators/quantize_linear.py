"""Imports QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear: per tensor, per index of an axis, per block."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from onnx import TensorProto
from xdsl.ir import SSAValue

from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, mapped, reduce
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.frontend.tensors import dtype_name, element_type
from compiler.nests.expression import Value, call, cast, largest, select, smallest
from compiler.nests.linear import Linear, Map, identity
from emu.isa.dtypes import FLOATS, DType

_QUANTISED = frozenset({DType.i8, DType.u8, DType.i16, DType.u16})
_DYNAMIC, _LEVELS = DType.u8, 255  # what DynamicQuantizeLinear makes, and the largest number of that
_AXIS = 1  # by default


@dataclass(frozen=True, slots=True)
class _Points:
    """A space of `sizes`, which element and which scale a point of it has, and the scales and zero points."""

    sizes: Shape
    elements: Map
    scale: Map
    given: tuple[SSAValue, ...]

    def emit(self, node: Node, scope: Scope, x: SSAValue, dtype: DType, division: DType) -> SSAValue:
        """Elements and their scales to `dtype`: quantised where that is an integer."""

        def write(value: Value, scale: Value, *zero: Value) -> Value:
            if not dtype.is_float:
                return quantised(cast(value, division), cast(scale, division), *zero, dtype=dtype)
            whole = cast(value, DType.i32) - cast(zero[0], DType.i32) if zero else value
            return cast(cast(whole, DType.f32) * cast(scale, DType.f32), dtype)

        maps, result = [self.elements, *(self.scale,) * len(self.given)], (shape_of(x), self.elements)
        return mapped(node, scope, [x, *self.given], maps, write, result, self.sizes)


def quantised(x: Value, scale: Value, zero: Value | None = None, *, dtype: DType) -> Value:
    """saturate(round(x / scale) + zero point), rounded half to even."""
    steps = cast(call("round", x / scale), DType.f32)
    return cast(steps + cast(zero, DType.f32) if zero is not None else steps, dtype)


def quantize_linear(node: Node, scope: Scope) -> SSAValue:
    """To the type of the zero point, or that of `output_dtype`; the division is of float32, or as `precision` says."""
    x = scope.value(node)
    check_types(node, [x], FLOATS | {DType.i32})
    points = _points(node, scope, x)
    dtype = dtype_of(points.given[1]) if points.given[1:] else _named(node, "output_dtype", TensorProto.UINT8)
    if dtype not in _QUANTISED:
        node.refuse(f"makes {dtype.numpy}, but can make int8, uint8, int16 and uint16: quantise to one of these")
    return points.emit(node, scope, x, dtype, _named(node, "precision", TensorProto.FLOAT))


def dequantize_linear(node: Node, scope: Scope) -> SSAValue:
    """(x - zero point) * scale, of the type of the scale or of `output_dtype`."""
    x = scope.value(node)
    check_types(node, [x], _QUANTISED | {DType.i32})
    points = _points(node, scope, x)
    check_types(node, [x, *points.given[1:]], _QUANTISED | {DType.i32})
    dtype = dtype_of(points.given[0])
    if node.integer("output_dtype", 0):
        dtype = _named(node, "output_dtype", 0)
    return points.emit(node, scope, x, dtype, DType.f32)


def dynamic_quantize_linear(node: Node, scope: Scope) -> tuple[SSAValue, SSAValue, SSAValue]:
    """x as uint8, by scale and zero point of its range, which is made to hold 0."""
    x = scope.value(node)
    check_types(node, [x], frozenset({DType.f32}))
    axes = range(len(shape_of(x)))
    if 0 in shape_of(x):
        node.refuse(f"quantises the range of no elements: its operand has shape {list(shape_of(x))}")

    def step(high: Value, low: Value) -> Value:
        return select(high.same(low), 1, (high - low) / _LEVELS)  # of zeros alone any scale will do

    def origin(low: Value, scale: Value) -> Value:
        return cast(largest(smallest(0 - low / scale, _LEVELS), 0), _DYNAMIC)

    def write(value: Value, scale: Value, zero: Value) -> Value:
        return quantised(value, scale, zero, dtype=_DYNAMIC)

    high = reduce(node, scope, x, axes, "max", lambda value: largest(value, 0), keep=False, part="max")
    low = reduce(node, scope, x, axes, "min", lambda value: smallest(value, 0), keep=False, part="min")
    scale = elementwise(_for_output(node, 1), scope, [high, low], step)
    zero = elementwise(_for_output(node, 2), scope, [low, scale], origin)
    return elementwise(node, scope, [x, scale, zero], write), scale, zero


def _for_output(node: Node, index: int) -> Node:
    """The node as the one that makes its output `index` alone."""
    name = node.outputs[index] if index < len(node.outputs) and node.outputs[index] else f"{node.name}/output{index}"
    return replace(node, name=f"{node.name}/output{index}", outputs=(name,))


def _named(node: Node, attribute: str, default: int) -> DType:
    """The type that an attribute names; 0 stands for the default."""
    code = node.integer(attribute, 0) or default
    dtype = element_type(code)
    if dtype is None:
        node.refuse(f"has {attribute} {dtype_name(code)}, a type that the machine does not have")
    return dtype


def _points(node: Node, scope: Scope, x: SSAValue) -> _Points:
    """How scales, and zero points of the same shape, belong to the elements of `x`."""
    shape, scales, block = shape_of(x), scope.shape(node.inputs[1]), node.integer("block_size", 0)
    indices = [index for index in (1, 2) if node.has_input(index)]
    if any(scope.shape(node.inputs[index]) != scales for index in indices):
        node.refuse(f"has a zero point of shape {list(scope.shape(node.inputs[2]))} for scales of {list(scales)}")
    given = tuple(scope.value(node, index) for index in indices)
    check_types(node, given[:1], FLOATS)
    if len(scales) < 2 and scales in ((), (1,)) and not block:
        return _Points(shape, identity(len(shape)), (Linear(),) * len(scales), given)
    axis = node.axis(node.integer("axis", _AXIS), len(shape))
    if not block and scales == (shape[axis],):
        return _Points(shape, identity(len(shape)), (Linear.dim(axis),), given)
    if block < 1 or scales != (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :]):
        node.refuse(f"has scales of shape {list(scales)} along axis {axis} of {list(shape)}, block_size {block}")
    if shape[axis] % block:
        arrays = [scope.constant(node, index, "scale or zero point of a last block") for index in indices]
        spread = [np.repeat(array, block, axis)[(*(slice(None),) * axis, slice(shape[axis]))] for array in arrays]
        names = [f"{node.inputs[index]}/spread" for index in indices]
        values = tuple(scope.weights(name, array) for name, array in zip(names, spread, strict=True))
        return _Points(shape, identity(len(shape)), identity(len(shape)), values)
    sizes = (*shape[:axis], shape[axis] // block, block, *shape[axis + 1 :])
    behind = [Linear.dim(dim) for dim in range(axis + 2, len(sizes))]
    ahead = [Linear.dim(dim) for dim in range(axis)]
    place = Linear.of(0, {axis: block, axis + 1: 1})
    return _Points(sizes, (*ahead, place, *behind), (*ahead, Linear.dim(axis), *behind), given)


OPERATORS = {
    "DequantizeLinear": dequantize_linear,
    "DynamicQuantizeLinear": dynamic_quantize_linear,
    "QuantizeLinear": quantize_linear,
}
