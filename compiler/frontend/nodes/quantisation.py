"""What import functions of quantised operators share: scales and zero points, and from sums of integers to integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Value, call, cast
from emu.isa.dtypes import DType

Given: TypeAlias = "Array | SSAValue"  # what is known at compile time, or not
BYTES = frozenset({DType.i8, DType.u8})


def given(node: Node, scope: Scope, index: int) -> Given | None:
    """Input `index` of `node`, as an array where it is constant; None if it is left out."""
    if not node.has_input(index):
        return None
    name = node.inputs[index]
    return scope.array(name) if name in scope.constants else scope.named(name)


def size_of(value: Given) -> int:
    """Number of elements."""
    return value.size if not isinstance(value, SSAValue) else math.prod(shape_of(value))


def type_of(value: Given) -> DType:
    """Element type."""
    return dtype_of(value) if isinstance(value, SSAValue) else DType.of(value.dtype)


def bytes_type(node: Node, value: Given, what: str) -> DType:
    """The type of quantised elements; refused unless it is int8 or uint8."""
    if type_of(value) not in BYTES:
        node.refuse(f"has {what} of {type_of(value).numpy}: int8 and uint8 are supported")
    return type_of(value)


def zero_point(node: Node, scope: Scope, index: int, dtype: DType) -> Given:
    """The zero point at input `index`, of the type of what it belongs to; 0 if it is left out."""
    value = given(node, scope, index)
    if value is None:
        return np.zeros((), dtype.numpy)
    if type_of(value) != dtype:
        node.refuse(f"has a zero point of {type_of(value).numpy} for elements of {dtype.numpy}: export the model again")
    return value


_WRONG_SCALES: Mapping[str, Callable[[Array], Array]] = {
    "no number": np.isnan,
    "infinite, of which only zeros and what is no number can come": np.isinf,
    "not positive": lambda value: value <= 0,
}


def scale(node: Node, scope: Scope, index: int, takes: frozenset[DType] = frozenset({DType.f32})) -> Given:
    """The scale at input `index`, of a type that the operator takes; a constant one is a positive number."""
    value = given(node, scope, index)
    if value is None or type_of(value) not in takes:
        names = " or ".join(sorted(str(dtype.numpy) for dtype in takes))
        node.refuse(f"has no scale of {names} as input {index}: export the model again")
    if not isinstance(value, SSAValue):
        wrong = next((what for what, holds in _WRONG_SCALES.items() if holds(value).any()), "")
        if wrong:
            node.refuse(f"has a scale ('{node.inputs[index]}') that is {wrong}: quantise the model again")
    return value


def number(node: Node, value: Given, what: str) -> Given:
    """`value`; refused unless it is one number, for the whole tensor."""
    if size_of(value) != 1:
        node.refuse(f"has {size_of(value)} numbers as {what}, where one for the whole tensor is supported")
    return value


def shaped(node: Node, scope: Scope, value: Given, shape: Sequence[int], part: str) -> Given:
    """`value` in another shape."""
    if not isinstance(value, SSAValue):
        return value.reshape(shape)
    return value if shape_of(value) == tuple(shape) else scope.emit(ReshapeOp, node, [value], shape, part=part)


def stored(node: Node, scope: Scope, value: Given, part: str) -> SSAValue:
    """`value` as an operand; `part` names a constant."""
    return value if isinstance(value, SSAValue) else scope.weights(f"{node.name}/{part}", value)


def output_scale(node: Node, scope: Scope, x: Given, w: Given, y: Given) -> Given:
    """x w / y in float32, in this order, as onnxruntime's MLAS is given it."""
    if isinstance(x, SSAValue) or isinstance(w, SSAValue) or isinstance(y, SSAValue):
        operands = [stored(node, scope, part, f"scale{place}") for place, part in enumerate((x, w, y))]
        return elementwise(node, scope, operands, lambda x, w, y: x * w / y, "scale")
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.divide(np.multiply(x, w, dtype=np.float32), y, dtype=np.float32))


def quantised(value: Value, zero: Value | int, dtype: DType) -> Value:
    """A float32 rounded half to even, plus the zero point, saturated."""
    if isinstance(zero, int) and not zero:
        return cast(value, dtype)
    return cast(call("round", value) + zero, dtype)


def requantise(
    node: Node, scope: Scope, sums: SSAValue, scales: Given, zero: Given, dtype: DType, part: str = ""
) -> SSAValue:
    """round_half_even(sums * scales) + zero, saturated to `dtype`, as MlasRequantizeOutput does.

    `scales` (float32) and a `zero` of one number broadcast to the sums (int32).
    """
    operands = [sums, stored(node, scope, scales, "scales")]
    if isinstance(zero, SSAValue):

        def write(total: Value, factor: Value, offset: Value) -> Value:
            return quantised(cast(total, DType.f32) * factor, cast(offset, DType.f32), dtype)

        return elementwise(node, scope, [*operands, zero], write, part)
    offset = int(zero.reshape(-1)[0])
    return elementwise(
        node, scope, operands, lambda x, factor: quantised(cast(x, DType.f32) * factor, offset, dtype), part
    )
