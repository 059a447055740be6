"""What the layers of a network ask for when their weights are copied, from their matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation

from compiler.mapping.cost import behind_ns, prices_of, writing_ns
from compiler.mapping.cutting.work_table import ProductRow, WorkTable, work_table
from compiler.mapping.schedules.duplication import CHOICES, Choice, copies_ladder, copies_of, for_writing, least_cores
from compiler.mapping.schedules.following import longest
from compiler.mapping.solver import Ladder
from compiler.mapping.tiling.matrix import Packing, widest
from compiler.mapping.tiling.spread import best_cut
from compiler.session.context import CompilerContext
from emu.arch import Arch


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
        ladders = self._ladders
        if self._is_larger(cores):
            arch, table = self.context.arch, self._table
            full = writing_ns(arch, widest(arch, table.kinds), max(1, table.room), cores)
            return copies_of(ladders, for_writing(ladders, cores, round(1000 * full / cores)))
        return copies_of(ladders, choose(ladders, cores))

    def copies_from(self) -> dict[str, int]:
        """By goal: with how many cores at least some layer gets a copy; not those goals that never give one."""
        cores = self.context.cores
        if not self._is_larger(cores):
            return least_cores(self._ladders)
        return {goal: cores for goal, choose in CHOICES.items() if max(self.copies(choose, cores)) > 1}

    def _is_larger(self, cores: int) -> bool:
        """Whether the network runs in segments, and takes more than so many cores."""
        return self.segments and self._table.is_larger(cores)

    @cached_property
    def _table(self) -> WorkTable:
        return work_table(self.context, self.ops, self.packing)

    @cached_property
    def _ladders(self) -> list[Ladder]:
        """What copies of each layer that multiplies take."""
        arch, table = self.context.arch, self._table
        behind = behind_ns(arch, self.ops, [row.product.layer for row in table.products])
        return [_ladder(arch, row, time, max(1, table.room)) for row, time in zip(table.products, behind, strict=True)]


def _ladder(arch: Arch, row: ProductRow, behind: float, room: int) -> Ladder:
    """Times are picoseconds: of the products at the pixels of a place, and of what its core does then."""
    matrix, places = row.matrix, longest(row.product.kernel.output_shapes[0])
    row_parts, column_parts = best_cut(matrix.grid, room) or (1, 1)
    rows, columns = (-(-size // parts) for size, parts in zip(matrix.grid, (row_parts, column_parts), strict=True))
    time = matrix.pixels * prices_of(arch, row.kind).pixel(rows, columns) + behind * columns
    return copies_ladder(row_parts * column_parts, places, max(1, round(1000 * time / places)))
