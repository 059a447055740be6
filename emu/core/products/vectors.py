"""One vector times a matrix with the bits that it has among others, and without copying the matrix for it.

A BLAS copies the weights of every product of matrices into an order of its own, which for one vector takes most of the
time; its product of a matrix and a vector adds in another order. But it also has one for matrices with nothing beside a
band along the diagonal: that goes through the rows of weights one by one, and adds each, times its number of the
vector, to all sums, fused where the kernel for matrices fuses. Any matrix has such a band, if only its rows stand far
enough apart. Whether the bits are the same is tried (`probe.lone`), not believed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec

import numpy as np

LINE = 64  # bytes of a cache line
WIDTH = 64  # columns that are multiples of it leave no rest, which a kernel may round in another way
NAMES = ("scipy_sgbmv_64_", "sgbmv_64_", "scipy_sgbmv_", "sgbmv_")  # in Fortran's way: numbers by their addresses

Banded = Callable[..., object]


@cache
def banded() -> Banded | None:
    """The product of a banded matrix and a vector in the BLAS that NumPy has loaded, if it has one by a known name."""
    spec = find_spec("numpy._core._multiarray_umath")
    try:
        library = ctypes.PyDLL(spec.origin) if spec and spec.origin else None
    except OSError:
        return None
    function = next((found for name in NAMES if (found := getattr(library, name, None))), None)
    if function is not None:
        function.restype = None
    return function


class VectorProducts:
    """The products of one vector, which stands in `x` [rows], with the `tiles` [its rows, columns] of a matrix.

    Tile k takes the rows behind those of the tiles before it; its product comes to `sums[k]` [columns].
    """

    def __init__(self, function: Banded, tiles: Sequence[np.ndarray]) -> None:
        height, cols = max(len(tile) for tile in tiles), tiles[0].shape[1]
        width = _up(cols, WIDTH)
        # Tiles stand side by side. Rows that are so far apart do not meet when all are shifted to the diagonal.
        apart = _up(max(len(tiles) * width, width + height - 2), LINE // 4)
        self._layout = _aligned(height * apart).reshape(height, apart)
        self.x = _aligned(sum(len(tile) for tile in tiles))
        self._places = _aligned(len(tiles) * width).reshape(len(tiles), width)
        self.sums = [place[:cols] for place in self._places]
        self._function, self._calls = function, list[tuple[object, ...]]()
        one, step, stay = _number(1), _number(apart + 1), ctypes.byref(ctypes.c_float(1))
        below, low = _number(width - 1), 0
        for k, tile in enumerate(tiles):
            rows, left = len(tile), k * width
            self._layout[:rows, left : left + cols] = tile
            matrix = _address(self._layout, left - (rows - 1)), step
            sizes = _number(width), _number(rows), below, _number(rows - 1)
            places = _address(self.x, low), one, stay, _address(self._places, k * width), one
            self._calls.append((ctypes.c_char_p(b"N"), *sizes, stay, *matrix, *places, ctypes.c_size_t(1)))
            low += rows

    def multiply(self) -> list[np.ndarray]:
        """Set `sums`, and return them."""
        self._places.fill(0)
        for call in self._calls:
            self._function(*call)
        return self.sums


def _up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def _aligned(count: int) -> np.ndarray:
    """Zeros, f32 [count], from the begin of a cache line on."""
    raw = np.zeros(count + LINE // 4, np.float32)
    start = -raw.ctypes.data % LINE // 4
    return raw[start : start + count]


def _number(value: int) -> object:
    """A whole number for a function of either width: in memory the low half comes first."""
    return ctypes.byref(ctypes.c_int64(value))


def _address(array: np.ndarray, element: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + array.itemsize * element)
