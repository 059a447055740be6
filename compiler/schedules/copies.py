"""What the layers of a network ask for when their weights are copied, from their matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation

from compiler.cutting.product import Product
from compiler.dialects import spat
from compiler.mapping.cost import behind_ns, prices_of, writing_ns
from compiler.mapping.solver import Ladder
from compiler.partition.matrix import Matrix, Packing, capacity, widest
from compiler.partition.spread import best_cut
from compiler.schedules.duplication import CHOICES, Choice, copies_ladder, copies_of, for_writing, least_cores
from compiler.schedules.following import longest
from compiler.schedules.parts import is_larger, parts_of, room_of
from compiler.session.context import CompilerContext
from emu.isa.dtypes import DType


@dataclass(frozen=True)
class Weighing:
    """What copies of the layers of `ops` would take and give, with matrices packed so, and `segments` or without."""

    context: CompilerContext
    ops: Sequence[Operation]
    packing: Packing
    segments: bool

    def copies(self, choose: Choice, cores: int) -> list[int]:
        """The copies of each layer that multiplies that `choose` finds for so many cores.

        With segments, of a network that is larger than the cores: those that are worth their writes.
        """
        ladders, kinds, room = self._ladders
        if self._is_larger(cores):
            arch = self.context.arch
            full = writing_ns(arch, widest(arch, kinds), room, cores)
            return copies_of(ladders, for_writing(ladders, cores, round(1000 * full / cores)))
        return copies_of(ladders, choose(ladders, cores))

    def copies_from(self) -> dict[str, int]:
        """By goal: with how many cores at least some layer gets a copy; not those goals that never give one."""
        cores = self.context.cores
        if not self._is_larger(cores):
            return least_cores(self._ladders[0])
        return {goal: cores for goal, choose in CHOICES.items() if max(self.copies(choose, cores)) > 1}

    def _is_larger(self, cores: int) -> bool:
        """Whether the network runs in segments, and takes more than so many cores."""
        layers = [op for op in self.ops if isinstance(op, spat.LayerOp)]
        if not self.segments:
            return False
        return is_larger(parts_of(self.context, layers, self.packing), cores, room_of(self.context, layers))

    @cached_property
    def _ladders(self) -> tuple[list[Ladder], list[DType], int]:
        """What copies of each layer that multiplies take, the types of all weights, and logical crossbars of a core."""
        context, products = self.context, [Product.of(op) for op in self.ops if isinstance(op, spat.ProductOp)]
        kinds = [product.kernel.weight_type(context.weights) for product in products]
        room = max(1, capacity(context.arch, kinds))
        ladders: list[Ladder] = []
        behind = behind_ns(context.arch, self.ops, [product.layer for product in products])
        for product, kind, time in zip(products, kinds, behind, strict=True):
            matrix = product.matrix(context.arch, self.packing, kind)
            places = longest(product.kernel.output_shapes[0])
            ladders.append(_ladder(context, matrix, kind, places, time, room))
        return ladders, kinds, room


def _ladder(context: CompilerContext, matrix: Matrix, kind: DType, places: int, behind: float, room: int) -> Ladder:
    """Times are picoseconds: of the products at the pixels of a place, and of what its core does then."""
    row_parts, column_parts = best_cut(matrix.grid, room) or (1, 1)
    rows, columns = (-(-size // parts) for size, parts in zip(matrix.grid, (row_parts, column_parts), strict=True))
    time = matrix.pixels * prices_of(context.arch, kind).pixel(rows, columns) + behind * columns
    return copies_ladder(row_parts * column_parts, places, max(1, round(1000 * time / places)))
