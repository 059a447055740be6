"""Rows that an operation on buffers works on: their form as an attribute, and which there can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

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


def verify_rows(op: Operation, attribute: DenseArrayBase, buffers: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless the rows exist and fit `buffers`, in every iteration of the loop around `op`."""
    numbers = attr.values(attribute)
    if len(numbers) != 4 * len(buffers):
        raise VerifyException(f"rows must hold {4 * len(buffers)} numbers, four per buffer, not {len(numbers)}")
    trips = trips_around(op)
    for part, buffer in zip(rows_of(attribute), buffers, strict=True):
        _verify_part(part, attr.shape_of(buffer)[0], trips)


def trips_around(op: Operation) -> int:
    """How often the loop around `op` runs; 0 outside of loops."""
    loop = op.parent_op()
    trips = loop.properties.get("trips") if loop is not None else None
    return trips.value.data if isinstance(trips, IntegerAttr) else 0


def _verify_part(rows: Rows, depth: int, trips: int) -> None:
    end = rows.first + rows.step * max(0, trips - 1) + rows.count
    if min(rows.first, rows.step, rows.count) < 0 or end > rows.total:
        raise VerifyException("rows must hold first, step, count and total of rows that there are")
    if rows.count > depth:
        raise VerifyException("rows must be no more at a time than the buffers hold")
    if rows.step and not trips:
        raise VerifyException(f"rows advance by {rows.step}, but stand in no pim.loop")
    if rows.step and end > depth and depth % rows.step:
        raise VerifyException(f"rows cannot advance by {rows.step} in a buffer of {depth}: use a multiple")


def contiguous(rows: Rows, depth: int, trips: int) -> bool:
    """Whether there are any, and they follow each other in a buffer of `depth` rows in every iteration."""
    straight = rows.first + rows.step * max(0, trips - 1) + rows.count <= depth
    unit = rows.step or depth
    return rows.count > 0 and (straight or rows.count <= unit - rows.first % unit)
