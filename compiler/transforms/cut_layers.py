"""Pass `cut-layers`: layers on whole tensors become computes on tiles, for as many cores as there may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.options import of_option
from compiler.dialects import spat
from compiler.mapping.cutting.cut import LayerCutter
from compiler.mapping.tiling.matrix import Packing
from compiler.session.context import CompilerContext


@dataclass(frozen=True)
class CutLayersPass(ModulePass):
    """Replaces every `spat.layer` by `spat.compute` operations without cores; computes that there are stay."""

    name = "cut-layers"
    packing: Packing = of_option("packing")
    placement: str = of_option("placement")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cut in place; raises CompileError if the cores have too few crossbars."""
        context, ops = cast(CompilerContext, ctx), list(op.ops)
        if not any(isinstance(item, spat.LayerOp | spat.JoinOp) for item in ops):
            return
        into = LayerCutter(context, ops, self.packing, self.placement).run()
        for item in reversed(ops):
            item.detach()
            item.erase()
        for item in list(into.ops):
            item.detach()
            op.body.block.add_op(item)
