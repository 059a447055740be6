"""What a flow sees of a chip: its computing mode, crossbars, and a memory of elements."""

from __future__ import annotations

from dataclasses import dataclass

from emu.arch import Arch
from emu.errors import ArchError

ELEMENT_BYTES = 4  # int32 or float32


@dataclass(frozen=True, slots=True)
class MopChip:
    """Cores of `crossbars` crossbars of `rows` x `cols` cells of `cell_bits` bits (0: a cell holds a whole weight).

    `parallel_rows` word lines are driven at a time; `memory` is the number of elements of the buffer of the chip.
    """

    name: str
    mode: str
    cores: int
    crossbars: int
    rows: int
    cols: int
    cell_bits: int
    parallel_rows: int
    binding: str
    memory: int

    def slices(self, weight_bits: int) -> int:
        """Cells that a weight takes: ceil(bits / cell bits), the mapping rule of CIM-MLC, section 3.3."""
        return -(-weight_bits // self.cell_bits) if self.cell_bits else 1

    def bound(self, weight_bits: int) -> int:
        """Neighbouring crossbars that hold the bits of one matrix together and are read together."""
        return self.slices(weight_bits) if self.binding == "crossbars" else 1

    def columns(self, weight_bits: int) -> int:
        """Columns of weights that a crossbar (or those that are bound together) holds."""
        return self.cols if self.binding == "crossbars" else self.cols // self.slices(weight_bits)

    def per_core(self, weight_bits: int) -> int:
        """Matrices of crossbar size that a core holds."""
        return self.crossbars // self.bound(weight_bits)

    def crossbar(self, core: int, index: int, weight_bits: int) -> int:
        """The (first) crossbar of matrix `index` of those that the cores from `core` on hold."""
        cores, place = divmod(index, self.per_core(weight_bits))
        return (core + cores) * self.crossbars + place * self.bound(weight_bits)

    def needed(self, rows: int, columns: int, weight_bits: int) -> int:
        """Crossbars that a matrix of weights takes; the chip must have columns for a weight."""
        tiles = -(-rows // self.rows) * -(-columns // self.columns(weight_bits))
        return tiles * self.bound(weight_bits)


def chip_of(arch: Arch) -> MopChip:
    """What a flow sees of an architecture; raises ArchError for one of several chips."""
    if arch.system.chips > 1:
        raise ArchError(
            f"{arch.title} has {arch.system.chips} chips, but a flow of meta-operators runs on one: take a description"
            " without system.chips"
        )
    crossbar = arch.crossbar
    return MopChip(
        arch.name,
        arch.mode,
        arch.cores,
        arch.core.crossbars // crossbar.halves,
        crossbar.rows,
        crossbar.cols,
        crossbar.cell_bits,
        crossbar.driven_rows,
        crossbar.weight_binding,
        arch.global_memory.size // ELEMENT_BYTES,
    )
