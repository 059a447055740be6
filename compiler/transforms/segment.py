"""Pass `segment`: of a network that is larger than the cores, which weights stay, and which are written when."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.options import of_option
from compiler.dialects import spat
from compiler.partition.matrix import Packing, Piece
from compiler.partition.partition import STRATEGIES
from compiler.schedules.parts import is_larger, parts_of, room_of
from compiler.segmenting.pieces import set_pieces
from compiler.segmenting.plan import best_plan, place_plan
from compiler.session.context import CompilerContext


@dataclass(frozen=True)
class SegmentPass(ModulePass):
    """Gives layers whose weights do not all fit on the cores their `pieces`; a network that fits is left as it is."""

    name = "segment"
    packing: Packing = of_option("packing")
    placement: str = of_option("placement")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set pieces in the module."""
        context = cast(CompilerContext, ctx)
        layers = [layer for layer in op.ops if isinstance(layer, spat.LayerOp)]
        if any(layer.pieces is not None for layer in layers):
            return  # a text that says it already
        parts, room, cores = parts_of(context, layers, self.packing), room_of(context, layers), context.cores
        plan = best_plan(parts, cores, room) if is_larger(parts, cores, room) else None
        if plan is None:
            return  # it fits, or a part of it fits nowhere: those that place it say so
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for piece in place_plan(plan, cores, room, STRATEGIES[self.placement]):
            pieces[piece.matrix].append(piece)
        for part in parts:
            found = pieces[part.matrix]
            if not part.cut:  # its tiles are not those of a matrix
                found = [Piece(0, (0, 1), (0, 1), stay=piece.stay) for piece in found]
            set_pieces(layers[part.matrix], found)
