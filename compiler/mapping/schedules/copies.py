"""What the layers of a network ask for when their weights are copied, from their matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.ir import Operation

from compiler.mapping.cost import LayerTime, behind_ns, writing_ns
from compiler.mapping.cutting.work_table import ProductRow, WorkTable, work_table
from compiler.mapping.forecast import Forecast, best
from compiler.mapping.schedules.duplication import CHOICES, Choice, copies_ladder, copies_of, for_writing, least_cores
from compiler.mapping.schedules.following import longest
from compiler.mapping.solver import Ladder, needed
from compiler.mapping.tiling.allotment import Allotment, Layers, allot
from compiler.mapping.tiling.matrix import Matrix, Packing, widest
from compiler.mapping.tiling.partition import Partition, partition
from compiler.mapping.tiling.spread import best_cut, even_ranges
from compiler.session.context import CompilerContext
from emu.errors import CompileError


@dataclass(frozen=True)
class Weighing:
    """What copies of the layers of `ops` would take and give, cut as the options say, with `segments` or without."""

    context: CompilerContext
    ops: Sequence[Operation]
    packing: Packing
    placement: str
    segments: bool

    def copies(self, choose: Choice, cores: int) -> list[int]:
        """The copies of each layer that multiplies that `choose` finds for so many cores.

        Layers that stay whole need cores, too: that which is the best of those found for all cores and for fewer, by
        what the layers come to when all have their cores. With segments, of a network that is larger than the cores:
        those that are worth their writes.
        """
        ladders, table = self._ladders, self._table
        if self._is_larger(cores):
            arch = self.context.arch
            full = writing_ns(arch, widest(arch, table.kinds), max(1, table.room), cores)
            return copies_of(ladders, for_writing(ladders, cores, round(1000 * full / cores)))
        found = list[tuple[list[int], Forecast]]()
        for left in range(cores, max(1, cores - len(table.wholes)) - 1, -1):
            places = choose(ladders, left)
            copies = copies_of(ladders, places)
            if left == cores and (not table.wholes or needed(ladders, places) + len(table.wholes) <= cores):
                return copies  # each layer has cores of its own
            allotted = self._allotted(copies, cores)
            if allotted is not None:
                found.append((copies, allotted.forecast))
        return found[best([each for _, each in found])][0] if found else [1] * len(ladders)

    def copies_from(self) -> dict[str, int]:
        """By goal: with how many cores at least some layer gets a copy; not those goals that never give one.

        One core is left to each layer that stays whole.
        """
        cores, wholes = self.context.cores, len(self._table.wholes)
        if not self._is_larger(cores):
            return {goal: least + wholes for goal, least in least_cores(self._ladders).items()}
        return {goal: cores for goal, choose in CHOICES.items() if max(self.copies(choose, cores)) > 1}

    def _allotted(self, copies: Sequence[int], cores: int) -> Allotment | None:
        """The cores of all layers with so many copies; None if there is too little room."""
        table, layers = self._table, _copied(self._table, self._layers, copies)

        def cut(cores: int) -> Partition:
            return partition(layers.matrices, cores, self.context.arch, self.placement, kinds=table.kinds)

        try:
            return allot(cut, layers, cores, table.room)
        except CompileError:
            return None

    def _is_larger(self, cores: int) -> bool:
        """Whether the network runs in segments, and takes more than so many cores."""
        return self.segments and self._table.is_larger(cores)

    @cached_property
    def _table(self) -> WorkTable:
        return work_table(self.context, self.ops, self.packing)

    @cached_property
    def _layers(self) -> Layers:
        return self._table.layers(self.ops)

    @cached_property
    def _ladders(self) -> list[Ladder]:
        """What copies of each layer that multiplies take."""
        table, room = self._table, max(1, self._table.room)
        behind = behind_ns(self.context.arch, self.ops, [row.layer for row in table.products])
        times = [replace(time, behind=ns) for time, ns in zip(self._layers.times, behind, strict=False)]
        return [_ladder(row, time, room) for row, time in zip(table.products, times, strict=True)]


def _ladder(row: ProductRow, time: LayerTime, room: int) -> Ladder:
    """Times are picoseconds: of the products at the pixels of a place, and of what its core does then."""
    matrix, places = row.matrix, _most_copies(row)
    row_parts, column_parts = best_cut(matrix.grid, room) or (1, 1)
    rows, columns = (-(-size // parts) for size, parts in zip(matrix.grid, (row_parts, column_parts), strict=True))
    taken = time.nanoseconds(rows, columns)
    return copies_ladder(row_parts * column_parts, places, max(1, round(1000 * taken / places)))


def _most_copies(row: ProductRow) -> int:
    """The most copies that a layer can have."""
    return longest(row.product.kernel.output_shapes[0])


def _copied(table: WorkTable, layers: Layers, copies: Sequence[int]) -> Layers:
    """The layers of a table with so many copies of each matrix: of each layer as many, with a band of its places."""
    matrices, times, numbers = list[Matrix](), list[LayerTime](), list[Sequence[int]]()
    for row, count, time in zip(table.products, copies, layers.times, strict=False):
        places = _most_copies(row)
        numbers.append(range(len(matrices), len(matrices) + min(count, places)))
        for low, high in even_ranges(places, len(numbers[-1])):
            part = (high - low) / places
            pixels, source = round(row.matrix.pixels * part), round(row.matrix.source_pixels * part)
            matrices.append(replace(row.matrix, pixels=pixels, source=source))
            times.append(replace(time, pixels=pixels, behind=time.behind * part))
    numbers += [[number] for number in range(len(matrices), len(matrices) + len(table.wholes))]
    feeds = {
        number: frozenset(source for each in sources for source in numbers[each])
        for layer, sources in layers.feeds.items()
        for number in numbers[layer]
    }
    order = [number for layer in layers.order for number in numbers[layer]]
    return Layers(matrices, layers.wholes, order, feeds, [*times, *layers.times[len(copies) :]])
