"""Products of integers: zero points become part of constant weights, biases and padding; or are subtracted."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.integer import ConvOp, MatMulOp
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import Given, shaped, size_of, stored
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.convolution import check_weights
from compiler.frontend.operators.linear import digital_matmul
from compiler.frontend.operators.windows import window
from compiler.nests.expression import cast
from emu.isa.dtypes import DType

_KINDS = (DType.i8, DType.u8, DType.i16)


def convolve(
    node: Node,
    scope: Scope,
    x: SSAValue,
    weights: Array,
    zeros: tuple[Given, Array],
    bias: Array | None,
    part: str = "",
) -> SSAValue:
    """Sums (int32) of (x - zero) (weights - zero) + bias; `zeros`: of x, and of all or each filter.

    What is outside of the image is the zero point of x.
    """
    shape, group = shape_of(x), node.integer("group", 1)
    check_weights(node, weights, shape, group)
    if size_of(zeros[1]) not in (1, len(weights)) or size_of(zeros[0]) != 1:
        node.refuse("has zero points that are neither one number nor, of the weights, one per filter")
    if bias is not None and (bias.dtype != np.int32 or bias.shape != weights.shape[:1]):
        node.refuse(f"has a bias {list(bias.shape)} of {bias.dtype}, not [{len(weights)}] of int32")
    view = window(node, shape[2:], weights.shape[2:])
    plain, fill = _without_zero(weights, zeros[1].reshape(-1, *(1,) * (weights.ndim - 1))), 0
    if isinstance(zeros[0], SSAValue):
        x = _shifted(node, scope, x, zeros[0])
    elif fill := int(zeros[0].reshape(-1)[0]):
        sums = plain.sum(axis=tuple(range(1, plain.ndim)), dtype=np.int64)
        bias = _wrapped((0 if bias is None else bias.astype(np.int64)) - fill * sums)
    operands = [x, scope.weights(f"{node.name}/weights", plain, weights)]
    if bias is not None:
        operands.append(scope.weights(f"{node.name}/bias", bias))
    result = (shape[0], len(weights), *view.output)
    return scope.emit(
        ConvOp, node, operands, result, {"group": group, "fill": fill, **view.properties}, part, DType.i32
    )


def multiply(
    node: Node,
    scope: Scope,
    x: SSAValue,
    weights: Array,
    zeros: tuple[Given, Array],
    bias: Array | None,
    part: str = "",
) -> SSAValue:
    """Sums (int32) of (x [..., M, K] - zero) (weights [..., K, N] - zero) + bias [N].

    `zeros` are those of x, one number or one per row, and of the weights, one number or one per column.
    """
    left, right = shape_of(x), weights.shape
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        node.refuse(f"multiplies {list(left)} by {list(right)}: these are not matrices that fit")
    try:
        result = (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])
        plain = _without_zero(weights, zeros[1])
    except ValueError:
        node.refuse(f"multiplies {list(left)} by {list(right)} with zero points that do not fit")
    if plain.shape != right:
        node.refuse(f"has zero points {list(zeros[1].shape)} for weights {list(right)}")
    if plain.ndim > 2 and len(plain.reshape(-1, *right[-2:])) == 1:
        plain = plain.reshape(right[-2:])
        x = _stacked(node, scope, x, result)
    sums, zero = plain.sum(axis=-2, keepdims=True, dtype=np.int64), zeros[0]
    later = isinstance(zero, SSAValue) or zero.size > 1 or plain.ndim > 2
    if not isinstance(zero, SSAValue) and not zero.any():
        later = False
    elif not isinstance(zero, SSAValue) and not later:
        bias = _wrapped((0 if bias is None else bias.astype(np.int64)) - int(zero.reshape(-1)[0]) * sums.reshape(-1))
    separate = bias is not None and plain.ndim > 2
    operands = [x, scope.weights(f"{node.name}/weights", plain, weights)]
    if bias is not None and not separate:
        operands.append(scope.weights(f"{node.name}/bias", bias))
    more = "product" if later or separate else part
    made = scope.emit(MatMulOp, node, operands, result, {}, more, DType.i32)
    if separate:
        assert bias is not None
        made = elementwise(
            node,
            scope,
            [made, scope.weights(f"{node.name}/bias", bias)],
            lambda a, b: a + b,
            "biased" if later else part,
        )
    if not later:
        return made
    rows = per_row(node, scope, zero, left)
    operands = [made, stored(node, scope, rows, "zero_point"), scope.weights(f"{node.name}/sums", _wrapped(sums))]
    return elementwise(node, scope, operands, lambda a, z, s: a - cast(z, DType.i32) * s, part)


def multiply_results(
    node: Node, scope: Scope, operands: tuple[SSAValue, SSAValue], zeros: tuple[Given, Given], part: str = ""
) -> SSAValue:
    """Sums (int32) of (x [..., M, K] - zero) (y [..., K, N] - zero), of two results: on the digital unit.

    `zeros` are those of x, one number or one per row, and of y, one number or one per column.
    """
    left, right = (shape_of(value) for value in operands)
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        node.refuse(f"multiplies {list(left)} by {list(right)}: these are not matrices that fit")
    rows = per_row(node, scope, zeros[0], left)
    shape = shape_of(zeros[1]) if isinstance(zeros[1], SSAValue) else zeros[1].shape
    if size_of(zeros[1]) != 1 and (shape[-1] != right[-1] or size_of(zeros[1]) not in (right[-1], _columns(right))):
        node.refuse(f"has zero points {list(shape)} for columns of {list(right)}: give one, or one per column")
    columns = shaped(node, scope, zeros[1], (), "y_zero_point") if size_of(zeros[1]) == 1 else zeros[1]
    x, y = (
        _centred(node, scope, value, zero, f"operand{place}")
        for place, (value, zero) in enumerate(zip(operands, (rows, columns), strict=True))
    )
    return digital_matmul(node, scope, x, y, part=part)


def _columns(shape: tuple[int, ...]) -> int:
    """How many columns all matrices of a stack have."""
    return prod(shape) // max(1, shape[-2])


def _centred(node: Node, scope: Scope, value: SSAValue, zero: Given, part: str) -> SSAValue:
    """value - zero, exactly, as int32."""
    if not isinstance(zero, SSAValue) and not zero.any():
        return elementwise(node, scope, [value], lambda a: cast(a, DType.i32), part)
    zeros = stored(node, scope, zero, f"{part}/zero_point")
    return elementwise(node, scope, [value, zeros], lambda a, z: cast(a, DType.i32) - cast(z, DType.i32), part)


def per_row(node: Node, scope: Scope, value: Given, left: tuple[int, ...]) -> Given:
    """One number, or one per row of the left operand, so that it broadcasts against the product."""
    shape = shape_of(value) if isinstance(value, SSAValue) else value.shape
    if size_of(value) == 1:
        return shaped(node, scope, value, (), "one")
    if len(shape) == 1 and shape[0] == left[-2]:
        return shaped(node, scope, value, (shape[0], 1), "rows")
    if len(shape) != len(left) or tuple(shape[-2:]) != (left[-2], 1):
        node.refuse(f"has zero points or scales {list(shape)} for rows of {list(left)}: give one, or one per row")
    return value


def _stacked(node: Node, scope: Scope, x: SSAValue, result: tuple[int, ...]) -> SSAValue:
    """`x` with as many dimensions as the result: those of the weights are of size 1."""
    missing = len(result) - len(shape_of(x))
    if not missing:
        return x
    lifted = shaped(node, scope, x, (*(1,) * missing, *shape_of(x)), "stacked")
    assert isinstance(lifted, SSAValue)
    return lifted


def _shifted(node: Node, scope: Scope, x: SSAValue, zero: SSAValue) -> SSAValue:
    """x - zero, exactly, as int16: of a zero point that is only known at run time."""
    single = shaped(node, scope, zero, (), "zero_point")
    assert isinstance(single, SSAValue)
    return elementwise(node, scope, [x, single], lambda a, b: cast(a, DType.i16) - cast(b, DType.i16), "shifted")


def _without_zero(weights: Array, zero: Array) -> Array:
    """weights - zero, in the narrowest type that holds it: the weights themselves if it is 0."""
    if not zero.any():
        return weights
    plain = weights.astype(np.int32) - zero.astype(np.int32)
    low, high = (int(plain.min()), int(plain.max())) if plain.size else (0, 0)
    for kind in _KINDS:
        limits = np.iinfo(kind.numpy)
        if limits.min <= low and high <= limits.max:
            return plain.astype(kind.numpy)
    raise AssertionError("bytes differ by less than an int16 holds")


def _wrapped(values: Array) -> Array:
    """As int32, as sums of int32 wrap."""
    return np.asarray(values, np.int64).astype(np.int32)
