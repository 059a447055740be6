"""Imports activations, arithmetic with broadcasting, and operators that do nothing at inference."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.activations import ACTIVATIONS
from compiler.dialects.onnx import (
    FUNCTION_OPS,
    AddOp,
    ClipOp,
    DivOp,
    DropoutOp,
    IdentityOp,
    LeakyReluOp,
    MulOp,
    SubOp,
)
from compiler.dialects.onnx_op import OnnxOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import broadcast, elementwise, written
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import ROWS, aligned, check_types, pointwise
from compiler.nests.expression import Value, call, cast
from emu.isa.dtypes import FLOATS, NUMBERS, DType

_UNARY: dict[str, type[OnnxOp]] = {
    **{ACTIVATIONS[name].onnx: op for name, op in FUNCTION_OPS.items()},
    "Identity": IdentityOp,
}
_BINARY: dict[str, type[OnnxOp]] = {"Add": AddOp, "Sub": SubOp, "Mul": MulOp, "Div": DivOp}
_CLIP_INPUTS = 11  # operator set since which bounds are inputs
_LARGEST = float(np.finfo(np.float32).max)  # the bound that ONNX takes where none is given
_DROPOUT_MASK = 10  # operator set since which the mask is of booleans
_DROPOUT_INPUTS = 12  # operator set since which ratio and training_mode are inputs


def unary(node: Node, scope: Scope) -> SSAValue:
    """An operator without attributes; of float32 it is one that other layers can take in."""
    x = scope.value(node)
    kind = _UNARY[node.kind]
    if dtype_of(x) not in kind.ELEMENTS:
        return pointwise(node, scope)
    return scope.emit(kind, node, [x], shape_of(x))


def binary(node: Node, scope: Scope) -> SSAValue:
    """Add, Sub, Mul, Div: the operands broadcast against each other."""
    a, b = scope.value(node, 0), scope.value(node, 1)
    if "axis" in node.attributes:
        b = aligned(node, scope, b, shape_of(a))
    if {dtype_of(a), dtype_of(b)} != {DType.f32}:
        return pointwise(node, scope)
    return scope.emit(_BINARY[node.kind], node, [a, b], broadcast(node, [a, b]))


def total(node: Node, scope: Scope) -> SSAValue:
    """Sum of any number of operands: additions from left to right."""
    value, last = scope.value(node), len(node.inputs) - 1
    if dtype_of(value) != DType.f32:
        return pointwise(node, scope)
    if not last:
        return scope.emit(IdentityOp, node, [value], shape_of(value))
    for index in range(1, last + 1):
        other = scope.value(node, index)
        part = "" if index == last else f"sum{index}"
        value = scope.emit(AddOp, node, [value, other], broadcast(node, [value, other]), part=part)
    return value


def leaky_relu(node: Node, scope: Scope) -> SSAValue:
    """Slope `alpha` (0.01) below zero."""
    x = scope.value(node)
    if dtype_of(x) != DType.f32:
        return pointwise(node, scope)
    return scope.emit(LeakyReluOp, node, [x], shape_of(x), {"alpha": node.real("alpha", 0.01)})


def clip(node: Node, scope: Scope) -> SSAValue:
    """Bounds from attributes or inputs; infinite ones, which never bind, are left out."""
    x = scope.value(node)
    computed = any(node.has_input(index) and node.inputs[index] not in scope.constants for index in (1, 2))
    if computed or dtype_of(x) != DType.f32:
        return _computed_clip(node, scope, x)
    bounds: dict[str, float | None] = {}
    for index, name, sign in ((1, "min", -1.0), (2, "max", 1.0)):
        bound = _bound(node, scope, index, name, sign * _LARGEST)
        if math.isnan(bound) or bound == -sign * math.inf:
            node.refuse(f"has the {name} {bound}, which leaves no number: give a finite one, or none")
        bounds[name] = bound if math.isfinite(bound) else None
    return scope.emit(ClipOp, node, [x], shape_of(x), bounds)


def _computed_clip(node: Node, scope: Scope, x: SSAValue) -> SSAValue:
    """Bounds of any type, or such as are known at run time only."""
    if scope.opset < _CLIP_INPUTS:
        limits = [(fn, node.attributes.get(name)) for fn, name in (("max", "min"), ("min", "max"))]
        known = [(fn, limit) for fn, limit in limits if limit is not None]
        check_types(node, [x], FLOATS)
        return written(
            node, scope, [x], lambda y: reduce(lambda z, bound: call(bound[0], z, bound[1]), known, y), shape_of(x)
        )
    bounds = {fn: scope.value(node, index) for index, fn in ((1, "max"), (2, "min")) if node.has_input(index)}
    values = [x, *bounds.values()]
    if any(math.prod(shape_of(bound)) != 1 for bound in bounds.values()):
        node.refuse("has a bound that is not one number")
    check_types(node, values, NUMBERS)

    def write(element: Value, *limits: Value) -> Value:
        for fn, limit in zip(bounds, limits, strict=True):
            element = call(fn, element, limit)
        return element

    return written(node, scope, values, write, shape_of(x))


def _bound(node: Node, scope: Scope, index: int, name: str, default: float) -> float:
    """The bound `name`; by the ONNX specification, one that is left out is the largest finite number.

    So infinity is clipped to that.
    """
    if scope.opset < _CLIP_INPUTS:
        return node.real(name, default)
    if not node.has_input(index):
        return default
    array = scope.constant(node, index, name)
    if array.size != 1:
        node.refuse(f"has a {name} of shape {list(array.shape)}: it must be one number")
    return float(array.reshape(()))


def dropout(node: Node, scope: Scope) -> SSAValue | tuple[SSAValue, SSAValue]:
    """The identity at inference, and a mask of all elements where it is used; training is refused."""
    x = scope.value(node)
    if scope.opset >= _DROPOUT_INPUTS and node.has_input(2) and scope.constant(node, 2, "training_mode").any():
        node.refuse("is in training mode: export the model for inference (model.eval())")
    made = scope.emit(DropoutOp, node, [x], shape_of(x))
    if len(node.outputs) < 2 or node.outputs[1] not in scope.used:
        return made
    dtype = DType.bool if scope.opset >= _DROPOUT_MASK else dtype_of(x)
    mask = elementwise(
        node, scope, [x], lambda element: cast(element.same(element) | element.differs(element), dtype), "mask"
    )
    return made, mask


OPERATORS = {
    **dict.fromkeys(ROWS, pointwise),
    **dict.fromkeys(_UNARY, unary),
    **dict.fromkeys(_BINARY, binary),
    "Sum": total,
    "LeakyRelu": leaky_relu,
    "Clip": clip,
    "Dropout": dropout,
}
