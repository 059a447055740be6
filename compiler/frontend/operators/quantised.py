"""Imports quantised products of the standard: sums of int32 on crossbars, then a scale and a zero point."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import (
    bytes_type,
    number,
    output_scale,
    requantise,
    scale,
    shaped,
    size_of,
    type_of,
    zero_point,
)
from compiler.frontend.nodes.scope import Scope
from compiler.frontend.operators.integer_products import convolve, multiply, multiply_results, per_row
from compiler.frontend.operators.windows import pixels_of
from emu.isa.dtypes import DType


def conv_integer(node: Node, scope: Scope) -> SSAValue:
    """ConvInteger: x, weights, zero points of both; sums of int32."""
    x = pixels_of(node, scope)
    weights, zero = constant_weights(node, scope, 1, 3)
    return convolve(node, scope, x, weights, (zero_point(node, scope, 2, bytes_type(node, x, "an input")), zero), None)


def matmul_integer(node: Node, scope: Scope) -> SSAValue:
    """MatMulInteger: a, b, zero points of both: of a one or one per row, of b one or one per column."""
    return sums_of_products(node, scope, (0, 2), (1, 3))


def qlinear_conv(node: Node, scope: Scope) -> SSAValue:
    """QLinearConv: each of x, constant weights and y with scale and zero point, of the weights also per filter."""
    x = pixels_of(node, scope)
    weights, zero = constant_weights(node, scope, 3, 5)
    bias = scope.constant(node, 8, "bias") if node.has_input(8) else None
    x_zero = zero_point(node, scope, 2, bytes_type(node, x, "an input"))
    sums = convolve(node, scope, x, weights, (x_zero, zero), bias, "sums")
    channel = (len(weights), *(1,) * (weights.ndim - 2))
    factor = scale(node, scope, 4)
    if size_of(factor) not in (1, len(weights)):
        node.refuse(f"has {size_of(factor)} scales of weights for {len(weights)} filters: give one, or one for each")
    factor = shaped(node, scope, factor, channel if size_of(factor) > 1 else (), "w_scale")
    return _finished(node, scope, sums, (scale(node, scope, 1), factor, scale(node, scope, 6)), 7)


def qlinear_matmul(node: Node, scope: Scope) -> SSAValue:
    """QLinearMatMul: each of a, b and y with scale and zero point, of a also per row, of b per column."""
    sums = sums_of_products(node, scope, (0, 2), (3, 5), "sums")
    left = per_row(node, scope, scale(node, scope, 1), scope.shape(node.inputs[0]))
    return _finished(node, scope, sums, (left, scale(node, scope, 4), scale(node, scope, 6)), 7)


def sums_of_products(
    node: Node, scope: Scope, left: tuple[int, int], right: tuple[int, int], part: str = ""
) -> SSAValue:
    """Sums (int32) of products of two inputs: `left` and `right` are the numbers of one and of its zero point."""
    x = scope.value(node, left[0])
    x_zero = zero_point(node, scope, left[1], bytes_type(node, x, "an input"))
    if node.inputs[right[0]] in scope.constants:
        weights, zero = constant_weights(node, scope, *right)
        return multiply(node, scope, x, weights, (x_zero, zero), None, part)
    w = scope.value(node, right[0])
    w_zero = zero_point(node, scope, right[1], bytes_type(node, w, "an input"))
    return multiply_results(node, scope, (x, w), (x_zero, w_zero), part)


def constant_weights(node: Node, scope: Scope, place: int, zero: int) -> tuple[Array, Array]:
    """Weights of int8 or uint8 and their zero point, both constant."""
    weights = scope.constant(node, place, "weights")
    dtype = bytes_type(node, weights, "weights")
    if not node.has_input(zero):
        return weights, np.zeros((), weights.dtype)
    point = scope.constant(node, zero, "zero point of the weights")
    if type_of(point) != dtype:
        node.refuse(f"has a zero point of {point.dtype} for weights of {weights.dtype}: export the model again")
    return weights, point


def _finished(node: Node, scope: Scope, sums: SSAValue, scales: tuple[Array | SSAValue, ...], zero: int) -> SSAValue:
    """The sums, scaled by x w / y, plus the zero point of the result, which is input `zero`, in its type."""
    x, w, y = scales
    number(node, y, "the scale of its result")
    dtype = result_type(node, scope, zero)
    offset = number(node, zero_point(node, scope, zero, dtype), "the zero point of its result")
    x, y = (
        shaped(node, scope, part, (), name) if size_of(part) == 1 else part
        for part, name in ((x, "x_scale"), (y, "y_scale"))
    )
    if isinstance(offset, SSAValue):
        offset = shaped(node, scope, offset, (), "y_zero_point")
    return requantise(node, scope, sums, output_scale(node, scope, x, w, y), offset, dtype)


def result_type(node: Node, scope: Scope, zero: int) -> DType:
    """The type of the result is that of its zero point."""
    if not node.has_input(zero):
        return dtype_of(scope.value(node))
    name = node.inputs[zero]
    value = scope.array(name) if name in scope.constants else scope.named(name)
    return bytes_type(node, value, "a zero point of its result")


OPERATORS = {
    "ConvInteger": conv_integer,
    "MatMulInteger": matmul_integer,
    "QLinearConv": qlinear_conv,
    "QLinearMatMul": qlinear_matmul,
}
