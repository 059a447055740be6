"""The result of a row of the benchmark: our value, the baseline's, their ratio, and the goal."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

RELATIONS: Mapping[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMeasurement:
    """`ours` and `baseline` in `unit`; `against` says what the baseline is, `note` how it was measured.

    Without a baseline there is no ratio, only a target for ours. `details` are further plain values for JSON.
    """

    ours: float
    baseline: float | None
    unit: str
    against: str = ""
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Our value over that of the baseline."""
        return None if self.baseline is None else self.ours / self.baseline


@dataclass(frozen=True, slots=True)
class BenchGoal:
    """A limit on the `ratio`, or on the value of `ours` in `unit`."""

    relation: str  # "<=" or ">="
    value: float
    of: str = "ratio"  # or "ours"
    unit: str = ""

    def met(self, measurement: RowMeasurement) -> bool:
        """Whether the measurement is within the limit; it has what the limit is of."""
        value = measurement.ours if self.of == "ours" else measurement.ratio
        if value is None:
            raise ValueError(f"a limit on the ratio, but nothing to compare with: {measurement.note}")
        return RELATIONS[self.relation](value, self.value)

    def text(self) -> str:
        """The limit for people; a ratio has an x."""
        return f"{self.relation} {self.value:g}" + ("x" if self.of == "ratio" else f" {self.unit}".rstrip())


@dataclass(frozen=True, slots=True)
class RowOutcome:
    """A row that was measured, or the sentence that says why not."""

    name: str
    title: str
    target: BenchGoal | None
    moonshot: BenchGoal | None
    measurement: RowMeasurement | None
    error: str = ""

    @property
    def verdict(self) -> str:
        """`moonshot`, `met`, `missed`, `failed`, or nothing without a target."""
        if self.measurement is None:
            return "failed"
        if self.moonshot is not None and self.moonshot.met(self.measurement):
            return "moonshot"
        if self.target is None:
            return ""
        return "met" if self.target.met(self.measurement) else "missed"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        measured = self.measurement
        return {
            "row": self.name,
            "title": self.title,
            "ours": measured.ours if measured else None,
            "baseline": measured.baseline if measured else None,
            "ratio": measured.ratio if measured else None,
            "unit": measured.unit if measured else "",
            "against": (measured.against or None) if measured else None,
            "target": self.target.text() if self.target else None,
            "moonshot": self.moonshot.text() if self.moonshot else None,
            "verdict": self.verdict,
            "note": measured.note if measured else self.error,
            "details": dict(measured.details) if measured else {},
        }
