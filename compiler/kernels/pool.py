"""Kernel `pool`: maximum or mean over windows, one strided pass per kernel position; padding is never read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.ir import Operation

from compiler.codegen.activations import emit_epilogue
from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import WORD, Strip, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap, window_rows
from compiler.weights import Array, WeightStore

PoolOp = spat.PoolOp | pim.PoolOp


def valid_range(out: int, size: int, stride: int, shift: int) -> tuple[int, int]:
    """Outputs [low, high) whose source `output * stride + shift` lies inside [0, size)."""
    low = max(0, -(shift // stride)) if shift < 0 else 0
    high = min(out, (size - 1 - shift) // stride + 1)
    return low, max(low, high)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Elements per window: `rows` [output rows] times `columns` [output columns].

    They are those inside of the image, or with count_include_pad those inside of the padded image.
    """

    rows: Array
    columns: Array

    @property
    def uniform(self) -> float | None:
        """The count that all windows have, if they have one."""
        all_counts = {int(row * column) for row in set(self.rows.tolist()) for column in set(self.columns.tolist())}
        return float(all_counts.pop()) if len(all_counts) == 1 else None

    def table(self, rows: Array) -> Array:
        """[row][column][1] float32 for the given row counts."""
        return (rows[:, None, None] * self.columns[None, :, None]).astype(np.float32)


