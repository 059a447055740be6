"""A row of the benchmark: what is measured, by which function, and its goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from emu.errors import EmuError
from launch.bench.measurement import BenchGoal, RowMeasurement, RowOutcome
from launch.bench.workshop import Workshop


@dataclass(frozen=True, slots=True)
class BenchRow:
    """`function`, called with a workshop and `arguments`, gives the measurement."""

    name: str
    title: str
    function: Callable[..., RowMeasurement]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    target: BenchGoal | None = None
    moonshot: BenchGoal | None = None

    def measure(self, work: Workshop) -> RowOutcome:
        """Measure; an error becomes part of the outcome, so that the other rows go on."""
        measured, error = None, ""
        try:
            measured = self.function(work, **self.arguments)
        except EmuError as failure:
            error = str(failure)
        except Exception as failure:
            error = f"internal error ({type(failure).__name__}: {failure})"
        return RowOutcome(self.name, self.title, self.target, self.moonshot, measured, error)


class Goals(TypedDict, total=False):
    """What a row aims at."""

    target: BenchGoal
    moonshot: BenchGoal


def at_most(*ratios: float) -> Goals:
    """Limits of the ratio: the target, and a moonshot, if there is one."""
    return _goals([BenchGoal("<=", ratio) for ratio in ratios])


def at_least(*ratios: float) -> Goals:
    """The same of a ratio that should be large."""
    return _goals([BenchGoal(">=", ratio) for ratio in ratios])


def within(unit: str, *values: float) -> Goals:
    """The same of our own value, in `unit`."""
    return _goals([BenchGoal("<=", value, "ours", unit) for value in values])


def _goals(goals: list[BenchGoal]) -> Goals:
    return {"target": goals[0], "moonshot": goals[1]} if len(goals) > 1 else {"target": goals[0]}
