"""Rows that an operation of `pim` works on, and their form as an attribute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase

from compiler.dialects import attributes as attr


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` rows of a tile of `total` rows, from `first` on; in a loop `first` advances by `step` per iteration."""

    first: int
    step: int
    count: int
    total: int


def rows_attribute(rows: Iterable[Rows]) -> DenseArrayBase:
    """Rows as an `array<i64>`: first, step, count and total of each."""
    return attr.ints(number for part in rows for number in (part.first, part.step, part.count, part.total))


def rows_of(attribute: DenseArrayBase | None) -> list[Rows]:
    """The inverse of `rows_attribute`; empty for None."""
    flat = attr.values(attribute)
    return [Rows(*flat[k : k + 4]) for k in range(0, len(flat), 4)]
