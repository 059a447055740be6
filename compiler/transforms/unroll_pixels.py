"""Pass `unroll-pixels`: products of whole channel tiles become one product per output pixel, the older scheme."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.limits import MAX_PIXELS
from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.mapping.cutting.pixels import Pixels
from compiler.session.context import CompilerContext
from compiler.session.refusal import label
from emu.errors import CompileError, option


@dataclass(frozen=True)
class UnrollPixelsPass(ModulePass):
    """Makes every output pixel of a product a product and a value of its own (for `--lowering pixel`)."""

    name = "unroll-pixels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the computes of a module; raises CompileError for too many pixels, or layers that are not cut."""
        context, ops, count = cast(CompilerContext, ctx), list(op.ops), 0
        for item in ops:
            if isinstance(item, spat.LayerOp | spat.JoinOp):
                raise CompileError(f"{context.line_of(item)}{label(item)} is not cut: run the pass cut-layers before")
            if isinstance(item, spat.ComputeOp):
                count += _products(item)
                if count > MAX_PIXELS:
                    raise CompileError(
                        f"{context.line_of(item)}node {item.node.data}: pixel by pixel the network becomes more than"
                        f" {MAX_PIXELS} products, for which there is no time: take {option('lowering', 'channel')}, or"
                        " a smaller network"
                    )
        if not any(isinstance(item, spat.ComputeOp) for item in ops):
            return
        pixels = Pixels()
        for item in ops:
            pixels.add(item)
        for item in reversed(ops):
            item.detach()
            item.erase()
        for item in list(pixels.into.ops):
            item.detach()
            op.body.block.add_op(item)


def _products(compute: spat.ComputeOp) -> int:
    """How many products of one pixel a compute becomes."""
    kernels = [op for op in compute.body.block.ops if isinstance(op, ApplyFiltersOp | ApplyBlocksOp)]
    return sum(prod(attr.shape_of(kernel.outputs[0])[:-1]) for kernel in kernels)
