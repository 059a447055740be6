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

import numpy as np

from emu.core.products.blas import BEHIND, Function, Kernel, address, aligned, whole
from emu.core.products.ways import INNER, PIECE_ROWS, ProductWay

PACKED = 1 << 16  # elements of vectors that are packed at once: half of a level-2 cache
ONE, ZERO = ctypes.c_float(1), np.float32(0)

Call = tuple[Function, tuple[object, ...]]


class _Place(threading.local):
    """Where vectors are packed, again and again: one place per thread, since cores of a thread take turns."""

    def __init__(self) -> None:
        self.vectors = aligned(PACKED + PIECE_ROWS * INNER + BEHIND)


_place = _Place()


class PackedTiles:
    """Tiles [their rows, cols], of at most INNER rows each, that `kernel` multiplies by in pieces of `way`."""

    def __init__(self, kernel: Kernel, way: ProductWay, tiles: Sequence[np.ndarray]) -> None:
        self.kernel, self.way = kernel, way
        self.cols = tiles[0].shape[1]
        self.heights = [len(tile) for tile in tiles]
        self.packed = [self._packed(tile) for tile in tiles]

    def _packed(self, tile: np.ndarray) -> np.ndarray:
        tile = np.ascontiguousarray(tile)
        packed = aligned(tile.size + BEHIND)
        far = whole(self.cols)
        self.kernel.pack_weights(whole(len(tile)), far, address(tile), far, address(packed))
        return packed


class PackedSums:
    """total [vectors, cols] = (total +) x [vectors, rows] x tiles, then with `relu` what is negative becomes 0.

    It is called again and again; `x` and `total` are f32, their vectors dense, and share no memory. Like NumPy's, a sum
    is never -0: it starts at 0, or from what stands there plus 0.
    """

    def __init__(self, tiles: PackedTiles, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> None:
        self._tiles, self._x, self._total, self._accumulate, self._relu = tiles, x, total, accumulate, relu
        self._place, self._calls = np.empty(0), list[Call]()

    def __call__(self) -> None:
        """Compute."""
        if self._place is not _place.vectors:
            self._place = _place.vectors
            self._calls = list(self._made())
        for function, arguments in self._calls:
            function(*arguments)

    def _made(self) -> Iterator[Call]:
        """What is called, as many vectors at a time as are packed at once."""
        height = len(self._x)
        times = -(-height * max(self._tiles.heights) // PACKED)
        step = -(-height // (times * PIECE_ROWS)) * PIECE_ROWS if times else height
        for low in range(0, height, max(step, 1)):
            total = self._total[low : low + step]
            yield (np.add, (total, ZERO, total)) if self._accumulate else (total.fill, (0,))
            yield from self._products(self._x[low : low + step], total)
            if self._relu:
                yield partial(np.maximum, total, ZERO, out=total), ()

    def _products(self, x: np.ndarray, total: np.ndarray) -> Iterator[Call]:
        tiles, place = self._tiles, self._place.ctypes.data
        add, _, pack = tiles.kernel
        pieces, runs = tiles.way.pieces(len(x), tiles.cols)
        start, far, apart = x.ctypes.data, x.strides[0], total.strides[0]
        origin, distance, between = total.ctypes.data, whole(far // 4), whole(apart // 4)
        sums = [ctypes.c_void_p(origin + piece.row * apart + piece.col * 4) for piece in pieces]
        for height, weights in zip(tiles.heights, tiles.packed, strict=True):
            inner = whole(height)
            for row, rows in runs:
                source, to = ctypes.c_void_p(start + row * far), ctypes.c_void_p(place + row * height * 4)
                yield pack, (inner, whole(rows), source, distance, to)
            vectors = {row: ctypes.c_void_p(place + row * height * 4) for row in {piece.row for piece in pieces}}
            columns = {col: address(weights, col * height) for col in {piece.col for piece in pieces}}
            for (row, rows, col, cols), target in zip(pieces, sums, strict=True):
                yield add, (whole(cols), whole(rows), inner, ONE, columns[col], vectors[row], target, between)
            start += height * 4
