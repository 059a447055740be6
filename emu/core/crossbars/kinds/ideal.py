"""The ideal crossbar: products without analog errors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from emu.arch import Arch
from emu.core.crossbars.crossbar import F32, F64, I64
from emu.core.crossbars.float_sums import FloatSums
from emu.core.crossbars.integer_sums import IntegerSums
from emu.core.crossbars.origin import Origin
from emu.core.crossbars.sums import TileSums
from emu.core.products.probe import chosen, settle
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
        if self._floats:
            settle(self._way)
        self._sums: TileSums | None = None  # made on first use
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
        for dtype, bits in ((F32, 24), (F64, 53)):
            if rows := self._exact_rows(-(-(1 << bits) // largest)):
                return dtype, rows
        return I64, self._pieces

    def _exact_rows(self, limit: int) -> list[tuple[int, int]]:
        """As few ranges of rows as have sums of magnitudes below `limit` in all columns; none if a piece has not."""
        if len(self._weights) * self._largest < limit and self._sum_type != F32:
            return self._whole
        ranges, held = list[tuple[int, int]](), np.zeros(1)
        for low, high in self._pieces:
            own = self._magnitudes(low, high)
            if own.max() >= limit:
                return []
            # Floats are rounded at every partial sum.
            if ranges and self._sum_type != F32 and (held + own).max() < limit:
                ranges[-1], held = (ranges[-1][0], high), held + own
            else:
                ranges.append((low, high))
                held = own
        return ranges

    def _magnitudes(self, low: int, high: int) -> np.ndarray:
        """Bounds of the sums of magnitudes of the integer weights of rows [low, high), per column or for all."""
        if self.tiles or self._weights.itemsize == 8:  # of weights that are written the sums are not known
            return np.full(1, (high - low) * self._largest, object)
        return np.abs(self._weights[low:high].astype(np.int64)).sum(axis=0)

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
        self._sums = None
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
        (self._sums or self._made_sums()).multiply(dst, src, accumulate, relu)

    def bound(
        self, dst: np.ndarray, src: np.ndarray, accumulate: bool, relu: bool, origin: Origin
    ) -> Callable[[], None]:
        """`multiply`, to be called again and again with these vectors; in between, weights may be written."""
        sums = self._sums or self._made_sums()
        product = sums.bound(dst, src, accumulate, relu)

        def call() -> None:
            if self._sums is sums:
                product()
            else:
                self.multiply(dst, src, accumulate, relu, origin)

        return call

    def _made_sums(self) -> TileSums:
        tiles, cols = self._prepared(), self.spec.cols
        if self._floats:
            self._sums = FloatSums(self._way, tiles, self._rows, cols)
        else:
            self._sums = IntegerSums(tiles, self._rows, cols, self._sum_type)
        return self._sums


def _inner_ranges(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of rows, those of more than INNER cut into several."""
    return [(at, min(at + INNER, high)) for low, high in pieces for at in range(low, high, INNER)]
