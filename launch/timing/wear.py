"""What writing crossbars costs per sample, in time and energy, and how long their cells last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from emu.arch import Arch
from emu.errors import ArchError, ProgramError
from emu.image.reader import Image
from emu.noc.ports.port import FlowControl
from emu.program.program import Program
from emu.replay.writes import CrossbarWrites, Writes, writes_of
from emu.timing.basis.units import picoseconds
from emu.timing.chip.needed import figure
from emu.timing.energy.prices import prices_of
from emu.wording import counted
from launch.text.units import energy_text, time_text
from launch.timing.timed_image import TimedImage, time_programs

YEAR = 31_536_000  # seconds
WRITE_CELL = ("crossbar", "write_cell")


@dataclass(frozen=True, eq=False)
class Wear:
    """The writes of one sample on a chip; `period_ps` is the time per sample in the steady state, None: not known.

    Times are None if the chip names no `timing.crossbar.write_row_ns`, energies without a price, years without
    `crossbar.endurance` or a time per sample.
    """

    writes: Writes
    chip: Arch
    period_ps: int | None

    @property
    def cell_writes(self) -> int:
        """Writes of cells, bit slices and halves of differential pairs counted."""
        return self.writes.total("cells")

    @property
    def cells(self) -> int:
        """Cells of the crossbars that are written."""
        return self.writes.size

    def time_ps(self, rows: int) -> int | None:
        """What the programming of so many rows takes, one after the other."""
        ns = figure(self.chip, "timing.crossbar.write_row_ns")
        return None if ns is None else rows * picoseconds(ns)

    def energy_pj(self, cells: int) -> float | None:
        """What the programming of so many cells takes."""
        return None if self._price is None else cells * self._price

    @cached_property
    def _price(self) -> float | None:
        return prices_of(self.chip, [WRITE_CELL]).prices.get(WRITE_CELL)

    def years(self, cells: float, size: int) -> float | None:
        """How long `size` cells last of which so many are written per sample, each as often as any other."""
        return lifetime(self.chip, size, cells, self.period_ps)

    @property
    def lifetime_years(self) -> float | None:
        """Of all crossbars that are written."""
        return self.years(self.cell_writes, self.cells)

    @property
    def most_worn(self) -> CrossbarWrites:
        """The crossbar with the most writes per cell."""
        found = self.writes.most_worn
        assert found is not None
        return found

    def line(self) -> str:
        """One line for people."""
        events, rows = self.writes.total("events"), self.writes.total("rows")
        time, energy, years = self.time_ps(rows), self.energy_pj(self.cell_writes), self.lifetime_years
        costs = [*([time_text(time)] if time is not None else []), *([energy_text(energy)] if energy else [])]
        worst = self.most_worn
        lasts = "" if years is None else f", which last {years:.3g} years at this rate"
        return (
            f"writes {self.cell_writes} cells per sample ({counted(events, 'write')} of {counted(rows, 'row')}"
            f"{''.join(f', {cost}' for cost in costs)}), in {counted(self.writes.arrays, 'crossbar')} of"
            f" {self.cells} cells{lasts}; most worn: {worst.name}, {worst.writes_per_cell:.3g} writes per cell"
            f"{_lasting(self.years(worst.cells, worst.size))}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        total = self.writes.total
        return {
            "events": total("events"),
            "rows": total("rows"),
            "cell_writes": self.cell_writes,
            "arrays": self.writes.arrays,
            "cells": self.cells,
            "time_ps": self.time_ps(total("rows")),
            "energy_pj": self.energy_pj(self.cell_writes),
            "lifetime_years": self.lifetime_years,
            "most_worn": self._crossbar(self.most_worn),
            "groups": [
                asdict(group) | {"time_ps": self.time_ps(group.rows), "energy_pj": self.energy_pj(group.cells)}
                for group in self.writes.groups
            ],
            "crossbars": [self._crossbar(crossbar) for crossbar in self.writes.crossbars],
        }

    def _crossbar(self, crossbar: CrossbarWrites) -> dict[str, Any]:
        return asdict(crossbar) | {
            "name": crossbar.name,
            "writes_per_cell": crossbar.writes_per_cell,
            "lifetime_years": self.years(crossbar.cells, crossbar.size),
        }


def lifetime(chip: Arch, size: int, written: float, period_ps: int | None) -> float | None:
    """Years that `size` cells last of which so many are written in each period, each as often as any other.

    Endurance x size / bytes per second / 31,536,000, as OCC (TCAD 2022); size and rate in cells, or in weights, come to
    the same. None if one of them is not known.
    """
    endurance = chip.crossbar.endurance
    if endurance is None or not period_ps or not written:
        return None
    return endurance * size / (written * 1e12 / period_ps) / YEAR


def _lasting(years: float | None) -> str:
    return "" if years is None else f", {years:.3g} years"


def wear_on(programs: Mapping[int, Program], chip: Arch, period_ps: int | None) -> Wear | None:
    """The wear of validated programs; None if they write no crossbar in a sample."""
    writes = writes_of(programs, chip)
    return Wear(writes, chip, period_ps) if writes.groups else None


def wear_of(timed: TimedImage) -> Wear | None:
    """The wear of an image in its steady state; None if it writes no crossbar."""
    return wear_on(timed.programs, timed.chip, timed.period)


def wear_in_stats(image: Image, programs: Mapping[int, Program], chip: Arch | None = None) -> Wear | None:
    """The same of an image that has not been timed, on its own chip or another; it is, where years may come of it."""
    chip = chip or image.arch
    wear = wear_on(programs, chip, None)
    if wear is None or chip.crossbar.endurance is None or chip.timing is None:
        return wear
    try:
        return wear_of(time_programs(image, programs, chip, FlowControl()))
    except (ArchError, ProgramError):
        return wear
