"""Imports LayerNormalization and RMSNormalization: by mean and deviation, or by the size, of the last dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from onnx import TensorProto
from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp
from compiler.frontend.nodes.element_types import dtype_name
from compiler.frontend.nodes.nests import broadcast, elementwise, reduce, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, call, cast
from emu.isa.dtypes import FLOATS, DType

_STASHES: Mapping[int, DType] = {TensorProto.FLOAT: DType.f32, TensorProto.FLOAT16: DType.f16}
_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class _Statistics:
    """What a node computes over the `axes` of its input, of `count` elements, in float32; outputs have type `stash`."""

    node: Node
    scope: Scope
    x: SSAValue
    axes: tuple[int, ...]
    count: int
    stash: DType

    def total(self, operands: Sequence[SSAValue], write: Callable[..., Value], part: str) -> SSAValue:
        """The sum over the axes of a function of the input and further operands."""
        return reduce(self.node, self.scope, [self.x, *operands], self.axes, "add", write, part=part)

    def of(self, total: SSAValue, write: Callable[[Value], Value], part: str, output: int) -> tuple[SSAValue, SSAValue]:
        """A function of a sum; and the same as output number `output` of the node, if it has that one."""
        name = self.node.outputs[output] if output < len(self.node.outputs) else ""
        view = replace(self.node, name=f"{self.node.name}/{part}", outputs=(name,))
        if name and self.stash == DType.f32:
            value = elementwise(view, self.scope, [total], write)
            return value, value
        value = elementwise(self.node, self.scope, [total], write, part)
        return value, elementwise(view, self.scope, [value], lambda y: cast(y, self.stash)) if name else value


def layer_normalization(node: Node, scope: Scope) -> tuple[SSAValue, ...]:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias; the mean; 1 / sqrt(variance + epsilon)."""
    over, epsilon = _statistics(node, scope), node.real("epsilon", _EPSILON)
    x, affine = over.x, _affine(node, scope, over.x, (1, 2))
    if 0 in shape_of(x):
        return (_without_elements(node, scope, x),)

    def square(value: Value, mean: Value) -> Value:
        deviation = cast(value, DType.f32) - mean
        return deviation * deviation

    def normalised(value: Value, mean: Value, factor: Value, scale: Value, *bias: Value) -> Value:
        result = (cast(value, DType.f32) - mean) * factor * cast(scale, DType.f32)
        return cast(result + cast(bias[0], DType.f32) if bias else result, value.dtype)

    total = over.total([], lambda value: cast(value, DType.f32), "sum")
    mean, first = over.of(total, lambda value: value / over.count, "mean", 1)
    squares = over.total([mean], square, "squares")
    factor, second = over.of(squares, lambda value: 1 / call("sqrt", value / over.count + epsilon), "factor", 2)
    y = written(node, scope, [x, mean, factor, *affine], normalised, shape_of(x))
    return (y, first, second)[: len(node.outputs)]


def rms_normalization(node: Node, scope: Scope) -> SSAValue:
    """x / sqrt(mean of squares + epsilon) * scale (Zhang and Sennrich 2019, equation 4)."""
    over, epsilon = _statistics(node, scope), node.real("epsilon", _EPSILON)
    x, affine = over.x, _affine(node, scope, over.x, (1,))
    if 0 in shape_of(x):
        return _without_elements(node, scope, x)

    def square(value: Value) -> Value:
        wide = cast(value, DType.f32)
        return wide * wide

    def normalised(value: Value, factor: Value, scale: Value) -> Value:
        return cast(cast(value, DType.f32) * factor * cast(scale, DType.f32), value.dtype)

    squares = over.total([], square, "squares")
    factor, _ = over.of(squares, lambda value: 1 / call("sqrt", value / over.count + epsilon), "factor", 1)
    return written(node, scope, [x, factor, *affine], normalised, shape_of(x))


def stash_type(node: Node) -> DType:
    """The type of statistics that are outputs; all is computed in float32."""
    code = node.integer("stash_type", TensorProto.FLOAT)
    if code not in _STASHES:
        node.refuse(
            f"computes its statistics in {dtype_name(code)}, a type that the machine does not have: use float32"
        )
    return _STASHES[code]


def _statistics(node: Node, scope: Scope) -> _Statistics:
    x = scope.value(node)
    check_types(node, [x], FLOATS)
    shape = shape_of(x)
    axes = tuple(range(node.axis(node.integer("axis", -1), len(shape)), len(shape)))
    return _Statistics(node, scope, x, axes, math.prod(shape[axis] for axis in axes), stash_type(node))


def _affine(node: Node, scope: Scope, x: SSAValue, inputs: Sequence[int]) -> list[SSAValue]:
    """Those of the inputs that there are, which broadcast to the first one."""
    values = [scope.value(node, index) for index in inputs if node.has_input(index)]
    check_types(node, values, FLOATS)
    if broadcast(node, [x, *values]) != shape_of(x):
        shapes = " and ".join(str(list(shape_of(value))) for value in values)
        node.refuse(f"has scale and bias of shape {shapes}, which do not broadcast to {list(shape_of(x))}")
    return values


def _without_elements(node: Node, scope: Scope, x: SSAValue) -> SSAValue:
    if any(node.outputs[1:]):
        node.refuse(f"takes the mean of no elements: its operand has shape {list(shape_of(x))}")
    return scope.emit(IdentityOp, node, [x], shape_of(x))


OPERATORS = {"LayerNormalization": layer_normalization, "RMSNormalization": rms_normalization}
