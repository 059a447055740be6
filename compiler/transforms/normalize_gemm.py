"""Pass `normalize-gemm`: matrix products become x w + b with constant w on the right, b[N] and no attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.onnx import AddOp, GemmOp, MatMulOp, MulOp, ReshapeOp, TransposeOp
from compiler.session.context import CompilerContext
from compiler.transforms.rewriting import PatternPass, insert_constant, refuse, shape_of, weights_of


def constant_right_side(op: GemmOp | MatMulOp, weights: WeightStore) -> Array:
    """The weights of a product, on the right; raises CompileError if they are not constant."""
    array = weights_of(op.w, weights)
    if array is None:
        refuse(op, "multiplies two values computed at run time: one must be constant to stand in crossbars")
    return array


@dataclass
class NormalizeGemmPattern(RewritePattern):
    """Folds alpha and transB into w, beta into b; a bias that is no constant row becomes an addition."""

    weights: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GemmOp, rewriter: PatternRewriter) -> None:
        """Replace a Gemm that has attributes, or its constant on the left."""
        if weights_of(op.w, self.weights) is None and weights_of(op.x, self.weights) is not None:
            self._swap(op, rewriter)
            return
        if op.alpha is None and op.beta is None and op.transA is None and op.transB is None:
            return
        x, w = _untransposed(op, rewriter), self._scaled_weights(op, rewriter)
        bias = _row(op, self.weights)
        result, node, tensor = op.result.type, op.node.data, op.tensor.data
        if bias is not None:
            plain = op.b is not None and shape_of(op.b) == bias.shape and _number(op.beta, 1.0) == 1.0
            b = op.b if plain else insert_constant(rewriter, f"{node}.bias", bias, self.weights)
            rewriter.replace(op, GemmOp.make([x, w, b] if b else [x, w], result, node=node, tensor=tensor))
            return
        if op.b is None or _number(op.beta, 1.0) == 0.0:
            rewriter.replace(op, GemmOp.make([x, w], result, node=node, tensor=tensor))
            return
        product = GemmOp.make([x, w], result, node=node, tensor=f"{tensor}/product")
        rewriter.insert(product)
        addend = _scaled(op, op.b, rewriter, self.weights)
        rewriter.replace(op, AddOp.make([product.result, addend], result, node=f"{node}/bias", tensor=tensor))

    def _swap(self, op: GemmOp, rewriter: PatternRewriter) -> None:
        """Replace a Gemm with a constant left operand by a MatMul and an addition."""
        array, alpha = weights_of(op.x, self.weights), _number(op.alpha, 1.0)
        assert array is not None
        node, tensor, result = op.node.data, op.tensor.data, op.result.type
        turned = array.T if _flag(op.transA) else array
        x = insert_constant(rewriter, f"{node}.weight", turned * np.float32(alpha), self.weights, op.x, turned)
        w = _transposed(op, op.w, rewriter) if _flag(op.transB) else op.w
        if op.b is None or _number(op.beta, 1.0) == 0.0:
            rewriter.replace(op, MatMulOp.make([x, w], result, node=node, tensor=tensor))
            return
        product = MatMulOp.make([x, w], result, node=node, tensor=f"{tensor}/product")
        rewriter.insert(product)
        addend = _scaled(op, op.b, rewriter, self.weights)
        rewriter.replace(op, AddOp.make([product.result, addend], result, node=f"{node}/bias", tensor=tensor))

    def _scaled_weights(self, op: GemmOp, rewriter: PatternRewriter) -> SSAValue:
        """alpha times w [K, N], stored anew only if it differs from the operand; a transposed array is a view."""
        array, alpha = constant_right_side(op, self.weights), _number(op.alpha, 1.0)
        if alpha == 1.0 and not _flag(op.transB):
            return op.w
        array = array.T if _flag(op.transB) else array
        scaled = array if alpha == 1.0 else array * np.float32(alpha)
        return insert_constant(rewriter, f"{op.node.data}.weight", scaled, self.weights, op.w, array)


@dataclass
class NormalizeMatMulPattern(RewritePattern):
    """Brings the constant to the right, as crossbars hold it, and drops ones of its shape that are needless."""

    weights: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatMulOp, rewriter: PatternRewriter) -> None:
        """Replace weights [1,K,N] by [K,N], and w x by the transpose of x' w'."""
        left = weights_of(op.x, self.weights)
        if left is not None and weights_of(op.w, self.weights) is None:
            self._swap(op, left, rewriter)
            return
        array = constant_right_side(op, self.weights)
        if array.ndim == 2 or prod(array.shape[:-2]) != 1 or array.ndim > len(shape_of(op.x)):
            return
        matrix = array.reshape(array.shape[-2:])
        w = insert_constant(rewriter, f"{op.node.data}.weight", matrix, self.weights, op.w, matrix)
        rewriter.replace(op, MatMulOp.make([op.x, w], op.result.type, node=op.node, tensor=op.tensor))

    def _swap(self, op: MatMulOp, left: Array, rewriter: PatternRewriter) -> None:
        """Replace a product with constant matrices on the left."""
        node, tensor, (*stack, rows, cols) = op.node.data, op.tensor.data, op.shape
        x = _transposed(op, op.w, rewriter)
        turned = left.swapaxes(-1, -2)
        w = insert_constant(rewriter, f"{node}.weight", turned, self.weights, op.x, turned)
        kind = TensorType(op.result.type.element_type, (*stack, cols, rows))
        product = MatMulOp.make([x, w], kind, node=node, tensor=f"{tensor}/product")
        perm = (*range(len(stack)), len(stack) + 1, len(stack))
        back = TransposeOp.make([product.result], op.result.type, node=f"{node}/back", tensor=tensor, perm=perm)
        rewriter.replace(op, [product, back])


def _transposed(op: GemmOp | MatMulOp, value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """`value` with its last two dimensions exchanged, by a Transpose."""
    node, tensor, (*stack, rows, cols) = op.node.data, op.tensor.data, shape_of(value)
    perm, kind = (*range(len(stack)), len(stack) + 1, len(stack)), TensorType(f32, (*stack, cols, rows))
    turn = TransposeOp.make([value], kind, node=f"{node}/transpose", tensor=f"{tensor}/transpose", perm=perm)
    rewriter.insert(turn)
    return turn.result


def _untransposed(op: GemmOp, rewriter: PatternRewriter) -> SSAValue:
    """x, transposed if transA says so: of a vector that is a reshape."""
    rows, cols = shape_of(op.x)
    if not _flag(op.transA) or rows == cols == 1:
        return op.x
    if rows != 1 and cols != 1:
        return _transposed(op, op.x, rewriter)
    node, tensor = op.node.data, op.tensor.data
    kind = TensorType(op.result.type.element_type, (cols, rows))
    reshape = ReshapeOp.make([op.x], kind, node=f"{node}/transpose", tensor=f"{tensor}/transpose")
    rewriter.insert(reshape)
    return reshape.result


def _row(op: GemmOp, weights: WeightStore) -> Array | None:
    """beta b as a row [N] if it is constant and the same for all rows of the result, else None."""
    array, beta = weights_of(op.b, weights), _number(op.beta, 1.0)
    rows, cols = op.shape
    if array is None or beta == 0.0 or (rows != 1 and array.ndim == 2 and array.shape[0] != 1):
        return None
    row = np.broadcast_to(array, (max(rows, 1), cols))[0]
    return row if beta == 1.0 else row * np.float32(beta)


def _scaled(op: GemmOp, value: SSAValue, rewriter: PatternRewriter, weights: WeightStore) -> SSAValue:
    """beta times `value`, by a Mul where beta is not 1 and `value` is not constant."""
    beta, array = _number(op.beta, 1.0), weights_of(value, weights)
    if beta == 1.0:
        return value
    node, tensor = op.node.data, op.tensor.data
    if array is not None:
        return insert_constant(rewriter, f"{node}.bias", np.asarray(array * np.float32(beta)), weights)
    factor = insert_constant(rewriter, f"{node}.beta", np.array(beta, np.float32), weights)
    product = MulOp.make(
        [value, factor], TensorType(f32, shape_of(value)), node=f"{node}/beta", tensor=f"{tensor}/beta"
    )
    rewriter.insert(product)
    return product.result


def _number(attribute: FloatAttr | None, default: float) -> float:
    return default if attribute is None else attribute.value.data


def _flag(attribute: IntegerAttr | None) -> bool:
    return attribute is not None and bool(attribute.value.data)


@dataclass(frozen=True)
class NormalizeGemmPass(PatternPass):
    """Leaves Gemm(x[M,K], w[K,N], optional b[N]) and MatMul(x[..,M,K], w[..,K,N]), w and b constant."""

    name = "normalize-gemm"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """One pattern per operator."""
        return [NormalizeGemmPattern(context.weights), NormalizeMatMulPattern(context.weights)]
