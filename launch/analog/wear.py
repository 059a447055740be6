"""What programs wrote into cells in a run, pulse by pulse: time, energy and years, beside those of a pulse a write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from emu.arch import Arch
from emu.image.reader import Image
from emu.wording import counted
from launch.analog.layers import GroupCounts, number
from launch.text.units import energy_text, number_text, time_text
from launch.timing.wear import Wear, wear_in_stats


@dataclass(frozen=True, slots=True)
class WrittenCells:
    """What `samples` samples wrote: `cells`, the `pulses` that verifying them took, and `rows`, each pulse for itself.

    A row takes as many pulses as the cell in it that takes most. `planned` is what programs say without data: every
    cell takes one pulse.
    """

    planned: Wear
    samples: int
    cells: int
    pulses: int
    rows: int

    @property
    def time_ps(self) -> float | None:
        """Of writing in a sample, one row after the other."""
        return self._per_sample(self.planned.time_ps(self.rows))

    @property
    def energy_pj(self) -> float | None:
        """Of writing in a sample."""
        return self._per_sample(self.planned.energy_pj(self.pulses))

    @property
    def lifetime_years(self) -> float | None:
        """How long the crossbars last that are written, where each pulse wears a cell."""
        return self.planned.years(self.pulses / self.samples, self.planned.cells)

    def _per_sample(self, value: float | None) -> float | None:
        return None if value is None else value / self.samples

    def line(self) -> str:
        """One line for people."""
        time, energy, years = self.time_ps, self.energy_pj, self.lifetime_years
        costs = [] if time is None else [time_text(time)]
        costs += [] if energy is None else [energy_text(energy)]
        lasts = "" if years is None else f"; crossbars last {years:.3g} years at this rate"
        once = self.planned.lifetime_years
        lasts += "" if once is None else f", {once:.3g} with a pulse a write"
        return (
            f"programs wrote {number_text(self.cells / self.samples)} cells per sample in"
            f" {number_text(self.pulses / self.samples)} pulses ({self.pulses / self.cells:.3g} per cell"
            f"{''.join(f', {cost}' for cost in costs)}), into {counted(self.planned.writes.arrays, 'crossbar')}{lasts}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, all per sample."""
        planned, rows = self.planned, self.planned.writes.total("rows")
        return {
            "cells": self.cells / self.samples,
            "pulses": self.pulses / self.samples,
            "row_pulses": self.rows / self.samples,
            "time_ps": self.time_ps,
            "energy_pj": self.energy_pj,
            "lifetime_years": self.lifetime_years,
            "planned": {
                "cells": planned.cell_writes,
                "rows": rows,
                "time_ps": planned.time_ps(rows),
                "energy_pj": planned.energy_pj(planned.cell_writes),
                "lifetime_years": planned.lifetime_years,
            },
        }


def written_cells(image: Image, arch: Arch, groups: Iterable[GroupCounts], samples: int) -> WrittenCells | None:
    """What programs of an image wrote on the chip `arch` in so many samples; None if nothing."""
    cells, pulses, rows = (
        sum(int(number(group.counts, name)) for group in groups) for name in ("rewritten", "reverified", "rows")
    )
    if not cells:
        return None
    planned = wear_in_stats(image, {core: image.program(core) for core in image.cores}, arch)
    return None if planned is None else WrittenCells(planned, samples, cells, pulses, rows)
