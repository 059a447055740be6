"""How many rows each compute makes at a time, so that those behind it begin while it goes on with the image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.mapping import tuned


def rows_of_parts(computes: Sequence[spat.ComputeOp], parts: int) -> dict[spat.ComputeOp, int]:
    """Rows at a time of each compute that makes its results in several parts, `parts` at most.

    The same number of parts for all keeps layers with strides in step: 4 rows of one are 2 rows of the next. What would
    send less than `tuned.LEAST_MESSAGE` bytes at a time makes more rows.
    """
    chosen: dict[spat.ComputeOp, int] = {}
    for compute in computes:
        height = max(attr.shape_of(value)[0] for value in compute.outputs)
        row = max(attr.bytes_of(value) // max(1, attr.shape_of(value)[0]) for value in compute.outputs)
        rows = max(-(-height // parts), -(-tuned.LEAST_MESSAGE // max(1, row)))
        if rows < height:
            chosen[compute] = rows
    return chosen


def finer() -> Iterator[int]:
    """Numbers of parts to try, each twice the one before: memory falls with the rows of a part."""
    parts = tuned.PARTS_OF_IMAGE
    while parts <= 1 << 16:
        yield parts
        parts *= 2


def with_room(computes: Sequence[spat.ComputeOp], limit: int) -> set[int]:
    """The cores of which all tiles, and what kernels need beside them, stand whole in `limit` bytes of local memory.

    Only those that make some rows at a time, by the `rows` of a compute: no ring comes round in them then.
    """
    held = at_most(computes)
    return {compute.number for compute in computes if compute.rows is not None and held[compute.number] <= limit}


def at_most(computes: Sequence[spat.ComputeOp]) -> Counter[int]:
    """Bytes of local memory that each core does not exceed, with all of its tiles and what kernels need beside them."""
    held = Counter[int]()
    for compute in computes:
        values = {*compute.tiles, *(value for op in compute.body.block.ops for value in op.results)}
        held[compute.number] += 2 * sum(map(attr.bytes_of, values))
    return held
