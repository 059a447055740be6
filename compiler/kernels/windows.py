"""Sliding windows over padded tiles: which runs of bytes feed the rows of a crossbar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import DenseArrayBase

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.dialects.rows import Rows
from compiler.emission.strip import Strip, Tap
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Run:
    """`size` bytes, `offset` bytes after the window's first pixel."""

    offset: int
    size: int

    def cut(self, row: int) -> list[tuple[int, int, int]]:
        """(row, offset in it, bytes) of its parts in rows of `row` bytes."""
        pieces: list[tuple[int, int, int]] = []
        at, end = self.offset, self.offset + self.size
        while at < end:
            stop = min(end, (at // row + 1) * row)
            pieces.append((*divmod(at, row), stop - at))
            at = stop
        return pieces


class Sliding(Protocol):
    """An operation with a window: (y, x) sizes and dilations."""

    @property
    def kernel(self) -> DenseArrayBase:
        """Taps."""
        ...

    @property
    def dilations(self) -> DenseArrayBase:
        """Pixels from tap to tap."""
        ...


def extents(op: Sliding) -> tuple[int, int]:
    """Rows and columns from the first tap of a window to its last."""
    (height, width), (dy, dx) = attr.values(op.kernel), attr.values(op.dilations)
    return (height - 1) * dy + 1, (width - 1) * dx + 1


def shape_strip(shape: Shape, dtype: DType) -> Strip:
    """A whole tile as a strip at address 0, for the offsets in it."""
    height, width, channels = shape
    return Strip(0, height, width, channels, Rows(0, 0, height, height), dtype)


def places(tile: Strip, run: Run) -> list[tuple[int, int, int]]:
    """(row, offset in it, bytes) of a run: in parts where rows may wrap."""
    return [(0, run.offset, run.size)] if tile.straight else run.cut(tile.row)


def window_taps(tile: Strip, kernel: tuple[int, ...], stride: int, dilation: int) -> list[Tap]:
    """The rows of a tile that the windows of successive output rows begin at and reach."""
    return [(tile, y * dilation, stride) for y in range(kernel[0])]


def window_runs(
    tile: Strip,
    kernel: tuple[int, ...],
    dilations: tuple[int, ...],
    start: int,
    stop: int,
    channels: tuple[int, int] | None = None,
) -> list[Run]:
    """The contiguous runs that make up rows [start, stop) of a window in (y, x, channel) order.

    `channels` restricts each pixel to a half-open range of the tile's channels (all of them by default).
    """
    low, high = channels or (0, tile.channels)
    width = high - low
    runs: list[Run] = []
    for position in range(start // width, -(-stop // width)):
        y, x = divmod(position, kernel[1])
        begin, end = max(start, position * width), min(stop, (position + 1) * width)
        inside = begin - position * width
        offset = y * dilations[0] * tile.row + x * dilations[1] * tile.pixel + (low + inside) * tile.word
        size = (end - begin) * tile.word
        if runs and runs[-1].offset + runs[-1].size == offset:
            runs[-1] = Run(runs[-1].offset, runs[-1].size + size)
        else:
            runs.append(Run(offset, size))
    return runs
