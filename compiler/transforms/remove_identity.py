"""Pass `remove-identity`: drops operations that leave their operand as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from compiler.dialects.onnx import (
    ClipOp,
    ConcatOp,
    DropoutOp,
    FlattenOp,
    IdentityOp,
    ReduceMeanOp,
    ReshapeOp,
    SplitOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from compiler.dialects.onnx_op import OnnxOp, tensor_name
from compiler.session.context import CompilerContext
from compiler.session.provenance import Provenance
from compiler.transforms.rewriting import PatternPass, shape_of


def _always(op: OnnxOp) -> bool:
    return True


def _same_type(op: OnnxOp) -> bool:
    return op.operands[0].type == op.results[0].type


def _unbounded(op: OnnxOp) -> bool:
    return isinstance(op, ClipOp) and op.min is None and op.max is None


def _single(op: OnnxOp) -> bool:
    return len(op.operands) == len(op.results) == 1


def _keeps_order(op: OnnxOp) -> bool:
    """The axes of more than one element stay where they are."""
    assert isinstance(op, TransposeOp)
    shape = shape_of(op.x)
    moved = [axis for axis in op.perm.get_values() if shape[axis] > 1]
    return _same_type(op) and moved == sorted(moved)


IDENTITY_WHEN: Mapping[type[OnnxOp], Callable[[OnnxOp], bool]] = {
    DropoutOp: _always,
    IdentityOp: _always,
    ClipOp: _unbounded,
    ConcatOp: _single,
    FlattenOp: _same_type,
    ReduceMeanOp: _same_type,
    ReshapeOp: _same_type,
    SplitOp: _single,
    SqueezeOp: _same_type,
    UnsqueezeOp: _same_type,
    TransposeOp: _keeps_order,
}


@dataclass
class RemoveIdentityPattern(RewritePattern):
    """Uses of the result become uses of the operand."""

    provenance: Provenance

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace `op` if the table says that it does nothing."""
        if isinstance(op, OnnxOp) and type(op) in IDENTITY_WHEN and IDENTITY_WHEN[type(op)](op):
            self.provenance.view(op.tensor_names[0], tensor_name(op.operands[0]))
            rewriter.replace(op, [], [op.operands[0]])


@dataclass(frozen=True)
class RemoveIdentityPass(PatternPass):
    """Dropout and Identity at inference, reshapes to the same shape, transposes of nothing, unbounded clips."""

    name = "remove-identity"

    def patterns(self, context: CompilerContext) -> Sequence[RewritePattern]:
        """One pattern, by table."""
        return [RemoveIdentityPattern(context.provenance)]
