"""What is known of each point of a sweep, and which of them are worth building: those on the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from launch.sweeps.metrics import METRICS, Figures
from launch.sweeps.variations import Changes


def pareto_front(costs: Sequence[Sequence[float]]) -> list[bool]:
    """Whether each row is on the front; of every column less is better. Equal rows are on it together."""
    front: list[tuple[float, ...]] = []
    on_front = [False] * len(costs)
    # In ascending order nothing can be better than what stands before it: only what is on the front so far can.
    for place in sorted(range(len(costs)), key=lambda place: tuple(costs[place])):
        row = tuple(costs[place])
        if row in front[-1:] or not any(_at_most(other, row) for other in front):
            on_front[place] = True
            if row not in front[-1:]:
                front.append(row)
    return on_front


def _at_most(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a sweep: its `figures`, or the `reason` why there are none. `steady` and `idle` as in `emu time`.

    `left_out` are actions that happen and have no price, so that the energy is too low; `remarks` are those of the
    chip.
    """

    changes: Changes
    figures: Figures
    reason: str = ""
    steady: bool = True
    idle: Mapping[str, Any] | None = None
    left_out: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    @property
    def timed(self) -> bool:
        """Whether there are figures."""
        return not self.reason

    def value(self, name: str) -> float | None:
        """The value of a metric; None if it is not known."""
        return METRICS[name].value(self.figures)

    def values(self, names: Sequence[str]) -> tuple[float | None, ...]:
        """The values of several metrics."""
        return tuple(map(self.value, names))


def answered_point(changes: Changes, answer: Mapping[str, Any], remarks: tuple[str, ...] = ()) -> Point:
    """The point of which a case has answered with figures, or failed with an error."""
    if "figures" not in answer:
        return Point(changes, {}, str(answer.get("error", "")) or "not run", remarks=remarks)
    return Point(
        changes,
        answer["figures"],
        steady=answer["steady"],
        idle=answer["idle"],
        left_out=frozenset(answer["unpriced"]),
        remarks=remarks,
    )


def known_to_all(points: Sequence[Point], names: Sequence[str]) -> tuple[str, ...]:
    """Those of some metrics that every point with figures has."""
    timed = [point for point in points if point.timed]
    return tuple(name for name in names if timed and all(point.value(name) is not None for point in timed))


def same_as(points: Sequence[Point], names: Sequence[str]) -> list[int | None]:
    """For each point the place of the first one with the same values; None if it is the first, or has none."""
    first: dict[tuple[float | None, ...], int] = {}
    found: list[int | None] = []
    for place, point in enumerate(points):
        known = first.setdefault(point.values(names), place) if point.timed else place
        found.append(None if known == place else known)
    return found


def front_of(points: Sequence[Point], compared: Sequence[str], shown: Sequence[str]) -> list[bool]:
    """Whether each point is on the front of the metrics `compared`: none without figures, or that repeats another's.

    A point repeats another's figures if all the metrics that are `shown` are the same.
    """
    names, repeated = known_to_all(points, compared), same_as(points, shown)
    timed = [place for place, point in enumerate(points) if point.timed and repeated[place] is None]
    rows = [[METRICS[name].cost(points[place].figures) for name in names] for place in timed]
    on_front = dict(zip(timed, pareto_front(rows), strict=True))
    return [on_front.get(place, False) for place in range(len(points))]
