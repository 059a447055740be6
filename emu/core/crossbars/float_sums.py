"""Sums of floats: one product per tile, rounded to f32, added in the order of the tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.core.crossbars.crossbar import F32
from emu.core.crossbars.matrices import viewed_matrix
from emu.core.crossbars.sums import TileSums
from emu.core.products.packed import PackedSums, PackedTiles
from emu.core.products.probe import lone, packed
from emu.core.products.vectors import VectorProducts
from emu.core.products.ways import INNER, ProductWay


class FloatSums(TileSums):
    """Tiles of f32 are multiplied by `way`, or where that has the same bits by what is faster.

    That is another function for a single vector, and for more of them the kernel alone with packed tiles.
    """

    def __init__(
        self, way: ProductWay, tiles: Sequence[np.ndarray], rows: Sequence[tuple[int, int]], cols: int
    ) -> None:
        super().__init__(tiles, rows, cols, F32)
        self._way, self._vectors = way, lone(way)
        some = cols % way.multiple == 0 and all(low.stop - low.start <= INNER for low in self._rows)
        self._kernel = packed(way) if some else None
        # Made on first use: the tiles as the way, a vector and the kernel take them.
        self._factors: list[np.ndarray] = []
        self._alone: VectorProducts | None = None
        self._packed: PackedTiles | None = None

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> None:
        """As `TileSums`."""
        if src.size != self._length or self._vectors is None:
            super().multiply(dst, src, accumulate, relu)
            return
        alone = self._alone
        if alone is None:
            alone = self._alone = VectorProducts(self._vectors, self._used())
        alone.x[...] = src
        sums = alone.multiply()
        if accumulate:  # the vector has been read: it may lie where the sums come to
            total, others = dst if dst.dtype == F32 else dst.astype(F32), sums
        else:
            total, others = sums[0], sums[1:]
        for product in others:
            np.add(product, total, total)
        if relu:
            np.maximum(total, self._zero, out=total)
        np.add(total, self._zero, dst)  # here underflow may have left -0, which a product among others never is

    def bound(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        """As `TileSums`; where the kernel packs vectors, these need not be those of a matrix."""
        alone = src.size == self._length and self._vectors is not None
        packs = self._kernel is not None and dst.dtype == src.dtype == F32 and not alone
        target = viewed_matrix(dst) if packs else None
        if target is None or np.may_share_memory(dst, src):
            return super().bound(dst, src, accumulate, relu)
        return self._summing(src, target, accumulate, relu)

    def _summing(self, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        if self._kernel is None:
            return super()._summing(x, total, accumulate, relu)
        tiles = self._packed
        if tiles is None:
            tiles = self._packed = PackedTiles(self._kernel, self._way, self._used())
        return PackedSums(tiles, x, total, accumulate, relu)

    def _used(self) -> list[np.ndarray]:
        return [tile[:, : self._cols] for tile in self._tiles]

    def _product(self, k: int, x: np.ndarray, total: np.ndarray, accumulate: bool) -> None:
        factor = (self._factors or self._factored())[k]
        height, whole = len(x), self._cols == self._padded
        if height == 1:
            x = np.concatenate([x, np.zeros_like(x)])
        if accumulate:
            self._way.add(total, x, factor, self._padded)
        elif whole and height > 1:
            self._way.multiply(x, factor, self._padded, total)
        else:
            total[...] = self._way.multiply(x, factor, self._padded)[:height, : self._cols]

    def _factored(self) -> list[np.ndarray]:
        self._factors = [self._way.factor(tile) for tile in self._tiles]
        return self._factors
