"""Pass `reduce-mean-to-pool`: the mean over rows and columns of an image is a GlobalAveragePool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from compiler.dialects.onnx import GlobalAveragePoolOp, ReduceMeanOp, ReshapeOp
from compiler.session.context import CompilerContext
from compiler.transforms.rewriting import PatternPass, shape_of

SPATIAL_AXES = (2, 3)


class ReduceMeanToPoolPattern(RewritePattern):
    """ReduceMean over the axes (2, 3) of [1,C,H,W]."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReduceMeanOp, rewriter: PatternRewriter) -> None:
        """Pool; without keepdims, drop the two axes by a Reshape."""
        shape = shape_of(op.x)
        if len(shape) != 4 or op.axes.get_values() != SPATIAL_AXES:
            return
        node, tensor = op.node.data, op.tensor.data
        if op.keepdims.value.data:
            rewriter.replace(op, GlobalAveragePoolOp.make([op.x], op.result.type, node=node, tensor=tensor))
            return
        pooled = TensorType(op.result.type.element_type, (*shape[:2], 1, 1))
        pool = GlobalAveragePoolOp.make([op.x], pooled, node=node, tensor=f"{tensor}/pool")
        rewriter.replace(
            op, [pool, ReshapeOp.make([pool.result], op.result.type, node=f"{node}/reshape", tensor=tensor)]
        )


@dataclass(frozen=True)
class ReduceMeanToPoolPass(PatternPass):
    """Makes a ReduceMean over rows and columns, as newer exporters write it, a GlobalAveragePool."""

    name = "reduce-mean-to-pool"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """One pattern."""
        return [ReduceMeanToPoolPattern()]
