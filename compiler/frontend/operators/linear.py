"""Imports Gemm and MatMul."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.ir import SSAValue

from compiler.dialects.onnx import GemmOp, MatMulOp, ReshapeOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.contraction import contract
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.frontend.operators.pointwise import check_types
from emu.isa.dtypes import NUMBERS, DType


def gemm(node: Node, scope: Scope) -> SSAValue:
    """alpha x w + beta b, of x [M,K] and w [K,N], transposed or not; `normalize-gemm` folds the attributes."""
    operands = [scope.value(node, index) for index in range(3) if node.has_input(index)]
    flags = {name: node.integer(name, 0) for name in ("transA", "transB")}
    x, w = (shape_of(operand) for operand in operands[:2])
    if len(x) != 2 or len(w) != 2:
        node.refuse(f"has operands of shape {list(x)} and {list(w)}: both must be matrices")
    x, w = (x[::-1] if flags["transA"] else x), (w[::-1] if flags["transB"] else w)
    if x[1] != w[0]:
        node.refuse(f"multiplies {list(x)} by {list(w)}: {x[1]} is not {w[0]}")
    result = (x[0], w[1])
    if len(operands) > 2 and not _broadcasts(shape_of(operands[2]), result):
        node.refuse(f"has a bias of shape {list(shape_of(operands[2]))}, which does not broadcast to {list(result)}")
    scales = {"alpha": node.real("alpha", 1.0), "beta": node.real("beta", 1.0)}
    if dtype_of(operands[0]) != DType.f32 or not any(name in scope.constants for name in node.inputs[:2]):
        return _digital_gemm(node, scope, operands, scales, flags)
    return scope.emit(GemmOp, node, operands, result, {**scales, **flags})


def _digital_gemm(
    node: Node, scope: Scope, operands: list[SSAValue], scales: Mapping[str, float], flags: Mapping[str, int]
) -> SSAValue:
    """The product of two results, or of numbers that no crossbar multiplies."""
    check_types(node, operands, NUMBERS)
    left = ["inner", "row"] if flags["transA"] else ["row", "inner"]
    right = ["column", "inner"] if flags["transB"] else ["inner", "column"]
    plain = scales["alpha"] == 1 and len(operands) == 2
    product = contract(node, scope, operands[:2], [left, right], ["row", "column"], "" if plain else "product")
    if plain:
        return product
    return elementwise(
        node,
        scope,
        [product, *operands[2:]],
        lambda value, *bias: value * scales["alpha"] + bias[0] * scales["beta"] if bias else value * scales["alpha"],
    )


def _broadcasts(shape: tuple[int, ...], result: tuple[int, ...]) -> bool:
    padded = (*(1,) * (len(result) - len(shape)), *shape)
    return len(padded) == len(result) and all(a in (1, b) for a, b in zip(padded, result, strict=True))


def matmul(node: Node, scope: Scope) -> SSAValue:
    """x [...,M,K] times w [...,K,N] as in NumPy's matmul: a vector is a matrix of one row, or of one column."""
    given, other = (scope.shape(name) for name in node.inputs[:2])
    left, right = ((1, *given) if len(given) == 1 else given), ((*other, 1) if len(other) == 1 else other)
    if not given or not other or left[-1] != right[-2]:
        node.refuse(f"multiplies {list(left)} by {list(right)}: these are not matrices that fit")
    try:
        stack = np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        node.refuse(f"multiplies {list(left)} by {list(right)}: their leading dimensions do not broadcast")
    x, w = _matrix(node, scope, 0, left, "row"), _matrix(node, scope, 1, right, "column")
    result = (*stack, left[-2], right[-1])
    if dtype_of(x) != DType.f32 or not any(name in scope.constants for name in node.inputs):
        check_types(node, [x, w], NUMBERS)
        return digital_matmul(node, scope, x, w, len(given) == 1, len(other) == 1)
    if left == given and right == other:
        return scope.emit(MatMulOp, node, [x, w], result)
    product = scope.emit(MatMulOp, node, [x, w], result, part="matrix")
    kept = (*stack, *(left[-2:-1] if left == given else ()), *(right[-1:] if right == other else ()))
    return scope.emit(ReshapeOp, node, [product], kept)


def digital_matmul(
    node: Node, scope: Scope, x: SSAValue, w: SSAValue, row: bool = False, column: bool = False, part: str = ""
) -> SSAValue:
    """The product of two stacks of matrices that no crossbar multiplies, such as two results.

    `row`, `column`: the dimension that makes a matrix of a vector on the left, or on the right, is dropped.
    """
    ranks = [len(shape_of(value)) - 2 for value in (x, w)]
    stack = [f"stack{place}" for place in range(max(ranks))]
    left, right = (stack[len(stack) - rank :] for rank in ranks)
    result = [*stack, *([] if row else ["row"]), *([] if column else ["column"])]
    return contract(node, scope, [x, w], [[*left, "row", "inner"], [*right, "inner", "column"]], result, part)


def _matrix(node: Node, scope: Scope, index: int, shape: tuple[int, ...], part: str) -> SSAValue:
    """Operand `index` as a matrix, or stack of matrices, of `shape`: a constant is one, another value is reshaped."""
    name = node.inputs[index]
    if scope.shape(name) == shape:
        return scope.value(node, index)
    if name in scope.constants:
        array = scope.array(name).reshape(shape)
        return scope.weights(f"{name}/{part}", array, array)
    return scope.emit(ReshapeOp, node, [scope.value(node, index)], shape, part=part)


OPERATORS = {"Gemm": gemm, "MatMul": matmul}
