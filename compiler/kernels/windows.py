"""Sliding windows over padded tiles: which runs of bytes feed the rows of a crossbar."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.codegen.emitter import WORD, Buffer


@dataclass(frozen=True, slots=True)
class Run:
    """`size` bytes, `offset` bytes after the window's first pixel."""

    offset: int
    size: int


def window_runs(
    tile: Buffer,
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
        offset = y * dilations[0] * tile.row + x * dilations[1] * tile.pixel + (low + inside) * WORD
        size = (end - begin) * WORD
        if runs and runs[-1].offset + runs[-1].size == offset:
            runs[-1] = Run(runs[-1].offset, runs[-1].size + size)
        else:
            runs.append(Run(offset, size))
    return runs
