"""Kernel `concat`: channel slices of tiles placed into one tile; what nothing covers is zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.ir import Operation

from compiler.codegen.emitter import Emitter
from compiler.codegen.strip import WORD, Strip, blocks
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap

Origin = tuple[int, int, int]  # y, x, channel


def _rows(op: Operation) -> list[RowMap]:
    """Each input begins at the row of its origin."""
    tops = attr.values(cast(spat.ConcatOp, op).origins)[::3]
    return [RowMap(attr.shape_of(value)[0], before=top) for value, top in zip(op.operands, tops, strict=True)]


@dataclass(frozen=True, slots=True)
class _Part:
    """Channels [start, start + size) of some rows of a tile, and where they begin in the output's strip."""

    source: Strip
    origin: Origin
    start: int
    size: int

    @property
    def rows(self) -> tuple[int, int]:
        """The rows of the output's strip that it covers."""
        return self.origin[0], self.origin[0] + self.source.height


def _emit(emitter: Emitter, kernel: pim.BufferKernel) -> None:
    op = cast(pim.ConcatOp, kernel)
    inputs, (out,) = emitter.operands(op)
    origins = zip(*[iter(attr.values(op.origins))] * 3, strict=True)
    parts = [
        _Part(source, (y + source.rows.first - out.rows.first, x, channel), start, size)
        for source, (y, x, channel), start, size in zip(
            inputs, origins, attr.values(op.starts), attr.values(op.sizes), strict=True
        )
        if source.height
    ]
    _zero_uncovered(emitter, parts, out)
    for part in parts:
        _place(emitter, part, out)


def _zero_uncovered(emitter: Emitter, parts: Sequence[_Part], out: Strip) -> None:
    covered = sum(part.source.height * part.source.width * part.size for part in parts)
    if covered == out.elements:
        return
    frames = {(part.rows, part.origin[1], part.source.width) for part in parts}
    if len(frames) != 1 or sum(part.size for part in parts) != out.channels:
        for row, size in out.blocks():
            emitter.fill(out.at(row=row), 0, size * out.row)
        return
    (rows, left, width) = frames.pop()
    for row, size in out.blocks():
        _zero_frame(emitter, out, row, size, (max(rows[0] - row, 0), min(rows[1] - row, size)), left, width)


def _zero_frame(
    emitter: Emitter, out: Strip, row: int, size: int, rows: tuple[int, int], left: int, width: int
) -> None:
    """Of `size` contiguous rows, all but `width` pixels from `left` on in those of `rows`.

    The frame of an image is a run before it, a run between each two rows, and a run after it.
    """
    if rows[0] >= rows[1]:
        emitter.fill(out.at(row=row), 0, size * out.row)
        return
    first = rows[0] * out.row + left * out.pixel
    gap = (out.width - width) * out.pixel
    last = first + (rows[1] - rows[0] - 1) * out.row + width * out.pixel
    emitter.fill(out.at(row=row), 0, first)
    if gap and rows[1] - rows[0] > 1:
        with emitter.rows(rows[1] - rows[0] - 1) as y:
            emitter.fill(out.at((y, out.row), row=row, offset=first + width * out.pixel), 0, gap)
    emitter.fill(out.at(row=row, offset=last), 0, size * out.row - last)


def _place(emitter: Emitter, part: _Part, out: Strip) -> None:
    """Copy the channels of every pixel, in the longest runs that are contiguous on both sides."""
    source, (top, left, channel) = part.source, part.origin
    offset = left * out.pixel + channel * WORD
    for row, size in blocks(source.height, [(source, 0, 1), (out, top, 1)]):
        if part.size == source.channels == out.channels:
            if source.width == out.width:
                emitter.copy(out.at(row=top + row, offset=offset), source.at(row=row), size * source.row)
                continue
            with emitter.rows(size) as y:
                dst = out.at((y, out.row), row=top + row, offset=offset)
                emitter.copy(dst, source.at((y, source.row), row=row), source.row)
            continue
        with emitter.pixels(size, source.width) as (y, x):
            dst = out.at((y, out.row), (x, out.pixel), row=top + row, offset=offset)
            src = source.at((y, source.row), (x, source.pixel), row=row, offset=part.start * WORD)
            emitter.copy(dst, src, part.size * WORD)


CONCAT = Kernel(spat.ConcatOp, pim.ConcatOp, _emit, rows=_rows)
