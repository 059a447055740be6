"""One figure of a chip description: what it means and which values are possible; None stands for "not published"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from emu.errors import shown
from emu.wording import nearest

LARGEST = 1e9  # of any figure, in its unit: a second in ns, a millijoule in pJ, a megawatt in mW
PICOSECOND = 1e-3  # ns; the smallest step of simulated time


@dataclass(frozen=True, slots=True)
class Real:
    """A finite number from `low` (in the unit of the key) to `LARGEST`."""

    low: float = 0.0

    def read(self, value: object) -> float:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ValueError(f"must be a number, not {shown(value)}")
        if not self.low <= value <= LARGEST:  # NaN is in no range
            hint = "" if isinstance(value, int) or math.isfinite(value) else ": leave the key out if it is not known"
            raise ValueError(f"must be from {self.low:g} to {LARGEST:g}, not {shown(value)}{hint}")
        return float(value)


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `low` to `high`."""

    low: int = 1
    high: int = 1 << 20

    def read(self, value: object) -> int:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"must be an integer, not {shown(value)}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be from {self.low} to {self.high}, not {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""

    def read(self, value: object) -> bool:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    choices: tuple[str, ...]

    def read(self, value: object) -> str:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, str):
            raise ValueError(f"must be a string, not {shown(value)}")
        if value not in self.choices:
            raise ValueError(
                f"must be one of {', '.join(self.choices)}, not {shown(value)}{nearest(value, self.choices)}"
            )
        return value


@dataclass(frozen=True, slots=True)
class Square:
    """A square table of numbers of at least 0, as rows of equal length."""

    largest: int = 1 << 10  # rows

    def read(self, value: object) -> tuple[tuple[float, ...], ...]:
        """The checked rows; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not value or len(value) > self.largest:
            raise ValueError(f"must be a list of 1 to {self.largest} rows of numbers, not {shown(value)}")
        return tuple(self._row(place, row, len(value)) for place, row in enumerate(value))

    def _row(self, place: int, row: object, length: int) -> tuple[float, ...]:
        if not isinstance(row, (list, tuple)) or len(row) != length:
            raise ValueError(f"must have as many numbers in each row as it has rows, {length}: row {place} has not")
        try:
            return tuple(Real().read(value) for value in row)
        except ValueError as error:
            raise ValueError(f"row {place} {error}") from None


Check = Real | Whole | Flag | Choice | Square


def time(meaning: str) -> Any:
    """An optional duration of a step that may take no time; the key ends with its unit, `_ns`."""
    return _optional(Real(), meaning)


def positive_time(meaning: str) -> Any:
    """An optional duration of at least a picosecond; the key ends with its unit, `_ns`."""
    return _optional(Real(PICOSECOND), meaning)


def amount(meaning: str) -> Any:
    """An optional cost of at least 0: energy (`_pj`), power (`_mw`) or area (`_mm2`)."""
    return _optional(Real(), meaning)


def rate(meaning: str) -> Any:
    """An optional rate, more than 0."""
    return _optional(Real(1e-9), meaning)


def whole(meaning: str, high: int = 1 << 20) -> Any:
    """An optional count from 1 to `high`."""
    return _optional(Whole(1, high), meaning)


def flag(meaning: str) -> Any:
    """An optional yes or no."""
    return _optional(Flag(), meaning)


def choice(choices: tuple[str, ...], meaning: str) -> Any:
    """An optional word of `choices`."""
    return _optional(Choice(choices), meaning)


def square(meaning: str) -> Any:
    """An optional square table of numbers."""
    return _optional(Square(), meaning)


def _optional(check: Check, meaning: str) -> Any:
    return field(default=None, metadata={"check": check, "meaning": meaning})


def checks_of(cls: type) -> dict[str, Check]:
    """The figures of a dataclass by key, with what each may be."""
    return {key: f.metadata["check"] for key, f in _figures(cls).items()}


def meanings_of(cls: type) -> dict[str, str]:
    """The figures of a dataclass by key, in words."""
    return {key: f.metadata["meaning"] for key, f in _figures(cls).items()}


def _figures(cls: type) -> Mapping[str, Field[Any]]:
    return {f.name: f for f in fields(cls) if "check" in f.metadata}
