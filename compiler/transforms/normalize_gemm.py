"""Pass `normalize-gemm`: matrix products become x w + b with constant w[K,N], b[N] and no attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.onnx import AddOp, GemmOp, MatMulOp, MulOp, ReshapeOp
from compiler.session.context import CompilerContext
from compiler.transforms.rewriting import PatternPass, insert_constant, refuse, shape_of, weights_of

MAX_RANK = 3  # of the left operand, such as [1, tokens, features]


def constant_right_side(op: GemmOp | MatMulOp, weights: WeightStore) -> Array:
    """The weights of a product; raises CompileError if they are not constant, or not on the right."""
    array = weights_of(op.w, weights)
    if array is None and weights_of(op.x, weights) is not None:
        refuse(op, "has its constant operand on the left: crossbars hold the right one, transpose the product")
    if array is None:
        refuse(op, "multiplies two values computed at run time: one must be constant to stand in crossbars")
    return array


@dataclass
class NormalizeGemmPattern(RewritePattern):
    """Folds alpha and transB into w, beta into b; a bias that is no constant row becomes an addition."""

    weights: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GemmOp, rewriter: PatternRewriter) -> None:
        """Replace a Gemm that has attributes."""
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

    def _scaled_weights(self, op: GemmOp, rewriter: PatternRewriter) -> SSAValue:
        """alpha times w [K, N], stored anew only if it differs from the operand; a transposed array is a view."""
        array, alpha = constant_right_side(op, self.weights), _number(op.alpha, 1.0)
        if alpha == 1.0 and not _flag(op.transB):
            return op.w
        array = array.T if _flag(op.transB) else array
        scaled = array if alpha == 1.0 else array * np.float32(alpha)
        return insert_constant(rewriter, f"{op.node.data}.weight", scaled, self.weights)


@dataclass
class NormalizeMatMulPattern(RewritePattern):
    """Checks what crossbars can do; drops leading ones of the weights' shape."""

    weights: WeightStore

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatMulOp, rewriter: PatternRewriter) -> None:
        """Replace weights [1,K,N] by [K,N]."""
        array, left = constant_right_side(op, self.weights), shape_of(op.x)
        if not 2 <= len(left) <= MAX_RANK:
            refuse(op, f"has a left operand of shape {list(left)}: reshape it to two or three dimensions")
        if array.ndim == 2:
            return
        if array.size != array.shape[-2] * array.shape[-1] or array.ndim > len(left):
            refuse(op, f"has a stack of weights {list(array.shape)}: split it into products with one matrix each")
        w = insert_constant(rewriter, f"{op.node.data}.weight", array.reshape(array.shape[-2:]), self.weights)
        rewriter.replace(op, MatMulOp.make([op.x, w], op.result.type, node=op.node, tensor=op.tensor))


def _untransposed(op: GemmOp, rewriter: PatternRewriter) -> SSAValue:
    """x, transposed if transA says so: of a vector that is a reshape, of anything else it is refused."""
    rows, cols = shape_of(op.x)
    if not _flag(op.transA) or rows == cols == 1:
        return op.x
    if rows != 1 and cols != 1:
        refuse(op, f"transposes its input {[rows, cols]} (transA): insert a Transpose, or compute one row at a time")
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
    """beta times `value`, by a Mul where beta is not 1."""
    beta = _number(op.beta, 1.0)
    if beta == 1.0:
        return value
    node, tensor = op.node.data, op.tensor.data
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
    """Leaves Gemm(x[M,K], w[K,N], optional b[N]) and MatMul(x of rank 2 or 3, w[K,N]), w and b constant."""

    name = "normalize-gemm"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """One pattern per operator."""
        return [NormalizeGemmPattern(context.weights), NormalizeMatMulPattern(context.weights)]
