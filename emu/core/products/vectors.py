"""One vector times a matrix with the bits that it has among others, and without copying the matrix for it.

A BLAS copies the weights of every product of matrices into an order of its own, which for one vector takes most of the
time; its product of a matrix and a vector adds in another order. But it also has one for matrices with nothing beside a
band along the diagonal: that goes through the rows of weights one by one, and adds each, times its number of the
vector, to all sums, fused where the kernel for matrices fuses. Any matrix has such a band, if only its rows stand far
enough apart. Whether the bits are the same is tried (`probe.lone`), not believed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

import numpy as np

from emu.core.products.blas import LINE, Function, address, aligned, by_address

WIDTH = 64  # columns that are multiples of it leave no rest, which a kernel may round in another way
LARGE = 1 << 16  # elements: a quarter of a megabyte, which is not in a level-2 cache when it is needed again
MOST_PIECES = 8  # of one tile: every one is another call


class VectorProducts:
    """The products of one vector, which stands in `x` [rows], with the `tiles` [its rows, columns] of a matrix.

    Tile k takes the rows behind those of the tiles before it; its product comes to `sums[k]` [columns]. Small tiles are
    copied to where their rows stand far enough apart. Large ones are not: they are multiplied piece by piece.
    """

    def __init__(self, function: Function, tiles: Sequence[np.ndarray]) -> None:
        cols = tiles[0].shape[1]
        width = _up(cols, WIDTH)
        self.x = aligned(sum(len(tile) for tile in tiles))
        self._places = aligned(len(tiles) * width).reshape(len(tiles), width)
        self.sums = [place[:cols] for place in self._places]
        self._tiles = tiles if in_place(tiles) else _spread(tiles, width)
        self._function, self._calls, low = function, list[tuple[object, ...]](), 0
        for tile, place in zip(self._tiles, self._places, strict=True):
            self._calls += _calls(tile, self.x[low : low + len(tile)], place)
            low += len(tile)

    def multiply(self) -> list[np.ndarray]:
        """Set `sums`, and return them."""
        self._places.fill(0)
        for call in self._calls:
            self._function(*call)
        return self.sums


def in_place(tiles: Sequence[np.ndarray]) -> bool:
    """Whether `tiles` are so large that they are not copied, and stand where they can be multiplied."""
    return sum(tile.size for tile in tiles) >= LARGE and all(_piece(tile) for tile in tiles)


def _piece(tile: np.ndarray) -> tuple[int, int] | None:
    """Rows and columns of the pieces of `tile`, few and large, that can be multiplied where they stand; None if none.

    When the rows of a piece are shifted to the diagonal, they must not meet.
    """
    (rows, cols), (apart, step) = tile.shape, tile.strides
    if cols % WIDTH or step != tile.itemsize or apart % step:
        return None
    pieces: list[tuple[int, int, int]] = []
    for parts in range(1, MOST_PIECES + 1):
        height = -(-rows // parts)
        width = min(cols, (apart // step + 2 - height) // WIDTH * WIDTH)
        if width > 0:
            pieces.append((parts * -(-cols // width), height, width))
    count, height, width = min(pieces, default=(MOST_PIECES + 1, 0, 0))
    return (height, width) if count <= MOST_PIECES else None


def _spread(tiles: Sequence[np.ndarray], width: int) -> list[np.ndarray]:
    """Copies of `tiles` side by side, with zeros up to `width` columns, that are one piece each."""
    height = max(len(tile) for tile in tiles)
    apart = _up(max(len(tiles) * width, width + height - 2), LINE // 4)
    whole = aligned(height * apart).reshape(height, apart)
    spread = [whole[: len(tile), k * width : (k + 1) * width] for k, tile in enumerate(tiles)]
    for copy, tile in zip(spread, tiles, strict=True):
        copy[:, : tile.shape[1]] = tile
    return spread


def _calls(tile: np.ndarray, x: np.ndarray, sums: np.ndarray) -> Iterator[tuple[object, ...]]:
    """The arguments with which the pieces of `tile` add their products with `x` to `sums`, rows in their order."""
    (rows, cols), piece = tile.shape, _piece(tile)
    assert piece is not None
    one, step, factor = by_address(1), by_address(tile.strides[0] // tile.itemsize + 1), ctypes.byref(ctypes.c_float(1))
    for low in range(0, rows, piece[0]):
        height = min(piece[0], rows - low)
        for left in range(0, cols, piece[1]):
            width = min(piece[1], cols - left)
            sizes = by_address(width), by_address(height), by_address(width - 1), by_address(height - 1)
            matrix = ctypes.c_void_p(tile[low:, left:].ctypes.data - tile.itemsize * (height - 1)), step
            places = address(x[low:]), one, factor, address(sums[left:]), one
            yield (ctypes.c_char_p(b"N"), *sizes, factor, *matrix, *places, ctypes.c_size_t(1))


def _up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple
