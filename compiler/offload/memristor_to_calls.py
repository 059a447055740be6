"""Pass `memristor-to-calls`: operations on numbered crossbars become calls of a library, by name and element type."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.memristor import NumberedOp
from compiler.offload.calling import Calls


@dataclass(frozen=True)
class MemristorToCallsPass(ModulePass):
    """Calls an external function for each operation, with memrefs cast to any sizes and strides.

    Functions are declared at the end of the module, each once.
    """

    name = "memristor-to-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a name that means something else."""
        calls = Calls(op)
        for found in [found for found in op.walk() if isinstance(found, NumberedOp)]:
            calls.replace(found)
        calls.declare()
