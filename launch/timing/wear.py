"""What a program that writes crossbars does to their cells: writes per sample, and how long the cells last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.isa.codes import WRITES_GROUP
from emu.isa.dtypes import DType
from emu.noc.traffic.traffic import executions
from emu.program.group import crossbars_with
from emu.program.program import Program
from launch.timing.timed_image import TimedImage

YEAR = 31_536_000  # seconds


@dataclass(frozen=True, slots=True)
class Wear:
    """Writes of cells per sample, and the cells of all crossbars that are written, bit slices counted.

    `lifetime_years` is None where the chip names no endurance.
    """

    cell_writes: int
    cells: int
    lifetime_years: float | None

    def line(self) -> str:
        """One line for people."""
        lasts = "" if self.lifetime_years is None else f", which last {self.lifetime_years:.3g} years at this rate"
        return f"writes {self.cell_writes} cells per sample, in crossbars of {self.cells} cells{lasts}"


def wear_of(timed: TimedImage) -> Wear | None:
    """The wear of an image in its steady state; None if it writes no crossbar.

    The lifetime is endurance x size / write rate (OCC, TCAD 2022): writes are taken to be spread evenly over the cells
    of the crossbars that are written.
    """
    chip = timed.chip
    bits = chip.timing.float_bits if chip.timing else None

    def slices(kind: DType) -> int:
        return chip.slices(bits) if bits and kind.is_float else chip.weight_slices(kind)

    writes = cells = 0
    for program in timed.programs.values():
        mine, crossbars = _writes(program, slices, chip)
        writes += mine
        cells += crossbars * chip.crossbar.rows * chip.crossbar.cols
    if not writes:
        return None
    years, endurance = None, chip.crossbar.endurance
    if endurance is not None and timed.period:
        years = endurance * cells / (writes * 1e12 / timed.period) / YEAR
    return Wear(writes, cells, years)


def _writes(program: Program, slices: Callable[[DType], int], chip: Arch) -> tuple[int, int]:
    """Writes of cells in `main`, and the physical crossbars of the groups that are written there."""
    col, times = program.main.columns, executions(program.main)
    index = np.flatnonzero(WRITES_GROUP[col["op"]] & (times > 0) & (col["n"] > 0))
    groups, number = program.groups, col["arg0"][index]
    each = np.array([group.cols * slices(group.weight) for group in groups] or [0], np.int64)
    written = [groups[k] for k in np.unique(number).tolist()]
    return int((times[index] * col["n"][index] * each[number]).sum()), crossbars_with(
        written, lambda kind: chip.arrays(slices(kind))
    )