def _counts(op: PoolOp, source: tuple[int, int], out: tuple[int, int]) -> _Counts:
    """Counts for an image and a result of the given heights and widths."""
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    dilations, pads = attr.values(op.dilations), attr.values(op.pads)
    include = bool(op.count_include_pad.value.data)
    counts: list[Array] = []
    for axis in (0, 1):
        low, high = (0, source[axis]) if not include else (-pads[axis], source[axis] + pads[axis + 2])
        first = np.arange(out[axis]) * strides[axis] - pads[axis]
        below, inside = (-((first - bound) // dilations[axis]) for bound in (low, high))  # taps before each bound
        counts.append(inside.clip(0, kernel[axis]) - below.clip(0, kernel[axis]))
    return _Counts(*counts)


def _spat_counts(op: Operation) -> _Counts:
    source, out = attr.shape_of(op.operands[0]), attr.shape_of(op.results[0])
    return _counts(cast(spat.PoolOp, op), (source[0], source[1]), (out[0], out[1]))


def _strip_counts(op: PoolOp, source: Strip, out: Strip) -> _Counts:
    return _counts(op, (source.rows.total, source.width), (out.rows.total, out.width))


def _rows(op: Operation) -> list[RowMap]:
    pool = cast(spat.PoolOp, op)
    kernel, strides, dilations = attr.values(pool.kernel), attr.values(pool.strides), attr.values(pool.dilations)
    return window_rows(op, kernel[0], strides[0], dilations[0], attr.values(pool.pads)[0])


def _variant(op: Operation, first: int, count: int) -> tuple[int, ...]:
    """The row counts of the output rows that a mean divides by."""
    if cast(spat.PoolOp, op).kind.data == "max":
        return ()
    return tuple(_spat_counts(op).rows[first : first + count].tolist())


def _constants(op: Operation, weights: WeightStore, streamed: bool) -> list[Array]:
    if cast(spat.PoolOp, op).kind.data == "max":
        return [np.full((1, 1, 1), -np.inf, np.float32)]
    counts = _spat_counts(op)
    if counts.uniform is not None:
        return []
    return [counts.table(np.unique(counts.rows) if streamed else counts.rows)]


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.PoolOp, kernel)
    (source,), (out,) = emitter.operands(op)
    epilogue = attr.epilogue_of(op.epilogue)
    if _whole_image(op, source):
        with emitter.section.loop(out.channels) as c:
            strided = source.at((c, WORD), stride=source.channels)
            emitter.vector("vavg", (out.at((c, WORD)), strided), source.height * source.width)
        emit_epilogue(emitter, epilogue, out.at(), out.elements)
        return
    for row, size in out.blocks():
        elements = size * out.width * out.channels
        if op.kind.data == "max":
            lowest = emitter.strip(op.constants[0])
            emitter.vector("vmv", (out.at(row=row), lowest.at(stride=0)), elements)
        else:
            emitter.fill(out.at(row=row), 0, elements * WORD)
    _accumulate(emitter, op, source, out)
    if op.kind.data == "average":
        _divide(emitter, op, source, out)
    for row, size in out.blocks():
        emit_epilogue(emitter, epilogue, out.at(row=row), size * out.width * out.channels)


def _whole_image(op: pim.PoolOp, source: Strip) -> bool:
    """One window over the image without padding: a mean that one instruction per channel computes."""
    image = (source.rows.total, source.width)
    return op.kind.data == "average" and attr.values(op.kernel) == image and not any(attr.values(op.pads))


def _accumulate(emitter: Emitter, op: pim.PoolOp, source: Strip, out: Strip) -> None:
    """One pass over the outputs per kernel position, where its tap lies inside the image."""
    kernel, strides = attr.values(op.kernel), attr.values(op.strides)
    dilations, pads = attr.values(op.dilations), attr.values(op.pads)
    name = "vvmax" if op.kind.data == "max" else "vvadd"
    shift = out.rows.first * strides[0] - source.rows.first - pads[0]  # of the first window in the strip
    columns = _taps(kernel[1], dilations[1], -pads[1], (out.width, source.width, strides[1]))
    for dy, top, bottom in _taps(kernel[0], dilations[0], shift, (out.height, source.height, strides[0])):
        for dx, left, right in columns:
            first = top * strides[0] + dy
            for row, size in blocks(bottom - top, [(out, top, 1), (source, first, strides[0])]):
                with emitter.pixels(size, right - left) as (y, x):
                    at = out.at((y, out.row), (x, out.pixel), row=top + row, offset=left * out.pixel)
                    tap = source.at(
                        (y, strides[0] * source.row),
                        (x, strides[1] * source.pixel),
                        row=first + row * strides[0],
                        offset=(left * strides[1] + dx) * source.pixel,
                    )
                    emitter.vector(name, (at, at, tap), out.channels)


def _taps(kernel: int, dilation: int, shift: int, axis: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """Offset of each tap along an axis, and its outputs [low, high), where there are any inside of the image."""
    offsets = (tap * dilation + shift for tap in range(kernel))
    return [(offset, low, high) for offset in offsets for low, high in (valid_range(*axis, offset),) if low < high]


def _divide(emitter: Emitter, op: pim.PoolOp, source: Strip, out: Strip) -> None:
    counts = _strip_counts(op, source, out)
    if counts.uniform is not None:
        for row, size in out.blocks():
            at = out.at(row=row)
            emitter.immediate("vsdiv", (at, at), size * out.width * out.channels, counts.uniform)
        return
    table = emitter.strip(op.constants[0])
    for row, size, count_row, step in _count_rows(op, counts, out):
        with emitter.pixels(size, out.width) as (y, x):
            at = out.at((y, out.row), (x, out.pixel), row=row)
            count = table.at((y, step * table.row), (x, table.pixel), row=count_row, stride=0)
            emitter.vector("vvdiv", (at, at, count), out.channels)


def _count_rows(op: pim.PoolOp, counts: _Counts, out: Strip) -> Iterator[tuple[int, int, int, int]]:
    """(first row, rows, row of the table, its step per row): the table holds all rows, or each row count once."""
    if op.rows is None:
        yield 0, out.height, 0, 1
        return
    distinct = np.unique(counts.rows).tolist()
    own = counts.rows[out.rows.first : out.rows.first + out.height].tolist()
    for row, size in out.blocks():
        for at in range(row, row + size):
            yield at, 1, distinct.index(own[at]), 0


POOL = Kernel(spat.PoolOp, pim.PoolOp, _emit, constants=_constants, rows=_rows, variant=_variant)
