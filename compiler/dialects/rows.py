"""Rows that an operation on buffers works on: their form as an attribute, and which there can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.typed import ListAttribute, range_text, read_number, read_range


@dataclass(frozen=True, slots=True)
class Rows:
    """`count` rows of a tile of `total` rows, from `first` on; in a loop `first` advances by `step` per iteration."""

    first: int
    step: int
    count: int
    total: int


@irdl_attr_definition
class RowsAttr(ListAttribute[Rows]):
    """Rows of tiles, one range for each buffer: `0:2 of 8`, and `by 2` if it advances so in every iteration."""

    name = "tile.rows"

    @staticmethod
    def item_text(item: Rows) -> str:
        """The first iteration's range, the height of the tile, and the step if there is one."""
        step = f" by {item.step}" if item.step else ""
        return f"{range_text((item.first, item.first + item.count))} of {item.total}{step}"

    @classmethod
    def read_item(cls, parser: AttrParser) -> Rows:
        """Rows of one buffer; raises ParseError."""
        first, end = read_range(parser)
        parser.parse_keyword("of")
        total = read_number(parser)
        return Rows(first, read_number(parser) if parser.parse_optional_keyword("by") else 0, end - first, total)


def rows_attribute(rows: Iterable[Rows]) -> RowsAttr:
    """Rows as an attribute."""
    return RowsAttr(tuple(rows))


def rows_of(attribute: RowsAttr | None) -> list[Rows]:
    """The inverse of `rows_attribute`; empty for None."""
    return [] if attribute is None else list(attribute.data)


def verify_rows(op: Operation, attribute: RowsAttr, buffers: Sequence[SSAValue]) -> None:
    """Raise VerifyException unless the rows exist and fit `buffers`, in every iteration of the loop around `op`."""
    if len(attribute) != len(buffers):
        raise VerifyException(f"rows must hold {len(buffers)} ranges, one per buffer, not {len(attribute)}")
    trips = trips_around(op)
    for part, buffer in zip(attribute.data, buffers, strict=True):
        _verify_part(part, attr.shape_of(buffer)[0], trips)


def trips_around(op: Operation) -> int:
    """How often the loop around `op` runs; 0 outside of loops."""
    loop = op.parent_op()
    trips = loop.properties.get("trips") if loop is not None else None
    return trips.value.data if isinstance(trips, IntegerAttr) else 0


def _verify_part(rows: Rows, depth: int, trips: int) -> None:
    end = rows.first + rows.step * max(0, trips - 1) + rows.count
    if min(rows.first, rows.step, rows.count) < 0 or end > rows.total:
        raise VerifyException("rows must be ranges of rows that there are")
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
