"""Pass `remove-dead-constants`: drops constants that nothing reads, and frees their arrays."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.onnx import ConstantOp
from compiler.dialects.weight_keys import weight_keys
from compiler.transforms.rewriting import compiler_context


@dataclass(frozen=True)
class RemoveDeadConstantsPass(ModulePass):
    """Erases constants that nothing reads, and forgets weights that no other constant shares."""

    name = "remove-dead-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Erase unread constants, then forget every key of the store that nothing in the module names."""
        weights = compiler_context(ctx).weights
        for constant in [inner for inner in op.walk() if isinstance(inner, ConstantOp)]:
            if constant.result.first_use is None:
                constant.detach()
                constant.erase()
        for key in set(weights) - {key for _, _, key in weight_keys(op)}:
            weights.discard(key)
