"""Optional figures as fields of dataclasses: what each means and may be; None stands for "not published"."""

from __future__ import annotations

from dataclasses import MISSING, Field, field, fields
from typing import Any

from emu.arch_checks import Check, Flag, Number, Real, Square, Text

PICOSECOND = 1e-3  # ns; the smallest step of simulated time
SMALLEST_RATE = 1e-9


def time(meaning: str) -> Any:
    """A duration of a step that may take no time; the key ends with its unit, `_ns`."""
    return _optional(Real(), meaning)


def positive_time(meaning: str) -> Any:
    """A duration of at least a picosecond; the key ends with its unit, `_ns`."""
    return _optional(Real(PICOSECOND), meaning)


def amount(meaning: str) -> Any:
    """A cost of at least 0: energy (`_pj`, `_nj`), power (`_mw`) or area (`_mm2`)."""
    return _optional(Real(), meaning)


def rate(meaning: str) -> Any:
    """A rate, more than 0."""
    return _optional(Real(SMALLEST_RATE), meaning)


def whole(meaning: str, high: int = 1 << 20) -> Any:
    """A count from 1 to `high`."""
    return _optional(Number(1, high), meaning)


def flag(meaning: str) -> Any:
    """Yes or no."""
    return _optional(Flag(), meaning)


def choice(choices: tuple[str, ...], meaning: str) -> Any:
    """A word of `choices`."""
    return _optional(Text(choices), meaning)


def words(meaning: str) -> Any:
    """Any text."""
    return _optional(Text(), meaning)


def square(meaning: str) -> Any:
    """A square table of numbers of at least 0."""
    return _optional(Square(), meaning)


def _optional(check: Check, meaning: str) -> Any:
    return field(default=None, metadata={"check": check, "meaning": meaning})


def checks_of(cls: type) -> dict[str, Check]:
    """The figures of a dataclass by key, with what each may be."""
    return {key: f.metadata["check"] for key, f in _figures(cls).items()}


def meanings_of(cls: type) -> dict[str, str]:
    """The figures of a dataclass by key, in words."""
    return {key: f.metadata["meaning"] for key, f in _figures(cls).items()}


def components_of(cls: type) -> dict[str, type]:
    """The components of a table's dataclass by name, with the dataclass of each."""
    return {f.name: _class_of(f) for f in fields(cls) if f.default_factory is not MISSING}


def _figures(cls: type) -> dict[str, Field[Any]]:
    return {f.name: f for f in fields(cls) if "check" in f.metadata}


def _class_of(f: Field[Any]) -> type:
    assert isinstance(f.default_factory, type)
    return f.default_factory
