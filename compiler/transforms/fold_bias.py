"""Pass `fold-bias`: the addition of a constant per output channel after Conv, Gemm or MatMul becomes its bias."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from compiler.basis.weights import Array, WeightStore
from compiler.dialects.onnx import AddOp, ConvOp, ConvTransposeOp, GemmOp, MatMulOp
from compiler.session.context import CompilerContext
from compiler.session.provenance import Provenance
from compiler.transforms.rewriting import PatternPass, insert_constant, weights_of


def per_channel(array: Array, shape: tuple[int, ...], axis: int) -> Array | None:
    """`array`, which broadcasts to `shape`, as one number per index of `axis`: [shape[axis]].

    None if it varies along another axis, or has more dimensions.
    """
    padded = (1,) * (len(shape) - array.ndim) + array.shape
    if len(padded) != len(shape) or any(dim != 1 for place, dim in enumerate(padded) if place != axis):
        return None
    return np.broadcast_to(array.reshape(-1), (shape[axis],))


@dataclass
class FoldBiasPattern(RewritePattern):
    """Add(product, constant) where nothing else reads the product."""

    weights: WeightStore
    provenance: Provenance

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AddOp, rewriter: PatternRewriter) -> None:
        """Replace product and addition by the product with a bias."""
        for value, other in ((op.a, op.b), (op.b, op.a)):
            addend = weights_of(other, self.weights)
            if addend is not None and self._fold(op, value, addend, rewriter):
                return

    def _fold(self, op: AddOp, value: SSAValue, addend: Array, rewriter: PatternRewriter) -> bool:
        producer = value.owner
        if not isinstance(producer, ConvOp | ConvTransposeOp | GemmOp | MatMulOp) or not value.has_one_use():
            return False
        before = None if isinstance(producer, MatMulOp) else producer.b
        stack = isinstance(producer, MatMulOp) and len(producer.shape) != 2
        bias = per_channel(addend, op.shape, 1) if op.shape == producer.shape else None
        old = weights_of(before, self.weights)
        if bias is None or (before is not None and old is None) or stack:
            return False
        b = insert_constant(rewriter, f"{producer.node.data}.bias", bias if old is None else bias + old, self.weights)
        kind = GemmOp if isinstance(producer, MatMulOp) else type(producer)
        properties = {**producer.properties, "tensor": op.tensor}
        self.provenance.fused(producer.tensor.data, op.tensor.data)
        rewriter.replace(op, kind.make([producer.x, producer.w, b], op.result.type, **properties))
        rewriter.erase(producer)
        return True


@dataclass(frozen=True)
class FoldBiasPass(PatternPass):
    """Makes the addition of a constant per channel the bias of the product before it; it costs nothing there."""

    name = "fold-bias"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """One pattern."""
        return [FoldBiasPattern(context.weights, context.provenance)]
