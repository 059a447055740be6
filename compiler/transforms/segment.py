"""Pass `segment`: of a network that is larger than the cores, which weights stay, and which are written when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.basis.options import of_option
from compiler.dialects import spat
from compiler.mapping.cutting.work_table import WorkTable, work_table
from compiler.mapping.tiling.matrix import Packing, Piece
from compiler.mapping.tiling.partition import STRATEGIES
from compiler.mapping.weight_swaps.pieces import set_pieces
from compiler.mapping.weight_swaps.plan import MatrixPart, best_plan, place_plan
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
        table, cores = work_table(context, layers, self.packing), context.cores
        parts = _parts(table, layers)
        plan = best_plan(parts, cores, table.room) if table.is_larger(cores) else None
        if plan is None:
            return  # it fits, or a part of it fits nowhere: those that place it say so
        pieces: dict[int, list[Piece]] = defaultdict(list)
        for piece in place_plan(plan, cores, table.room, STRATEGIES[self.placement]):
            pieces[piece.matrix].append(piece)
        for part in parts:
            found = pieces[part.matrix]
            if not part.cut:  # its tiles are not those of a matrix
                found = [Piece(0, (0, 1), (0, 1), stay=piece.stay) for piece in found]
            set_pieces(layers[part.matrix], found)


def _parts(table: WorkTable, layers: Sequence[spat.LayerOp]) -> list[MatrixPart]:
    """All weights of the table, by the places of their layers among `layers`."""
    numbers = {layer: number for number, layer in enumerate(layers)}
    parts = [
        MatrixPart(
            numbers[row.product.layer], (0, rows), (0, columns), row.matrix.pixels, family=row.product.layer.node.data
        )
        for row in table.products
        for rows, columns in [row.matrix.grid]
    ]
    parts += [
        MatrixPart(numbers[row.layer], (0, row.matrix.work.crossbars), (0, 1), 1, cut=False) for row in table.wholes
    ]
    return sorted(parts, key=lambda part: part.matrix)
