"""Ways to multiply f32 matrices with what NumPy offers; a probe tells which of them gives every row its own bits.

A BLAS adds the products of a row in an order that may depend on the row's place among the others, on how many there
are, and on the place of the column. Where it does so is a property of its kernels, not of a processor's name. That of
OpenBLAS for AVX2, for instance, adds in the order of the rows of weights, with fused operations, as the one for AVX-512
does, except in the first and last 8 columns of a panel and in the rows behind the last whole dozen, if they are more
than 3. So columns of zeros in front and behind, and heights that are multiples of 12, leave only places of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from emu.core.products.room import room

INNER = (
    256  # rows of weights per product: of more of them, a BLAS adds partial sums, where and how depends on the height
)


class Way(Protocol):
    """One way. `factor` is done once per matrix of weights, `multiply` as often as it is multiplied by."""

    @property
    def name(self) -> str:
        """What `emu doctor` calls it."""
        ...

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """`weights` [..., k, n] as `multiply` takes them; may be the same array."""
        ...

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` [..., m, k] times the `cols` columns of weights in `factor`, [..., m, cols]; m is at least 2.

        It stands in `out`, or without one where the next product will stand, too. A single row is another function of a
        BLAS, with bits of its own: who has one adds another.
        """
        ...


@dataclass(frozen=True)
class Plain:
    """The product of NumPy as it is; also for integers, whose exact sums have no order."""

    name: str = "as NumPy does it"

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The weights themselves."""
        return weights

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times `factor`."""
        return np.matmul(x, factor, out=_place(x, cols, factor.dtype) if out is None else out)


@dataclass(frozen=True)
class Framed:
    """Panels of columns between columns of zeros, and heights that are multiples of `rows`, or at most `short`."""

    name: str = "between columns of zeros"
    frame: int = 8
    panel: int = 256
    rows: int = 12
    short: int = 3

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The columns of `weights` in panels, each framed."""
        *box, cols = weights.shape
        framed = np.zeros((*box, cols + 2 * self.frame * -(-cols // self.panel)), weights.dtype)
        for low, high, place in self._panels(cols):
            framed[..., place + self.frame : place + self.frame + high - low] = weights[..., low:high]
        return framed

    def _panels(self, cols: int) -> list[tuple[int, int, int]]:
        """First column, the one behind the last, and first column of the framed panel, per panel."""
        starts = range(0, cols, self.panel)
        return [(low, min(low + self.panel, cols), low + 2 * self.frame * k) for k, low in enumerate(starts)]

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times what stands in the panels of `factor`."""
        panels = self._panels(cols)
        if out is None and len(panels) > 1:
            out = _place(x, cols, factor.dtype)
        for low, high, place in panels:
            product = self._framed(x, factor[..., place : place + high - low + 2 * self.frame])
            if out is None:
                return product
            out[..., low:high] = product
        assert out is not None
        return out

    def _framed(self, x: np.ndarray, panel: np.ndarray) -> np.ndarray:
        """`x` times a panel, without the frame; the rows of the last, broken block are multiplied apart."""
        *box, height, inner = x.shape
        left = height % self.rows
        whole = height - left
        added = left if 1 < left <= self.short else 2 if left == 1 else self.rows if left else 0
        product = room("framed", (*box, whole + added, panel.shape[-1]), panel.dtype)
        if whole:
            np.matmul(x[..., :whole, :], panel, out=product[..., :whole, :])
        if left:
            rest = x[..., whole:, :]
            if added != left:
                rest = room("padded", (*box, added, inner), x.dtype)
                rest[..., :left, :] = x[..., whole:, :]
                rest[..., left:, :] = 0
            np.matmul(rest, panel, out=product[..., whole:, :])
        return product[..., :height, self.frame : -self.frame]


@dataclass(frozen=True)
class Einsum:
    """NumPy's own loops, which go through the rows of weights in order; 4 to 14 times slower than a BLAS."""

    name: str = "without a BLAS, which is slow"

    def factor(self, weights: np.ndarray) -> np.ndarray:
        """The weights, columns next to each other."""
        return np.ascontiguousarray(weights)

    def multiply(self, x: np.ndarray, factor: np.ndarray, cols: int, out: np.ndarray | None = None) -> np.ndarray:
        """`x` times `factor`."""
        target = _place(x, cols, factor.dtype) if out is None else out
        return np.einsum("...mk,...kn->...mn", x, factor, out=target)


def _place(x: np.ndarray, cols: int, dtype: np.dtype) -> np.ndarray:
    """Where a product stands that nobody keeps."""
    return room("products", (*x.shape[:-1], cols), dtype)


PLAIN = Plain()
WAYS: tuple[Way, ...] = (PLAIN, Framed(), Einsum())  # the fastest first; the last one is taken where none is steady
