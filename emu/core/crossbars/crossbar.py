"""Array groups at run time: their interface to the engines, and the ideal one, without analog errors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

import numpy as np

from emu.core.crossbars.blocks import blocks
from emu.core.crossbars.origin import Origin
from emu.program.group import GroupSpec

HEIGHT = 1024  # input vectors per GEMM: 512 KiB of 128 f32 inputs
F32, F64, I64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


class Crossbar(Protocol):
    """One array group of a core.

    `write` and `multiply` get the origin of what they are given: whatever a crossbar adds to the ideal result (noise)
    must depend on nothing else, so that all engines agree.
    """

    spec: GroupSpec

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """At power-on: hold `weights` [rows, padded columns] as group `number` of core `core`.

        Columns beyond `cols` are zero. The array may be read-only, and is never written to.
        """
        ...

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace the weight rows from `row` on by `values` [rows, cols]."""
        ...

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """dst [*box, cols] = (dst +) src [*box, rows] x weights; then, with `relu`, what is negative becomes 0."""
        ...


class IdealCrossbar:
    """Partial sums per row tile, exact for integers and in f32 otherwise, added in row-tile order.

    `stacked`: one product over all row tiles where sums are floats. Its rounding differs from that of partial sums: by
    at most 2 gamma_K sum |x||w| for K rows, per product.
    """

    def __init__(self, spec: GroupSpec, stacked: bool = False) -> None:
        self.spec = spec
        self._weights = np.empty((0, 0))
        self._largest = 0  # magnitude of an integer weight that is or was held
        self._tiles: list[np.ndarray] = []  # per row tile, all columns, in the type of the product; made on first use
        self._own: set[int] = set()  # tiles that share no memory with the weights of the image
        self._scratch: np.ndarray | None = None
        self._floats = spec.input.is_float or spec.weight.is_float
        bounds = [0, spec.rows] if stacked and self._floats else np.cumsum((0, *spec.row_tiles)).tolist()
        self._rows = list(pairwise(bounds))
        # f16 sums are kept in f32 and rounded once, at the end.
        self._sum_type = F32 if spec.output.is_float else spec.output.numpy

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """Hold `weights` [rows, padded columns]."""
        wanted = (self.spec.rows, self.spec.padded_cols)
        if weights.shape != wanted:
            raise ValueError(f"weights have shape {weights.shape}, the group needs {wanted}")
        self._weights = weights

    def _product_type(self) -> np.dtype:
        """The fastest type in which a partial sum is exact (integers) or defined (f32 for floats)."""
        if self._floats:
            return F32
        limit = np.iinfo(self.spec.input.numpy)
        largest_input = max(-int(limit.min), int(limit.max))
        bound = max(self.spec.row_tiles) * largest_input * self._largest
        return F32 if bound < 1 << 24 else F64 if bound < 1 << 53 else I64

    def _prepared(self) -> list[np.ndarray]:
        if not self._tiles:
            self._largest = self._magnitude(self._weights)
            dtype = self._product_type()
            self._tiles = [np.asarray(self._weights[low:high], dtype) for low, high in self._rows]
            self._own = set() if self._weights.dtype == dtype else set(range(len(self._tiles)))
        return self._tiles

    def _magnitude(self, values: np.ndarray) -> int:
        return 0 if self._floats or not values.size else max(abs(int(values.min())), abs(int(values.max())))

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace weight rows: only the tiles that hold them change."""
        tiles = self._prepared()
        self._largest = max(self._largest, self._magnitude(values))
        dtype = self._product_type()
        for k, (low, high) in enumerate(self._rows):
            first, last = max(low, row), min(high, row + len(values))
            if tiles[k].dtype != dtype or (first < last and k not in self._own):
                tiles[k] = tiles[k].astype(dtype)  # a larger type holds all that the smaller one held
                self._own.add(k)
            if first < last:
                tiles[k][first - low : last - low, : self.spec.cols] = values[first - row : last - row]

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """The product; what it is does not depend on the origin."""
        tiles = self._tiles or self._prepared()
        for index in blocks(src.shape[:-1], HEIGHT):
            piece, target = src[index], dst[index]
            x = _matrix(piece, tiles[0].dtype)
            out = None if accumulate else self._place(target, x)
            total = self._sums(x, tiles, target if accumulate else None, out)
            if relu:
                np.maximum(total, 0, out=total)
            if out is None:
                target[...] = total.reshape(target.shape)

    def _place(self, target: np.ndarray, x: np.ndarray) -> np.ndarray | None:
        """`target` as a matrix that the product may be written to directly, or None."""
        spec = self.spec
        direct = target.dtype == x.dtype == F32 and spec.cols == spec.padded_cols and len(x) > 1
        if not direct or not target.flags.c_contiguous or not target.flags.aligned:
            return None
        return None if np.may_share_memory(target, x) else target.reshape(len(x), spec.cols)

    def _sums(
        self, x: np.ndarray, tiles: list[np.ndarray], start: np.ndarray | None, out: np.ndarray | None
    ) -> np.ndarray:
        height, cols = len(x), self.spec.cols
        if height == 1:  # a single row would take another BLAS kernel, which rounds differently
            x = np.concatenate([x, np.zeros_like(x)])
        total = None if start is None else start.reshape(height, cols).astype(self._sum_type)
        for (low, high), tile in zip(self._rows, tiles, strict=True):
            if total is None and out is not None:
                total = np.matmul(x[:, low:high], tile, out=out)
                continue
            room = self._room(len(x), tile) if len(tiles) == 1 or total is not None else None
            partial = np.matmul(x[:, low:high], tile, out=room)[:height, :cols]
            if partial.dtype != self._sum_type:
                partial = self._to_sum(partial)
            if total is None:
                total = partial
            else:
                np.add(total, partial, out=total)
        assert total is not None
        return total

    def _room(self, height: int, tile: np.ndarray) -> np.ndarray | None:
        """Memory for a partial sum, the same every time: it stays in cache. None for types that BLAS does not do."""
        if tile.dtype != F32:
            return None
        if self._scratch is None or len(self._scratch) < height:
            self._scratch = np.empty((height, tile.shape[1]), F32)
        return self._scratch[:height]

    def _to_sum(self, partial: np.ndarray) -> np.ndarray:
        # An exact integer partial wraps into a narrower integer type, through int64.
        if self._sum_type == F32 or partial.dtype == I64:
            return partial.astype(self._sum_type)
        return partial.astype(np.int64).astype(self._sum_type)


def _matrix(src: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`src` [*box, rows] as an aligned two-dimensional array that a BLAS takes without copying."""
    x = src.reshape(-1, src.shape[-1])
    width = x.shape[1] * x.itemsize
    ready = x.dtype == dtype and x.flags.aligned and x.strides[1] == x.itemsize
    if ready and x.strides[0] >= width and x.strides[0] % x.itemsize == 0:
        return x
    return x.astype(dtype, order="C")


# By name: makes a group of this specification for an engine that stacks row tiles, or does not.
CROSSBARS: dict[str, Callable[[GroupSpec, bool], Crossbar]] = {"ideal": IdealCrossbar}
