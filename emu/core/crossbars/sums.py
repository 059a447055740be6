"""Sums of products with tiles, one below the other: how they come to their place, for numbers of any type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from emu.core.crossbars.blocks import blocks, in_turn
from emu.core.crossbars.crossbar import HEIGHT
from emu.core.crossbars.matrices import as_matrix, viewed_matrix
from emu.room import room


class TileSums(ABC):
    """What vectors are multiplied by: `tiles` [rows, padded columns] of one type, of which `cols` columns are in use.

    Sums are of type `sum_type`. What a tile takes of a vector are the elements `rows` [first, behind the last).
    """

    def __init__(
        self, tiles: Sequence[np.ndarray], rows: Sequence[tuple[int, int]], cols: int, sum_type: np.dtype
    ) -> None:
        self._tiles, self._rows, self._cols, self._sum_type = tiles, [slice(*both) for both in rows], cols, sum_type
        self._type, self._padded, self._length = tiles[0].dtype, tiles[0].shape[1], rows[-1][1]
        self._zero = sum_type.type(0)

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> None:
        """dst [*box, cols] = (dst +) src [*box, rows] x tiles; then, with `relu`, what is negative becomes 0."""
        if src.size <= HEIGHT * self._length:
            self._multiply_some(dst, src, accumulate, relu)
            return
        for index in blocks(src.shape[:-1], HEIGHT):
            self._multiply_some(dst[index], src[index], accumulate, relu)

    def _multiply_some(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> None:
        """The same for as many vectors as are multiplied at once."""
        x = as_matrix(src, self._type)
        # Sums come to their place at once, unless they are rounded there or vectors lie there that are still read.
        direct = dst.dtype == self._sum_type and not np.may_share_memory(dst, x)
        target = viewed_matrix(dst) if direct else None
        if target is not None:
            total = target
        elif accumulate:
            total = dst.astype(self._sum_type).reshape(len(x), self._cols)
        else:
            total = room("sums", (len(x), self._cols), self._sum_type)
        self._summing(x, total, accumulate, relu)()
        if target is None:
            dst[...] = total.reshape(dst.shape)

    def bound(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        """`multiply`, to be called again and again with these arrays: where they stand is looked at once."""
        x = viewed_matrix(src) if src.dtype == self._type and self._length < src.size else None
        target = viewed_matrix(dst) if dst.dtype == self._sum_type else None
        if x is None or target is None or len(x) > HEIGHT or np.may_share_memory(dst, src):
            return partial(self.multiply, dst, src, accumulate, relu)
        return self._summing(x, target, accumulate, relu)

    def _summing(self, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        """What sets total [vectors, cols] = (total +) x [vectors, rows] x tiles, then `relu`, whenever it is called."""
        calls: list[Callable[[], object]] = [
            partial(self._product, k, x[:, rows], total, accumulate or k > 0) for k, rows in enumerate(self._rows)
        ]
        if relu:
            calls.append(partial(np.maximum, total, self._zero, out=total))
        return in_turn(calls)

    @abstractmethod
    def _product(self, k: int, x: np.ndarray, total: np.ndarray, accumulate: bool) -> None:
        """total [vectors, cols] = (total +) x [vectors, its rows] x tile `k`."""
        ...
