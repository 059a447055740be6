"""Compares an output with that of the interpretation: integers exactly, floats by what sums in f32 may lose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from launch.text.units import number_text

# Of an element, and of the largest one of its output: what sums in f32 may lose, and rounding to f16 beside.
RELATIVE, OF_LARGEST = 1e-4, 1e-5
_OF_F16 = 4e-3, 1e-3


@dataclass(frozen=True, slots=True)
class OutputDifference:
    """How far an output is from the golden one; `differ` of its `elements` are too far.

    With a `tolerance`, `deviation` is the largest difference as a share of the largest golden element.
    """

    name: str
    elements: int
    differ: int
    largest: float
    tolerance: float | None = None
    deviation: float = 0.0

    @property
    def right(self) -> bool:
        """Whether no element differs."""
        return not self.differ

    def line(self) -> str:
        """The comparison as a line."""
        verdict = "PASS" if self.right else "FAIL"
        if self.tolerance is not None:
            return (
                f"{verdict}  {self.name}: {self.differ} of {self.elements} elements deviate by more than"
                f" {self.tolerance:.2%} of the largest one, max deviation {self.deviation:.2%}"
                f" ({number_text(self.largest)})"
            )
        return (
            f"{verdict}  {self.name}: {self.differ} of {self.elements} elements differ,"
            f" max|diff| {number_text(self.largest)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        values = {"name": self.name, "elements": self.elements, "differ": self.differ, "max_diff": self.largest}
        measured = {"tolerance": self.tolerance, "deviation": self.deviation}
        return values if self.tolerance is None else values | measured


def compare(name: str, made: np.ndarray, golden: np.ndarray, tolerance: float | None = None) -> OutputDifference:
    """Compare one output; another shape or type differs in all its elements.

    With a `tolerance` elements may differ by this share of the largest finite one of the output.
    """
    if (made.shape, made.dtype) != (golden.shape, golden.dtype):
        return OutputDifference(name, golden.size, max(golden.size, 1), 0.0, tolerance)
    if tolerance is not None:
        return _measured(name, made, golden, tolerance)
    if golden.dtype.kind != "f":
        differ = made != golden
        distance = np.abs(made.astype(np.float64) - golden.astype(np.float64))
        return OutputDifference(name, golden.size, int(differ.sum()), float(distance.max(initial=0)))
    with np.errstate(all="ignore"):
        a, b = made.astype(np.float64), golden.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0, np.abs(a - b))
        scale = np.abs(b[np.isfinite(b)]).max(initial=0)
        relative, of_largest = _OF_F16 if golden.dtype == np.float16 else (RELATIVE, OF_LARGEST)
        close = same | (distance <= relative * np.abs(b) + of_largest * scale)
    largest = distance[np.isfinite(distance)].max(initial=0)
    return OutputDifference(name, golden.size, int((~close).sum()), float(largest))


def _measured(name: str, made: np.ndarray, golden: np.ndarray, tolerance: float) -> OutputDifference:
    with np.errstate(all="ignore"):
        a, b = made.astype(np.float64), golden.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        distance = np.where(same, 0, np.abs(a - b))
        scale = float(np.abs(b[np.isfinite(b)]).max(initial=0))
        far = ~(distance <= tolerance * scale)
        largest = float(np.where(np.isnan(distance), np.inf, distance).max(initial=0))
    return OutputDifference(
        name, golden.size, int(far.sum()), largest, tolerance, largest / scale if scale else largest
    )
