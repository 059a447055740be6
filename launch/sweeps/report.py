"""A sweep as lines and a table for people, as CSV, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from emu.errors import option
from emu.wording import counted
from launch.sweeps.metrics import METRICS
from launch.sweeps.notes import notes_of
from launch.sweeps.points import Point, front_of, known_to_all, same_as
from launch.sweeps.prices import priced_unlike
from launch.sweeps.sweep import Sweep
from launch.sweeps.values import value_text
from launch.sweeps.variations import changes_text
from launch.sweeps.wording import listed, places_text
from launch.text.answer import Table
from launch.text.csv_text import csv_text

FRONT, NOT_TIMED = "front", "no"
_ANSWERS = {True: "yes", False: "no"}  # in CSV


@dataclass(frozen=True)
class SweepReport:
    """The points of a finished sweep, and what follows from them."""

    sweep: Sweep
    points: Sequence[Point]

    @cached_property
    def front(self) -> list[bool]:
        """Whether each point is on the Pareto front."""
        return front_of(self.points, self.sweep.metrics.compared, self.sweep.metrics.shown)

    @cached_property
    def same(self) -> list[int | None]:
        """For each point the place of the first one with the same figures, if it is not the first."""
        return same_as(self.points, self.sweep.metrics.shown)

    @cached_property
    def notes(self) -> list[str]:
        """Notes on the figures."""
        return notes_of(self.sweep, self.points, self.sweep.metrics.shown)

    @property
    def keys(self) -> list[str]:
        """The keys that were varied."""
        return list(self.sweep.keys)

    @property
    def compared(self) -> tuple[str, ...]:
        """The metrics of the Pareto front."""
        return known_to_all(self.points, self.sweep.metrics.compared)

    @cached_property
    def columns(self) -> list[str]:
        """The metrics of CSV and JSON: those of the network, if there is one, and what else a point has."""
        network = self.sweep.subject is not None
        return [
            name
            for name, metric in METRICS.items()
            if (network and metric.network and not metric.data)
            or name == "area"
            or any(p.value(name) is not None for p in self.points)
        ]

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
        steady = f"{counted(early, 'point')} did not reach the steady state: ask for more with {option('samples')}"
        return [*([steady] if early else ()), *self._not_compared(), *priced_unlike(self.points)]

    def _not_compared(self) -> list[str]:
        """Metrics that were asked for, and that not all points have."""
        usual = self.sweep.metrics.usual
        left_out = [name for name in self.sweep.metrics.compared if name not in self.compared]
        if usual or not left_out or self.failure:
            return []
        return [f"points are not compared by {listed(left_out)}, which not all of them have"]

    def values(self) -> dict[str, Any]:
        """Times in ps, energies in pJ, powers in mW, areas in mm2; what is not known is null."""
        sweep = self.sweep
        return {
            "subject": sweep.kind,
            "path": None if sweep.subject is None else str(sweep.subject),
            "arch": [arch.name for arch in sweep.bases.values()],
            "vary": [variation.typed for variation in sweep.space.variations],
            "keys": self.keys,
            "combinations": sweep.space.size,
            "metrics": [METRICS[name].key for name in self.compared],
            "points": [self._plain(place) for place in range(len(self.points))],
            "warnings": self.warnings,
            "notes": self.notes,
        }

    def _plain(self, place: int) -> dict[str, Any]:
        point = self.points[place]
        return {
            "values": dict(point.changes),
            **self._figures(point),
            "pareto": self.front[place],
            "same_as": self.same[place],
            "idle": point.idle,
            "unpriced": sorted(point.left_out),
            "remarks": list(point.remarks),
            "reason": point.reason or None,
        }

    def _figures(self, point: Point) -> dict[str, float | None]:
        """All figures of a point, by the keys of JSON and CSV."""
        return {key: value for name in self.columns for key, value in METRICS[name].plain(point.figures).items()}

    def csv(self) -> str:
        """One row per point: the values of the keys, the figures, whether it is on the front, or why it has none."""
        rows = [
            [*map(value_text, point.changes.values()), *self._figures(point).values(), _ANSWERS[front], point.reason]
            for point, front in zip(self.points, self.front, strict=True)
        ]
        return csv_text((*self.keys, *self._figures(self.points[0]), "pareto", "reason"), rows)

    def lines(self) -> list[str]:
        """The lines above the table."""
        timed = sum(point.timed for point in self.points)
        words = " x ".join(METRICS[name].title for name in self.compared)
        on_front = f"; {sum(self.front)} on the Pareto front of {words}" if timed else ""
        done = "timed" if self.sweep.subject is not None else "computed"
        chosen = self.sweep.choice.sentence(self.sweep.space.size)
        points = chosen or counted(len(self.points), "point")
        return [f"{self.sweep.title}: {points}, {timed} {done}{on_front}"]

    def table(self) -> Table:
        """One row per point; metrics that no point has, and that nobody asked for, have no column."""
        metrics = self.sweep.metrics
        known = {name for name in metrics.shown for point in self.points if point.value(name) is not None}
        nothing = not known  # then the table says which points there would have been
        names = [name for name in metrics.shown if nothing or name in known or name in metrics.compared]
        rows = [
            (*map(value_text, point.changes.values()), *_cells(point, names), _mark(point, front, same))
            for point, front, same in zip(self.points, self.front, self.same, strict=True)
        ]
        columns = (*_titles(self.keys), *(METRICS[name].title for name in names), "")
        return Table("", columns, rows, "r" * (len(columns) - 1) + "l")

    def reasons(self) -> list[str]:
        """Why points have no figures, each reason once."""
        found: dict[str, list[Point]] = {}
        for point in self.points:
            if not point.timed:
                found.setdefault(point.reason, []).append(point)
        return [f"not timed with {places_text(where, self.points)}: {reason}" for reason, where in found.items()]


def _cells(point: Point, names: Sequence[str]) -> list[str]:
    """The metrics of a point in the units that people read."""
    return [METRICS[name].words(point.figures) for name in names]


def _mark(point: Point, front: bool, same: int | None) -> str:
    """The mark of a point on the front, or the row, counted from 1, that it equals."""
    if same is not None:
        return f"as row {same + 1}"
    return FRONT if front else "" if point.timed else NOT_TIMED


def _titles(keys: Sequence[str]) -> list[str]:
    """Keys as columns: without their table, where only one has that name."""
    own = [key.rpartition(".")[2] for key in keys]
    return [name if own.count(name) == 1 else key for name, key in zip(own, keys, strict=True)]
