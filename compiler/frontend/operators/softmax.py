"""Imports Softmax, LogSoftmax and Hardmax, along one axis; before operator set 13 over rows of a matrix."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp, ReshapeOp, SoftmaxOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise, reduce, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import check_types
from compiler.nests.expression import Value, call, cast, index, select
from emu.isa.dtypes import FLOATS, DType

_ONE_AXIS = 13  # operator set since which they work along one axis


def softmax(node: Node, scope: Scope) -> SSAValue:
    """exp(x) / sum(exp(x)), by a kernel of its own; float16 is computed in float32."""
    x = scope.value(node)
    check_types(node, [x], FLOATS)
    dtype, shape, axes = dtype_of(x), shape_of(x), _axes(node, scope, x)
    wide = _cast(node, scope, x, DType.f32, "wide")
    if len(axes) == 1 and dtype == DType.f32:
        return scope.emit(SoftmaxOp, node, [x], shape, {"axis": axes[0]})
    if len(axes) == 1:
        result = scope.emit(SoftmaxOp, node, [wide], shape, {"axis": axes[0]}, part="result")
    else:
        matrix = (math.prod(shape[: axes[0]]), math.prod(shape[axes[0] :]))
        rows = scope.emit(ReshapeOp, node, [wide], matrix, part="flatten")
        made = scope.emit(SoftmaxOp, node, [rows], matrix, {"axis": 1}, part="matrix")
        if dtype == DType.f32:
            return scope.emit(ReshapeOp, node, [made], shape)
        result = scope.emit(ReshapeOp, node, [made], shape, part="result")
    return _cast(node, scope, result, dtype)


def _cast(node: Node, scope: Scope, x: SSAValue, dtype: DType, part: str = "") -> SSAValue:
    return x if dtype_of(x) == dtype else elementwise(node, scope, [x], lambda value: cast(value, dtype), part)


def log_softmax(node: Node, scope: Scope) -> SSAValue:
    """x - max - log(sum(exp(x - max)))."""
    x = scope.value(node)
    check_types(node, [x], FLOATS)
    if 0 in shape_of(x):
        return scope.emit(IdentityOp, node, [x], shape_of(x))
    axes = _axes(node, scope, x)

    def shifted(value: Value, most: Value) -> Value:
        return cast(value, DType.f32) - cast(most, DType.f32)

    most = reduce(node, scope, x, axes, "max", part="max")
    total = reduce(node, scope, [x, most], axes, "add", lambda y, z: call("exp", shifted(y, z)), part="sum")
    logarithm = elementwise(node, scope, [total], lambda y: call("log", y), "log")
    values = [x, most, logarithm]
    return written(node, scope, values, lambda y, z, s: cast(shifted(y, z) - s, y.dtype), shape_of(x))


def hardmax(node: Node, scope: Scope) -> SSAValue:
    """1 at the first of the largest elements, 0 elsewhere."""
    x = scope.value(node)
    check_types(node, [x], FLOATS)
    shape = shape_of(x)
    if 0 in shape:
        return scope.emit(IdentityOp, node, [x], shape)
    axes = _axes(node, scope, x)

    def place() -> Value:
        """The position among the elements that are compared."""
        total, unit = index(axes[-1], DType.i32), shape[axes[-1]]
        for axis in reversed(axes[:-1]):
            total, unit = index(axis, DType.i32) * unit + total, unit * shape[axis]
        return total

    count = math.prod(shape[axis] for axis in axes)
    most = reduce(node, scope, x, axes, "max", part="max")
    first = reduce(node, scope, [x, most], axes, "min", lambda y, z: select(y.same(z), place(), count), part="first")
    return written(node, scope, [x, first], lambda y, at: select(place().same(at), y.constant(1), 0), shape)


def _axes(node: Node, scope: Scope, x: SSAValue) -> tuple[int, ...]:
    """The axis along which it works; before operator set 13 all from `axis` on, as over rows of a matrix."""
    shape, single = shape_of(x), scope.opset >= _ONE_AXIS
    axis = node.axis(node.integer("axis", -1 if single else 1), len(shape))
    single = single or math.prod(shape[axis + 1 :]) == 1
    return (axis,) if single else tuple(range(axis, len(shape)))


OPERATORS = {"Hardmax": hardmax, "LogSoftmax": log_softmax, "Softmax": softmax}
