"""Ways to multiply f32 matrices with what NumPy offers; a probe tells which of them gives every row its own bits.

A BLAS adds the products of a row in an order that may depend on the row's place among the others, on how many there
are, and on the place of the column. Where it does so is a property of its kernels, not of a processor's name. That of
OpenBLAS for AVX2, for instance, adds in the order of the rows of weights, with fused operations, as the one for AVX-512
does, except in the first and last 8 columns of a panel and in the rows behind the last whole dozen, if they are more
than 3. So columns of zeros in front and behind, and heights that are multiples of 12, leave only places of one kind.
The kernel alone, where it can be called (`packed`), is given pieces that have no other places in the first place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from emu.program.group import COLUMN_MULTIPLE
from emu.room import room

INNER = 256  # rows of weights per product: a BLAS cuts more of them, where it does depends on the height
PIECE_ROWS = 24  # heights that are multiples of it leave no rest, whatever pieces a product has


class Piece(NamedTuple):
    """A part of a product that a kernel computes at once: the first of its rows and columns, and how many they are."""

    row: int
    rows: int
    col: int
    cols: int


Pieces = tuple[list[Piece], list[tuple[int, int]]]  # and runs of their rows, each of whole pieces


class ProductWay(ABC):
    """One way. `factor` is done once per matrix of weights, `multiply` as often as it is multiplied by."""

    name: str  # what `emu doctor` calls it
    multiple: ClassVar[int] = COLUMN_MULTIPLE  # numbers of columns for which there are pieces

    def pieces(self, rows: int, cols: int) -> Pieces:
        """The pieces in which a kernel alone gives sums the bits of this way; nothing if it never does."""
        return [], []

    @abstractmethod
    def factor(self, weights: np.ndarray) -> np.ndarray:
        """`weights` [..., k, n] as `multiply` takes them; may be the same array."""
        ...

    @abstractmethod
    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` [..., m, k] times the `cols` columns of weights in `factor`, [..., m, cols]; m is at least 2.

        It stands in `out`, or without one where the next product will stand, too. A single row is another function of a
        BLAS, with bits of its own: who has one adds another.
        """
        ...

    def add(self, out: np.ndarray, x: np.ndarray, factor: np.ndarray, cols: int) -> None:
        """Add the product to `out` [..., its first rows, its first columns]."""
        _add(out, self.multiply(x, factor, cols))


@dataclass(frozen=True)
class Plain(ProductWay):
    """The product of NumPy as it is; also for integers, whose exact sums have no order."""

    name: str = "as NumPy does it"

    def pieces(self, rows: int, cols: int) -> Pieces:
        """One."""
        return [Piece(0, rows, 0, cols)], [(0, rows)]

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The weights themselves."""
        return weights

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times `factor`."""
        return np.matmul(x, factor, out=_scratch(x, cols, factor.dtype) if out is None else out)


@dataclass(frozen=True)
class Framed(ProductWay):
    """Panels of columns between columns of zeros, and heights that are multiples of `rows`, or at most `short`.

    The kernel goes through 12 rows at a time, then through 8, 4, 2 and 1 as long as there are so many left. It treats
    columns at the edges in another way where it has a dozen rows and at least 16 columns, and 4 rows everywhere.
    """

    multiple: ClassVar[int] = 1
    name: str = "between columns of zeros"
    frame: int = 8
    panel: int = 256
    rows: int = 12
    short: int = 3
    few: int = 128

    def pieces(self, rows: int, cols: int) -> Pieces:
        """Strips of 8 columns or less than 16, and at most a few rows apart; or some 8 rows each: what are fewer."""
        return _pieces(rows, cols)

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The columns of `weights` in panels, each framed."""
        *box, cols = weights.shape
        framed = np.zeros((*box, cols + 2 * self.frame * -(-cols // self.panel)), weights.dtype)
        for columns, panel in self._panels(framed, cols):
            panel[..., self.frame : -self.frame] = weights[..., columns]
        return framed

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times what stands in the panels of `factor`."""
        if out is None and cols <= self.panel:
            return self._framed(x, factor)
        target = _scratch(x, cols, factor.dtype) if out is None else out
        for columns, panel in self._panels(factor, cols):
            target[..., columns] = self._framed(x, panel)
        return target

    def add(self, out: np.ndarray, x: np.ndarray, factor: np.ndarray, cols: int) -> None:
        """Add the product to `out`, panel by panel."""
        for columns, panel in self._panels(factor, cols):
            _add(out[..., columns], self._framed(x, panel))

    def _panels(self, factor: np.ndarray, cols: int) -> Iterator[tuple[slice, np.ndarray]]:
        """The columns of each panel, and the panel with its frame."""
        for number, low in enumerate(range(0, cols, self.panel)):
            high, place = min(low + self.panel, cols), low + 2 * self.frame * number
            yield slice(low, high), factor[..., place : place + high - low + 2 * self.frame]

    def _framed(self, x: np.ndarray, panel: np.ndarray) -> np.ndarray:
        """`x` times a panel, without the frame.

        A last, broken block of rows is multiplied with zeros behind it: together with the others if they are few, since
        a BLAS copies the panel for every product, else apart, since that copies them.
        """
        *box, height, inner = x.shape
        left = height % self.rows
        zeros = 0 if left == 0 or 1 < left <= self.short else 1 if left == 1 else self.rows - left
        product = room("framed", (*box, height + zeros, panel.shape[-1]), panel.dtype)
        apart = height - left if zeros and height > self.few else 0 if zeros else height
        if apart:
            np.matmul(x[..., :apart, :], panel, out=product[..., :apart, :])
        if zeros:
            rest = room("padded", (*box, height + zeros - apart, inner), x.dtype)
            rest[..., : height - apart, :] = x[..., apart:, :]
            rest[..., height - apart :, :] = 0
            np.matmul(rest, panel, out=product[..., apart:, :])
        return product[..., :height, self.frame : -self.frame]


@dataclass(frozen=True)
class Einsum(ProductWay):
    """NumPy's own loops, which go through the rows of weights in order; 4 to 14 times slower than a BLAS."""

    name: str = "without a BLAS, which is slow"

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The weights, columns next to each other."""
        return np.ascontiguousarray(weights)

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times `factor`."""
        target = _scratch(x, cols, factor.dtype) if out is None else out
        return np.einsum("...mk,...kn->...mn", x, factor, out=target)


@lru_cache(1024)
def _pieces(rows: int, cols: int) -> Pieces:
    strips = [8] * (cols // 8 - 1) + [8 + cols % 8] if cols > 8 else [cols]
    heights, eights = _heights(rows, 12), _heights(rows, 8)
    stripped = len(strips) + len(heights) - 1 <= len(eights)  # all rows but the last few, if these are apart
    heights = heights if stripped else eights
    places = [*zip(accumulate(heights, initial=0), heights, strict=False)]
    runs: list[tuple[int, int]] = []
    for row, height in places:  # a kernel of 8 or 4 vectors at a time finds them where those before it end
        if runs and runs[-1][1] % 8 == 0:
            runs[-1] = (runs[-1][0], runs[-1][1] + height)
        else:
            runs.append((row, height))
    pieces = [Piece(*across, 0, cols) for across in places]
    if stripped and places:
        pieces[:1] = [Piece(*places[0], *down) for down in zip(accumulate(strips, initial=0), strips, strict=False)]
    return pieces, runs


def _heights(rows: int, unit: int) -> list[int]:
    """`rows` as a sum of few heights of 8 to 11 (`unit` 8) or of `unit` and more, in which a kernel takes no 4."""
    left = rows % unit
    if unit > 8:
        return [rows] if left < 4 or left > 7 else [rows - 8, 8] if rows > 8 else _heights(rows, 8)
    heights = [unit] * (rows // unit)
    for k in range(len(heights)):
        more = min(left, 3)
        heights[-1 - k] += more
        left -= more
    return heights + [3] * (left // 3) + [left % 3] * (left % 3 > 0)


def _scratch(x: np.ndarray, cols: int, dtype: np.dtype) -> np.ndarray:
    """Where a product stands that nobody keeps."""
    return room("products", (*x.shape[:-1], cols), dtype)


def _add(out: np.ndarray, product: np.ndarray) -> None:
    height, cols = out.shape[-2:]
    np.add(product[..., :height, :cols], out, out=out)


PLAIN = Plain()
WAYS: tuple[ProductWay, ...] = (
    PLAIN,
    Framed(),
    Einsum(),
)  # the fastest first; the last one is taken where none is steady
