"""Pass `stagger`: each row tile of a product is multiplied as soon as its slice of the input is gathered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.session.context import CompilerContext
from compiler.session.refusal import label
from emu.errors import CompileError


@dataclass(frozen=True)
class StaggerPass(ModulePass):
    """Makes every row tile of a `kernel.apply_filters` a slice of its own, so that fewer crossbars work at a time.

    The partial sums are added in the order that they have, so the results are the same: MVM-grained staggered
    activation of CIM-MLC (ASPLOS 2024). Slices that are given stay.
    """

    name = "stagger"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set `slices` in place; raises ArchError for a chip whose cores work as a whole, CompileError for layers."""
        context = cast(CompilerContext, ctx)
        context.arch.require("crossbars", f"the pass {self.name}")
        for item in op.ops:
            if isinstance(item, spat.LayerOp | spat.JoinOp):
                raise CompileError(f"{context.line_of(item)}{label(item)} is not cut: run the pass cut-layers before")
            for kernel in item.body.block.ops if isinstance(item, spat.ComputeOp) else ():
                if isinstance(kernel, ApplyFiltersOp) and kernel.slices is None:
                    # Also where nothing is multiplied together: remap-rows may make several tiles of one, which stay
                    # one slice, even if this text is gone on with.
                    kernel.properties["slices"] = attr.ints([1] * len(kernel.tiles))
