"""What is known of each chip of a sweep, and which of them are worth building: those on the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


# Of the answer of `emu time --json`; None: the chip does not say enough.
FIGURES = ("latency_ps", "period_ps", "energy_pj", "power_mw", "area_mm2")
OBJECTIVES = ("latency_ps", "energy_pj", "area_mm2")  # less of each is better
RATE = "samples_per_s"


@dataclass(frozen=True, slots=True)
class Point:
    """A chip of a sweep: its `figures`, or the `reason` why there are none. `steady` and `idle` as in `emu time`.

    `left_out` are actions that happen and have no price, so that the energy is too low.
    """

    changes: Changes
    figures: Mapping[str, float | None]
    reason: str = ""
    steady: bool = True
    idle: Mapping[str, Any] | None = None
    left_out: frozenset[str] = frozenset()

    @property
    def timed(self) -> bool:
        """Whether there are figures."""
        return not self.reason

    @property
    def shown(self) -> tuple[float | None, ...]:
        """The figures in their order: points that have the same look the same."""
        return tuple(self.figures.get(name) for name in FIGURES)

    def to_dict(self, on_front: bool, same_as: int | None) -> dict[str, Any]:
        """Plain values."""
        known = {name: self.figures.get(name) for name in (*FIGURES[:2], RATE, *FIGURES[2:])}
        return {
            "values": dict(self.changes),
            **known,
            "pareto": on_front,
            "same_as": same_as,
            "idle": self.idle,
            "reason": self.reason or None,
        }


def timed_point(changes: Changes, answer: Mapping[str, Any]) -> Point:
    """The point that `emu time --json` has answered for."""
    period = answer["period_ps"]
    figures = {name: answer[name] for name in FIGURES} | {RATE: 1e12 / period if period else None}
    steady = answer["steady"] or answer["samples"] < 3
    return Point(changes, figures, steady=steady, idle=answer["idle"], left_out=frozenset(answer["unpriced"]))


def objectives_of(points: Sequence[Point]) -> tuple[str, ...]:
    """The objectives of the Pareto front: those that every timed point has."""
    timed = [point for point in points if point.timed]
    return tuple(name for name in OBJECTIVES if timed and all(point.figures[name] is not None for point in timed))


def same_as(points: Sequence[Point]) -> list[int | None]:
    """For each point the place of the first one with the same figures; None if it is the first, or has none."""
    first: dict[tuple[float | None, ...], int] = {}
    found: list[int | None] = []
    for place, point in enumerate(points):
        known = first.setdefault(point.shown, place) if point.timed else place
        found.append(None if known == place else known)
    return found


def front_of(points: Sequence[Point]) -> list[bool]:
    """Whether each point is on the Pareto front: none that could not be timed, or repeats another one's figures."""
    names, repeated = objectives_of(points), same_as(points)
    timed = [place for place, point in enumerate(points) if point.timed and repeated[place] is None]
    rows = [[points[place].figures[name] or 0.0 for name in names] for place in timed]
    on_front = dict(zip(timed, pareto_front(rows), strict=True))
    return [on_front.get(place, False) for place in range(len(points))]
