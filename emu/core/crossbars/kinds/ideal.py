"""The ideal crossbar: products without analog errors."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np

from emu.arch import Arch
from emu.core.crossbars.blocks import blocks
from emu.core.crossbars.crossbar import F32, F64, HEIGHT, I32, I64
from emu.core.crossbars.origin import Origin
from emu.core.products.probe import chosen
from emu.core.products.room import room
from emu.core.products.ways import INNER, PLAIN
from emu.program.group import GroupSpec


def make(spec: GroupSpec, arch: Arch, stacked: bool) -> IdealCrossbar:
    """An array group; all that it needs to know of the chip is in the specification."""
    return IdealCrossbar(spec, stacked)


class IdealCrossbar:
    """Partial sums per row tile, exact for integers and in f32 otherwise, added in row-tile order.

    Those of floats are of at most INNER rows each, in a way of which no bit depends on the vectors beside (`products`).
    Integers take one product over all row tiles where its sums are exact: no order can change them. `stacked`: the
    same where sums are floats. Its rounding differs from that of partial sums: by at most 2 gamma_K sum |x||w| for K
    rows, per product.
    """

    def __init__(self, spec: GroupSpec, stacked: bool = False) -> None:
        self.spec = spec
        self._weights = np.empty((0, 0))
        self._largest = 0  # magnitude of an integer weight that is or was held
        self.tiles: list[np.ndarray] = []  # per piece, all columns, in the type of the product; made on first use
        self._own: set[int] = set()  # tiles that share no memory with the weights of the image
        self._floats = spec.input.is_float or spec.weight.is_float
        self._whole = [(0, spec.rows)]
        self._pieces = list(pairwise(np.cumsum((0, *spec.row_tiles)).tolist()))
        alike = self._floats and not stacked
        self._way = chosen() if alike else PLAIN
        self._factors: list[np.ndarray] = []  # the tiles as that way takes them; made on first use
        self._rows = _inner_ranges(self._pieces) if alike else self._whole if self._floats else self._pieces
        # f16 sums are kept in f32 and rounded once, at the end.
        self._sum_type = F32 if spec.output.is_float else spec.output.numpy

    def program(self, weights: np.ndarray, core: int, number: int) -> None:
        """Hold `weights` [rows, padded columns]."""
        wanted = (self.spec.rows, self.spec.padded_cols)
        if weights.shape != wanted:
            raise ValueError(f"weights have shape {weights.shape}, the group needs {wanted}")
        self._weights = weights

    def content(self) -> np.ndarray:
        """The weights that it holds now [rows, cols]: exact in the type of products."""
        if not self.tiles:
            return self._weights[:, : self.spec.cols]
        return np.concatenate(self.tiles)[:, : self.spec.cols].astype(self.spec.weight.numpy)

    def _product(self) -> tuple[np.dtype, list[tuple[int, int]]]:
        """The fastest type in which sums are exact (integers) or defined (f32 for floats), and the rows of each."""
        if self._floats:
            return F32, self._rows
        limit = np.iinfo(self.spec.input.numpy)
        largest = max(-int(limit.min), int(limit.max))
        stackable = [] if self._sum_type == F32 else [self._whole]  # floats are rounded at every partial sum
        for dtype, bits in ((F32, 24), (F64, 53)):
            for rows in (*stackable, self._pieces):
                if all(self._stays_below(1 << bits, largest, low, high) for low, high in rows):
                    return dtype, rows
        return I64, self._pieces

    def _stays_below(self, limit: int, factor: int, low: int, high: int) -> bool:
        """Whether every sum of the integer weights of rows [low, high) times `factor`, whatever their signs become."""
        if (high - low) * self._largest * factor < limit:
            return True
        if self.tiles or self._weights.itemsize == 8:  # of weights that are written the sums are not known
            return False
        return int(np.abs(self._weights[low:high].astype(np.int64)).sum(axis=0).max(initial=0)) * factor < limit

    def _prepared(self) -> list[np.ndarray]:
        if not self.tiles:
            self._largest = self._magnitude(self._weights)
            dtype, self._rows = self._product()
            self.tiles = [np.asarray(self._weights[low:high], dtype) for low, high in self._rows]
            self._own = set() if self._weights.dtype == dtype else set(range(len(self.tiles)))
        return self.tiles

    def _magnitude(self, values: np.ndarray) -> int:
        return 0 if self._floats or not values.size else max(abs(int(values.min())), abs(int(values.max())))

    def write(self, row: int, values: np.ndarray, origin: Origin) -> None:
        """Replace weight rows: only the tiles that hold them change."""
        tiles = self._prepared()
        self._factors.clear()
        self._largest = max(self._largest, self._magnitude(values))
        dtype, rows = self._product()
        if (dtype, rows) != (tiles[0].dtype, self._rows):  # a larger type holds all that the smaller one held
            held = np.concatenate(tiles)
            self.tiles = tiles = [held[low:high].astype(dtype) for low, high in rows]
            self._rows, self._own = rows, set(range(len(tiles)))
        for k, (low, high) in enumerate(rows):
            first, last = max(low, row), min(high, row + len(values))
            if first >= last:
                continue
            if k not in self._own:
                tiles[k] = tiles[k].copy()
                self._own.add(k)
            tiles[k][first - low : last - low, : self.spec.cols] = values[first - row : last - row]

    def multiply(self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin) -> None:
        """The product; what it is does not depend on the origin."""
        tiles = self.tiles or self._prepared()
        for index in blocks(src.shape[:-1], HEIGHT):
            piece, target = src[index], dst[index]
            x = _matrix(piece, tiles[0].dtype)
            if accumulate and not relu and self._add(target, x, tiles):
                continue
            out = None if accumulate else self._direct_target(target, x)
            total = self._sums(x, tiles, target if accumulate else None, out)
            if relu:
                np.maximum(total, 0, out=total)
            if out is None:
                # An exact sum goes straight to the type of its place; see `_sums`.
                np.copyto(target, total.reshape(target.shape), casting="unsafe")

    def _add(self, target: np.ndarray, x: np.ndarray, tiles: list[np.ndarray]) -> bool:
        """Add the product to `target` where it stands; False, with nothing done, unless it is one exact product."""
        if self._floats or len(tiles) > 1 or target.dtype != I32 or len(x) == 1 or tiles[0].dtype != F32:
            return False
        total = np.matmul(x, tiles[0], out=room("sums", (len(x), tiles[0].shape[1]), F32))[:, : self.spec.cols]
        whole = room("whole", total.shape, I32)
        np.copyto(whole, total, casting="unsafe")
        np.add(target, whole.reshape(target.shape), out=target)
        return True

    def _direct_target(self, target: np.ndarray, x: np.ndarray) -> np.ndarray | None:
        """`target` as a matrix that the product may be written to directly, or None."""
        spec = self.spec
        direct = target.dtype == x.dtype == F32 and spec.cols == spec.padded_cols and len(x) > 1
        if not direct or not target.flags.c_contiguous or not target.flags.aligned:
            return None
        return None if np.may_share_memory(target, x) else target.reshape(len(x), spec.cols)

    def _sums(
        self, x: np.ndarray, tiles: list[np.ndarray], start: np.ndarray | None, out: np.ndarray | None
    ) -> np.ndarray:
        """The sums [vectors, cols] in the type of sums; a single exact one that int32 holds may stay a float."""
        height, cols = len(x), self.spec.cols
        if height == 1:
            x = np.concatenate([x, np.zeros_like(x)])
        if not self._factors:
            self._factors = [self._way.factor(tile) for tile in tiles]
        total = None if start is None else start.reshape(height, cols).astype(self._sum_type)
        for (low, high), tile, factor in zip(self._rows, tiles, self._factors, strict=True):
            if total is None and out is not None:
                total = self._way.multiply(x[:, low:high], factor, tile.shape[1], out)
                continue
            if total is not None and tile.dtype == self._sum_type:
                self._way.add(total, x[:, low:high], factor, tile.shape[1])
                continue
            passing = tile.dtype == F32 and (len(tiles) == 1 or total is not None)  # nobody keeps the partial sum
            place = None if passing else np.empty((len(x), tile.shape[1]), tile.dtype)
            partial = self._way.multiply(x[:, low:high], factor, tile.shape[1], place)[:height, :cols]
            alone = len(tiles) == 1 and total is None and self._fits(partial)
            if partial.dtype != self._sum_type and not alone:
                partial = self._to_sum(partial)
            if total is None:
                total = partial
            else:
                np.add(total, partial, out=total)
        assert total is not None
        return total

    def _fits(self, partial: np.ndarray) -> bool:
        """Whether the integers of `partial` are converted to the type of sums without wrapping."""
        return partial.dtype == F32 and self._sum_type.itemsize >= 4 and self._sum_type.kind == "i"

    def _to_sum(self, partial: np.ndarray) -> np.ndarray:
        # An exact integer partial wraps into a narrower integer type, through one that holds it.
        if self._sum_type == F32 or partial.dtype == I64 or self._fits(partial):
            return partial.astype(self._sum_type)
        return partial.astype(I32 if partial.dtype == F32 else I64).astype(self._sum_type)


def _inner_ranges(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of rows, those of more than INNER cut into several."""
    return [(at, min(at + INNER, high)) for low, high in pieces for at in range(low, high, INNER)]


def _matrix(src: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`src` [*box, rows] as an aligned two-dimensional array that a BLAS takes without copying."""
    if src.dtype == dtype and src.flags.aligned and _is_matrix(src):
        return src.reshape(-1, src.shape[-1])
    shape = prod(src.shape[:-1]), src.shape[-1]
    x = room("inputs", shape, dtype)
    np.copyto(x.reshape(src.shape), src, casting="unsafe")
    return x


def _is_matrix(src: np.ndarray) -> bool:
    """Whether the rows of `src` [*box, rows] are dense and equally far apart, by whole elements."""
    *box, (inner, width) = zip(src.strides, src.shape, strict=True)
    moving = [axis for axis in box if axis[1] != 1]
    if inner != src.itemsize or any(far != near * count for (far, _), (near, count) in pairwise(moving)):
        return False
    return not moving or (moving[-1][0] >= width * src.itemsize and moving[-1][0] % src.itemsize == 0)
