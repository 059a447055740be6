"""Products of matrices with weights that are packed once, added to sums where these stand.

NumPy's product packs the weights every time, which for some dozens of vectors takes as long as multiplying, and knows
no sum that it could add to. The kernel below it (`blas`) does one thing: to each sum it adds, rounded once, the product
of a vector and a column, of which the way of multiplying says where it may stand. So the sums over the tiles of a
matrix take no other memory and no other pass. Whether the bits are the same is tried (`probe.packed`), not believed.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from emu.core.products.blas import BEHIND, Function, Kernel, address, aligned, whole
from emu.core.products.ways import INNER, PIECE_ROWS, ProductWay
from emu.room import room

LINE_ROWS = 8  # vectors that any kernel takes at once: what is packed of a line must end with them
PACKED = 1 << 16  # elements of vectors that are packed at once: half of a level-2 cache
ONE, ZERO = ctypes.c_float(1), np.float32(0)

Call = tuple[Function, tuple[object, ...]]


class _Place(threading.local):
    """Where vectors are packed, again and again: one place per thread, since cores of a thread take turns."""

    def __init__(self) -> None:
        self.vectors = aligned(PACKED + PIECE_ROWS * INNER + BEHIND)
        self.address = self.vectors.ctypes.data


_place = _Place()


class PackedTiles:
    """Tiles [their rows, cols], of at most INNER rows each, that `kernel` multiplies by in pieces of `way`."""

    def __init__(self, kernel: Kernel, way: ProductWay, tiles: Sequence[np.ndarray]) -> None:
        self.kernel, self.way = kernel, way
        self.cols = tiles[0].shape[1]
        self.heights = [len(tile) for tile in tiles]
        self._packed = [self._pack(tile) for tile in tiles]
        self.addresses = [packed.ctypes.data for packed in self._packed]

    def _pack(self, tile: np.ndarray) -> np.ndarray:
        tile = tile if tile.strides[1] == 4 and tile.flags.aligned else np.ascontiguousarray(tile)
        packed, far = aligned(tile.size + BEHIND), whole(tile.strides[0] // 4)
        self.kernel.pack_weights(whole(len(tile)), whole(self.cols), address(tile), far, address(packed))
        return packed


class Lines(NamedTuple):
    """Vectors in memory: where each line of `length` of them begins, and the bytes from one to the next in a line."""

    starts: list[int]
    length: int
    distance: int

    def parts(self, row: int, rows: int) -> Iterator[tuple[int, int, int]]:
        """The rows from `row` on line by line: the first, how many they are, and where they begin."""
        end = row + rows
        while row < end:
            line, at = divmod(row, self.length)
            rows = min(self.length - at, end - row)
            yield row, rows, self.starts[line] + at * self.distance
            row += rows


def lines_of(x: np.ndarray) -> Lines | None:
    """The vectors of `x` [*box, n], f32, as lines that can be packed where they stand, if they can."""
    *box, width = x.shape
    *far, step = x.strides
    if step != 4 or not x.flags.aligned:
        return None
    axes = [(count, distance) for count, distance in zip(box, far, strict=True) if count != 1]
    count, distance = axes.pop() if axes else (1, width * 4)
    while axes and axes[-1][1] == distance * count:
        count *= axes.pop()[0]
    if distance % 4 or distance < width * 4 or (axes and count % LINE_ROWS):
        return None
    starts = [x.ctypes.data]
    for trips, bytes_apart in axes:
        starts = [start + trip * bytes_apart for start in starts for trip in range(trips)]
    return Lines(starts, count, distance)


class PackedSums:
    """total [vectors, cols] = (total +) x [*box, rows] x tiles, then with `relu` what is negative becomes 0.

    It is called again and again; `x` and `total` are f32, the vectors of `total` dense, and share no memory. Like
    NumPy's, a sum is never -0: it starts at 0, or from what stands there plus 0.
    """

    def __init__(self, tiles: PackedTiles, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> None:
        self.x, self.total = x, total
        self._tiles, self._accumulate, self._relu = tiles, accumulate, relu
        self._place = self._copied = np.empty(0)
        self._calls = list[Call]()

    def __call__(self) -> None:
        """Compute."""
        if self._place is not _place.vectors:
            self._calls = list(self._made())
            self._place = _place.vectors
        for function, arguments in self._calls:
            function(*arguments)

    def _made(self) -> Iterator[Call]:
        """What is called, as many vectors at a time as are packed at once."""
        height, lines = len(self.total), lines_of(self.x)
        if lines is None:
            copied = self._copied = room("inputs", (height, self.x.shape[-1]), self.x.dtype)
            yield np.copyto, (copied.reshape(self.x.shape), self.x)
            lines = lines_of(copied)
            assert lines is not None
        times = max(1, -(-height * max(self._tiles.heights) // PACKED))
        step = -(-height // (times * PIECE_ROWS)) * PIECE_ROWS
        for low in range(0, height, step or 1):
            total = self.total[low : low + step]
            yield (np.add, (total, ZERO, total)) if self._accumulate else (total.fill, (0,))
            yield from self._products(lines, low, total)
            if self._relu:
                yield partial(np.maximum, total, ZERO, out=total), ()

    def _products(self, lines: Lines, low: int, total: np.ndarray) -> Iterator[Call]:
        """`total` += the products of its vectors, which begin at `low` of all."""
        tiles, place, (origin, apart) = self._tiles, _place.address, (total.ctypes.data, total.strides[0])
        add, _, pack = tiles.kernel
        pieces, runs = tiles.way.pieces(len(total), tiles.cols)
        sources = [part for row, rows in runs for part in lines.parts(low + row, rows)]
        distance, between, before = whole(lines.distance // 4), whole(apart // 4), 0
        sums = [ctypes.c_void_p(origin + piece.row * apart + piece.col * 4) for piece in pieces]
        rows_of, columns_of = {piece.row for piece in pieces}, {piece.col for piece in pieces}
        for height, weights in zip(tiles.heights, tiles.addresses, strict=True):
            inner = whole(height)
            vectors = {row: ctypes.c_void_p(place + row * height * 4) for row in rows_of}
            columns = {col: ctypes.c_void_p(weights + col * height * 4) for col in columns_of}
            for row, rows, start in sources:
                to = ctypes.c_void_p(place + (row - low) * height * 4)
                yield pack, (inner, whole(rows), ctypes.c_void_p(start + before), distance, to)
            for (row, rows, col, cols), target in zip(pieces, sums, strict=True):
                yield add, (whole(cols), whole(rows), inner, ONE, columns[col], vectors[row], target, between)
            before += height * 4
