"""What timing a subject gives: plain values for --json, and the same for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under `columns`; `right`: an "r" for each column of numbers, else "l"."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    right: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """`values` for --json; `lines` and `tables` for people; `warnings` are sentences for stderr; `csv` for --csv.

    `details` are the tables for people who ask for them.
    """

    values: Mapping[str, Any]
    lines: Sequence[str]
    tables: Sequence[Table] = ()
    warnings: Sequence[str] = field(default=())
    csv: str = ""
    details: Sequence[Table] = ()


def time_text(ps: int) -> str:
    """Picoseconds in the unit that people read: ns up to a microsecond, then us, ms, s; no digit is lost."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("us", 10**6)):
        if ps >= size:
            return f"{_exact(ps, size)} {unit}"
    return f"{_exact(ps, 1000)} ns"


def short_time(ps: int) -> str:
    """The same in five digits, for what is read and not computed with."""
    return time_text(round(ps, min(0, _DIGITS - len(str(ps)))))


def energy_text(pj: float) -> str:
    """Picojoules in the unit that people read, six digits."""
    for unit, size in (("J", 1e12), ("mJ", 1e9), ("uJ", 1e6), ("nJ", 1e3)):
        if pj >= size:
            return f"{pj / size:.6g} {unit}"
    return f"{pj:.6g} pJ"


def _exact(ps: int, size: int) -> str:
    whole, rest = divmod(ps, size)
    digits = str(size + rest)[1:].rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
