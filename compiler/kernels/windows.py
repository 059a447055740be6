"""Windows that slide over padded tiles of any number of axes: their runs of bytes, and loops over their places."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import Protocol

from xdsl.dialects.builtin import DenseArrayBase

from compiler.dialects import attributes as attr
from compiler.dialects.kernel import Shape
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, Tap

Steps = tuple[tuple[int, int], ...]  # (loop, bytes per iteration), for an address


@dataclass(frozen=True, slots=True)
class WindowRun:
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
    """An operation with a window: its sizes and dilations along each axis but the channels, in the order of memory."""

    @property
    def kernel(self) -> DenseArrayBase:
        """Taps."""
        ...

    @property
    def dilations(self) -> DenseArrayBase:
        """Pixels from tap to tap."""
        ...


class Strided(Sliding, Protocol):
    """A window that moves by strides along each axis but the channels."""

    @property
    def strides(self) -> DenseArrayBase:
        """Pixels from window to window."""
        ...


def extents(op: Sliding) -> Shape:
    """Per axis the pixels from the first tap of a window to its last."""
    pairs = zip(attr.values(op.kernel), attr.values(op.dilations), strict=True)
    return tuple((size - 1) * step + 1 for size, step in pairs)


def axis_steps(shape: Shape, word: int, strides: Sequence[int] = ()) -> tuple[int, ...]:
    """Bytes per axis, but the channels, of a tile of elements of `word` bytes: to the next pixel, or the next window.

    `strides` are the pixels from window to window (1 by default).
    """
    steps = tuple(word * prod(shape[axis + 1 :]) for axis in range(len(shape) - 1))
    return tuple(step * stride for step, stride in zip(steps, strides, strict=True)) if strides else steps


@contextmanager
def sweep(
    emitter: Emitter, rows: int, inner: Sequence[int], *moves: Sequence[int]
) -> Generator[list[tuple[tuple[int, int], ...]]]:
    """Loops over `rows` rows and the further axes of sizes `inner`; yields for each of `moves` the steps of an address.

    Each of `moves` holds the bytes per axis of one tile, rows first. Neighbouring axes over which every tile goes on
    evenly are one loop, and those of size 1 none, but there is always one beside that over the rows.
    """
    axes = _merged(inner, [move[1:] for move in moves])
    with ExitStack() as loops:
        y = loops.enter_context(emitter.rows(rows))
        open_loops = [loops.enter_context(emitter.section.loop(size)) for size, _ in axes]
        yield [
            ((y, move[0]), *((loop, steps[tile]) for loop, (_, steps) in zip(open_loops, axes, strict=True)))
            for tile, move in enumerate(moves)
        ]


def _merged(sizes: Sequence[int], moves: Sequence[Sequence[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """(size, bytes per tile) of the loops over axes of `sizes`."""
    axes: list[tuple[int, tuple[int, ...]]] = []
    for axis, size in enumerate(sizes):
        steps = tuple(move[axis] for move in moves)
        if size == 1 and (axes or axis + 1 < len(sizes)):
            continue
        if axes and axes[-1][1] == tuple(step * size for step in steps):
            axes[-1] = axes[-1][0] * size, steps
        else:
            axes.append((size, steps))
    return axes


def run_pieces(tile: Strip, run: WindowRun) -> list[tuple[int, int, int]]:
    """(row, offset in it, bytes) of a run: in parts where rows may wrap."""
    return [(0, run.offset, run.size)] if tile.straight else run.cut(tile.row)


def window_taps(tile: Strip, kernel: tuple[int, ...], stride: int, dilation: int) -> list[Tap]:
    """The rows of a tile that the windows of successive output rows begin at and reach."""
    return [(tile, y * dilation, stride) for y in range(kernel[0])]


def window_runs(
    shape: Shape,
    word: int,
    window: tuple[tuple[int, ...], tuple[int, ...]],
    start: int,
    stop: int,
    channels: tuple[int, int] | None = None,
) -> list[WindowRun]:
    """The contiguous runs that make up rows [start, stop) of a window in (..., y, x, channel) order.

    The tile of `shape` has elements of `word` bytes; `window` are its kernel and dilations. `channels` restricts each
    pixel to a half-open range of the tile's channels (all of them by default).
    """
    low, high = channels or (0, shape[-1])
    width = high - low
    steps = axis_steps(shape, word, window[1])
    taps = product(*([tap * step for tap in range(size)] for size, step in zip(window[0], steps, strict=True)))
    first, last = start // width, -(-stop // width)
    runs: list[WindowRun] = []
    for position, tap in enumerate(islice(taps, first, last), start=first):
        begin, end = max(start, position * width), min(stop, (position + 1) * width)
        offset = sum(tap) + (low + begin - position * width) * word
        size = (end - begin) * word
        if runs and runs[-1].offset + runs[-1].size == offset:
            runs[-1] = WindowRun(runs[-1].offset, runs[-1].size + size)
        else:
            runs.append(WindowRun(offset, size))
    return runs
