"""A sweep as lines and a table for people, as CSV, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from emu.errors import option
from emu.wording import counted
from launch.sweeps.notes import few, notes_of
from launch.sweeps.points import FIGURES, RATE, Point, front_of, objectives_of, same_as
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import changes_text, value_text
from launch.text.answer import Table
from launch.text.csv_text import csv_text
from launch.text.units import energy_text, number_text, power_text, time_text

COLUMNS = (*FIGURES[:2], RATE, *FIGURES[2:], "pareto", "reason")  # of the CSV table, behind the keys
FRONT, NOT_TIMED = "front", "no"
_ANSWERS = {True: {"pareto": "yes"}, False: {"pareto": "no"}}  # in CSV
WORDS = {"latency_ps": "latency", "energy_pj": "energy", "area_mm2": "area"}


@dataclass(frozen=True)
class SweepReport:
    """The points of a finished sweep, and what follows from them."""

    sweep: Sweep
    points: Sequence[Point]

    @cached_property
    def front(self) -> list[bool]:
        """Whether each point is on the Pareto front."""
        return front_of(self.points)

    @cached_property
    def same(self) -> list[int | None]:
        """For each point the place of the first one with the same figures, if it is not the first."""
        return same_as(self.points)

    @cached_property
    def notes(self) -> list[str]:
        """Notes on the figures."""
        return notes_of(self.sweep, self.points)

    @property
    def keys(self) -> list[str]:
        """The keys that were varied."""
        return list(self.sweep.combinations[0])

    @property
    def objectives(self) -> tuple[str, ...]:
        """The objectives of the Pareto front."""
        return objectives_of(self.points)

    @property
    def failure(self) -> str:
        """Why there is not a single figure; empty if there is one."""
        if any(point.timed for point in self.points):
            return ""
        first = self.points[0]
        return f"no point of the sweep can be timed; with {changes_text(first.changes)}: {first.reason}"

    @property
    def warnings(self) -> list[str]:
        """Warnings about the figures."""
        early = sum(not point.steady for point in self.points)
        found = [f"{counted(early, 'point')} did not reach the steady state: ask for more with {option('samples')}"]
        return [*(found if early else ()), *self._unlike()]

    def _unlike(self) -> list[str]:
        """That energies are not of the same things."""
        timed = [point for point in self.points if point.timed and point.figures["energy_pj"] is not None]
        where = {
            name: [changes_text(p.changes) for p in timed if name in p.left_out] for p in timed for name in p.left_out
        }
        return [
            f"with {few(points)}: {name} has no price, so that the energy is too low beside that of the others"
            for name, points in sorted(where.items())
            if len(points) < len(timed)
        ]

    def values(self) -> dict[str, Any]:
        """Times in ps, energies in pJ, powers in mW, areas in mm2; what is not known is null."""
        return {
            "subject": "model" if self.sweep.is_model else "image",
            "path": str(self.sweep.subject),
            "arch": self.sweep.base.name,
            "keys": self.keys,
            "objectives": list(self.objectives),
            "points": self._plain(),
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def _plain(self) -> list[dict[str, Any]]:
        rows = zip(self.points, self.front, self.same, strict=True)
        return [point.to_dict(front, same) for point, front, same in rows]

    def csv(self) -> str:
        """One row per point: the values of the keys, the figures, whether it is on the front, or why it has none."""
        rows = [
            [*map(value_text, point.changes.values()), *((plain | _ANSWERS[plain["pareto"]])[name] for name in COLUMNS)]
            for point, plain in zip(self.points, self._plain(), strict=True)
        ]
        return csv_text((*self.keys, *COLUMNS), rows)

    def lines(self) -> list[str]:
        """The lines above the table."""
        timed = sum(point.timed for point in self.points)
        words = " x ".join(WORDS[name] for name in self.objectives)
        on_front = f"; {sum(self.front)} on the Pareto front of {words}" if timed else ""
        return [
            f"{self.sweep.subject} on {self.sweep.base.name}: {counted(len(self.points), 'point')},"
            f" {timed} timed{on_front}"
        ]

    def table(self) -> Table:
        """One row per point."""
        rows = [
            (*map(value_text, point.changes.values()), *_cells(point), _mark(point, front, same))
            for point, front, same in zip(self.points, self.front, self.same, strict=True)
        ]
        columns = (*self.keys, "latency", "per sample", "samples/s", "energy", "power", "area", "")
        return Table("", columns, rows, "r" * (len(columns) - 1) + "l")

    def reasons(self) -> list[str]:
        """Why points have no figures, each reason once."""
        found: dict[str, list[str]] = {}
        for point in self.points:
            if not point.timed:
                found.setdefault(point.reason, []).append(changes_text(point.changes))
        return [f"not timed with {few(where)}: {reason}" for reason, where in found.items()]


def _cells(point: Point) -> list[str]:
    """The figures of a point in the units that people read."""
    figures = point.figures
    texts = (
        ("latency_ps", time_text),
        ("period_ps", time_text),
        (RATE, number_text),
        ("energy_pj", energy_text),
        ("power_mw", power_text),
        ("area_mm2", lambda area: f"{number_text(area)} mm2"),
    )
    return ["" if figures.get(name) is None else text(figures[name]) for name, text in texts]


def _mark(point: Point, front: bool, same: int | None) -> str:
    """The mark of a point on the front, or the row, counted from 1, that it equals."""
    if same is not None:
        return f"as row {same + 1}"
    return FRONT if front else "" if point.timed else NOT_TIMED
