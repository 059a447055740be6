"""Pass `segment`: of a network that is larger than the cores, which weights stay, and which are written when."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.cutting.product import find_product
from compiler.dialects import spat
from compiler.kernels.kernel import Kernel
from compiler.partition.matrix import Piece, capacity
from compiler.partition.partition import STRATEGIES
from compiler.segmenting.pieces import set_pieces
from compiler.segmenting.plan import Part, best_plan, place_plan
from compiler.session.context import CompilerContext


@dataclass(frozen=True)
class SegmentPass(ModulePass):
    """Gives layers whose weights do not all fit on the cores their `pieces`; a network that fits is left as it is."""

    name = "segment"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set pieces in the module."""
        context = cast(CompilerContext, ctx)
        layers = [layer for layer in op.ops if isinstance(layer, spat.LayerOp)]
        if any(layer.pieces is not None for layer in layers):
            return  # a text that says it already
        parts = list[Part]()
        for number, layer in enumerate(layers):
            part = _part(context, number, layer)
            if part is not None:
                parts.append(part)
        kinds = {
            kernel.weight_type(context.weights)
            for layer in layers
            for kernel in layer.body.block.ops
            if isinstance(kernel, Kernel) and kernel.crossbars
        }
        room, cores = capacity(context.arch, kinds), context.options.cores
        plan = None if sum(part.crossbars for part in parts) <= room * cores else best_plan(parts, cores, room)
        if plan is None:
            return  # it fits, or a part of it fits nowhere: those that place it say so
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for piece in place_plan(plan, cores, room, STRATEGIES[context.options.placement]):
            pieces[piece.matrix].append(piece)
        for part in parts:
            found = pieces[part.matrix]
            if not part.cut:  # its tiles are not those of a matrix
                found = [Piece(0, (0, 1), (0, 1), stay=piece.stay) for piece in found]
            set_pieces(layers[part.matrix], found)


def _part(context: CompilerContext, number: int, layer: spat.LayerOp) -> Part | None:
    """The weights of layer `number`; None if it has none on crossbars."""
    product = find_product(layer)
    if product is not None:
        kind = product.kernel.weight_type(context.weights)
        matrix = product.matrix(context.arch, context.options.packing, kind)
        rows, cols = matrix.grid
        return Part(number, (0, rows), (0, cols), matrix.pixels)
    crossbars = sum(kernel.crossbars for kernel in layer.body.block.ops if isinstance(kernel, Kernel))
    return Part(number, (0, crossbars), (0, 1), 1, cut=False) if crossbars else None
