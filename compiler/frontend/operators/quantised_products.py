"""Imports the products of integers that onnxruntime's quantiser writes (com.microsoft): QGemm, and such to floats."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import SSAValue

from compiler.basis.weights import Array
from compiler.dialects.onnx import TransposeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.quantisation import (
    Given,
    bytes_type,
    number,
    output_scale,
    requantise,
    scale,
    shaped,
    size_of,
    stored,
    zero_point,
)
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.integer_products import multiply
from compiler.frontend.operators.linear_quantisation import dynamically
from compiler.frontend.operators.quantised import constant_weights, result_type, sums_of_products
from compiler.nests.expression import Value, cast
from emu.isa.dtypes import DType


def qgemm(node: Node, scope: Scope) -> SSAValue:
    """QGemm: (a - zero) (b - zero) + c in int32, scaled by alpha a_scale b_scale / y_scale, or to floats without y."""
    x = scope.value(node)
    dtype = bytes_type(node, x, "an operand")
    zero = number(node, zero_point(node, scope, 2, dtype), "the zero point of a")
    if node.integer("transA", 0):
        x = scope.emit(TransposeOp, node, [x], shape_of(x)[::-1], {"perm": (1, 0)}, "transposed")
    weights, w_zero = constant_weights(node, scope, 3, 5)
    if weights.ndim != 2 or len(shape_of(x)) != 2:
        node.refuse(f"has operands of shape {list(shape_of(x))} and {list(weights.shape)}: both must be matrices")
    weights = weights.T if node.integer("transB", 0) else weights
    bias, addend = _bias(node, scope, (shape_of(x)[0], weights.shape[1]))
    sums = multiply(node, scope, x, weights, (zero, w_zero), bias, "product" if addend is not None else "sums")
    if addend is not None:
        sums = elementwise(node, scope, [sums, addend], lambda a, b: a + b, "sums")
    alpha = np.float32(node.real("alpha", 1.0))
    left = _one(node, scope, scale(node, scope, 1), "a_scale")
    left = _times(node, scope, left, alpha) if alpha != 1 else left
    if not node.has_input(7):
        return _real(node, scope, sums, left, scale(node, scope, 4), None)
    made, right = result_type(node, scope, 8), _one(node, scope, scale(node, scope, 7), "y_scale")
    offset = _one(node, scope, zero_point(node, scope, 8, made), "y_zero_point")
    return requantise(node, scope, sums, output_scale(node, scope, left, scale(node, scope, 4), right), offset, made)


def _one(node: Node, scope: Scope, value: Given, name: str) -> Given:
    return shaped(node, scope, number(node, value, name), (), name)


def _times(node: Node, scope: Scope, value: Given, factor: np.float32) -> Given:
    if isinstance(value, SSAValue):
        return elementwise(node, scope, [value], lambda v: float(factor) * v, "alpha")
    return np.asarray(factor * value)


def _bias(node: Node, scope: Scope, shape: tuple[int, int]) -> tuple[Array | None, SSAValue | None]:
    """C as a constant row, or as an operand that is added; both None without C."""
    if not node.has_input(6):
        return None, None
    name = node.inputs[6]
    if dtype_of(scope.named(name)) != DType.i32:
        node.refuse(f"has a bias of {dtype_of(scope.named(name)).numpy}, not of int32")
    if name not in scope.constants:
        return None, scope.named(name)
    array = scope.array(name)
    if array.size not in (1, shape[1]) or (array.ndim == 2 and array.shape[1] != shape[1] and array.size > 1):
        return None, scope.named(name)
    return np.broadcast_to(array.reshape(-1), shape[1:]), None


def matmul_to_float(node: Node, scope: Scope) -> SSAValue:
    """MatMulIntegerToFloat: sums of int32 times (a_scale b_scale), plus a bias, in float32."""
    sums = sums_of_products(node, scope, (0, 4), (1, 5), "sums")
    left = _one(node, scope, scale(node, scope, 2), "a_scale")
    return _real(node, scope, sums, left, scale(node, scope, 3), 6)


def dynamic_matmul(node: Node, scope: Scope) -> SSAValue:
    """DynamicQuantizeMatMul: a quantised to uint8 as DynamicQuantizeLinear does, then as MatMulIntegerToFloat."""
    x = scope.value(node)
    if dtype_of(x) != DType.f32 or not math.prod(shape_of(x)):
        node.refuse("quantises a float32 tensor that has elements")
    weights, w_zero = constant_weights(node, scope, 1, 3)
    small, factor, zero = dynamically(node, scope, x, "quantised")
    sums = multiply(node, scope, small, weights, (zero, w_zero), None, "sums")
    return _real(node, scope, sums, factor, scale(node, scope, 2), 4)


def _real(node: Node, scope: Scope, sums: SSAValue, left: Given, right: Given, bias: int | None) -> SSAValue:
    """sums (left right) + bias, in float32; `right` is one number, or one per column."""
    columns = shape_of(sums)[-1]
    if size_of(right) not in (1, columns):
        node.refuse(f"has {size_of(right)} scales of weights for {columns} columns: give one, or one for each")
    factors = output_scale(node, scope, left, right, np.ones((), np.float32))
    operands = [sums, stored(node, scope, factors, "scales")]
    if bias is not None and node.has_input(bias):
        operands.append(scope.value(node, bias))

    def write(total: Value, factor: Value, *more: Value) -> Value:
        scaled = cast(total, DType.f32) * factor
        return scaled + more[0] if more else scaled

    return elementwise(node, scope, operands, write)


OPERATORS = {
    "QGemm": qgemm,
    "MatMulIntegerToFloat": matmul_to_float,
    "DynamicQuantizeMatMul": dynamic_matmul,
}
