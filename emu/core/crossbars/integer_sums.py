"""Sums of integers: products whose sums are exact in their type, which wrap in that of sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.core.crossbars.crossbar import F32, I32, I64
from emu.core.crossbars.sums import TileSums
from emu.room import room


class IntegerSums(TileSums):
    """Tiles of a type, of floats or int64, in which no sum over one of them is rounded: their order does not matter."""

    def __init__(
        self, tiles: Sequence[np.ndarray], rows: Sequence[tuple[int, int]], cols: int, sum_type: np.dtype
    ) -> None:
        super().__init__(tiles, rows, cols, sum_type)
        fits = self._type == F32 and sum_type.kind == "i" and sum_type.itemsize >= 4
        # What does not fit into the type of sums wraps there, through a type of integers that holds it.
        self._wraps = sum_type != F32 and self._type != I64 and not fits
        self._between = I32 if self._type == F32 else I64

    def _product(self, k: int, x: np.ndarray, total: np.ndarray, accumulate: bool) -> None:
        shape = len(x), self._padded
        product = np.matmul(x, self._tiles[k], room("products", shape, self._type))[:, : self._cols]
        if self._wraps:
            product = product.astype(self._between)
        if not accumulate:
            np.copyto(total, product, casting="unsafe")
            return
        if product.dtype != self._sum_type:
            whole = room("whole", total.shape, self._sum_type)
            np.copyto(whole, product, casting="unsafe")
            product = whole
        np.add(total, product, total)
