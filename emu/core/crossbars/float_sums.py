"""Sums of floats: one product per tile, rounded to f32, added in the order of the tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.core.crossbars.crossbar import F32
from emu.core.crossbars.matrices import viewed_matrix
from emu.core.crossbars.sums import TileSums
from emu.core.products.blas import Function, aligned
from emu.core.products.packed import PackedSums, PackedTiles
from emu.core.products.probe import lone, packed
from emu.core.products.vectors import VectorProducts, in_place
from emu.core.products.ways import INNER, ProductWay

MANY = 64  # single vectors after which large tiles are packed: for a few of them that does not pay


class FloatSums(TileSums):
    """Tiles of f32 are multiplied by `way`, or where that has the same bits by what is faster.

    That is the kernel alone with packed tiles, and for single vectors, while large tiles are not packed or where there
    is no such kernel, another function of the BLAS.
    """

    def __init__(
        self, way: ProductWay, tiles: Sequence[np.ndarray], rows: Sequence[tuple[int, int]], cols: int
    ) -> None:
        super().__init__(tiles, rows, cols, F32)
        self._way, self._vectors = way, lone(way)
        some = cols % way.multiple == 0 and all(high - low <= INNER for low, high in rows)
        self._kernel = packed(way) if some else None
        # Made on first use: the tiles as the way, a vector and the kernel take them, and calls for a single vector.
        self._factors: list[np.ndarray] = []
        self._alone: VectorProducts | None = None
        self._packed: PackedTiles | None = None
        self._singles: dict[tuple[bool, bool], PackedSums] = {}
        self._unpacked = MANY if self._kernel and self._vectors and in_place(self._used()) else 0

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> None:
        """As `TileSums`."""
        if src.size != self._length:
            super().multiply(dst, src, accumulate, relu)
        elif self._packs(1):
            single = self._singles.get((accumulate, relu)) or self._made_single(accumulate, relu)
            single.x[...] = src
            if accumulate:
                single.total[...] = dst
            single()
            dst[...] = single.total
        elif self._vectors is not None:
            self._multiply_alone(self._vectors, dst, src, accumulate, relu)
        else:
            super().multiply(dst, src, accumulate, relu)

    def bound(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        """As `TileSums`; where the kernel packs vectors, these need not be those of a matrix."""
        packs = dst.dtype == src.dtype == F32 and self._packs(src.size // self._length)
        target = viewed_matrix(dst) if packs else None
        if target is None or np.may_share_memory(dst, src):
            return super().bound(dst, src, accumulate, relu)
        return self._summing(src, target, accumulate, relu)

    def _packs(self, count: int) -> bool:
        """Whether so many vectors are multiplied by packed tiles."""
        if count == 1 and self._packed is None and self._unpacked:
            self._unpacked -= 1
            return False
        return self._kernel is not None

    def _made_single(self, accumulate: bool, relu: bool) -> PackedSums:
        """A product of a vector that stands elsewhere: in the place of the sums, perhaps, or in another type."""
        x, total = aligned(self._length).reshape(1, -1), aligned(self._cols).reshape(1, -1)
        self._singles[accumulate, relu] = single = self._packed_sums(x, total, accumulate, relu)
        return single

    def _multiply_alone(
        self, function: Function, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool
    ) -> None:
        alone = self._alone
        if alone is None:
            alone = self._alone = VectorProducts(function, self._used())
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

    def _summing(self, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> Callable[[], object]:
        sums = super()._summing if self._kernel is None else self._packed_sums
        return sums(x, total, accumulate, relu)

    def _packed_sums(self, x: np.ndarray, total: np.ndarray, accumulate: bool, relu: bool) -> PackedSums:
        tiles = self._packed
        if tiles is None:
            assert self._kernel is not None
            tiles = self._packed = PackedTiles(self._kernel, self._way, self._used())
            self._alone = None
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
