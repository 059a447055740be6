"""Values that are known to be right, and whether bytes of a core's memory are some of them, in whatever layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import permutations

import numpy as np

MOST_AXES = 5  # of which all orders are tried
MOST_ODD = 1e-3  # of the elements of a tensor whose golden values are uncertain


@dataclass(frozen=True, slots=True)
class Known:
    """A tensor, or a box of one: `values` in any order of its axes; each element may be off by `room`."""

    name: str
    values: np.ndarray
    room: float
    uncertain: bool = False  # of a network that rounds inexact floats: few elements may be off by more
    box: tuple[tuple[int, int], ...] = ()  # of the tensor, in the order of memory; () for all of it

    def order_of(self, content: np.ndarray) -> tuple[int, ...] | None:
        """The order of axes in which the bytes `content` hold the values; None if in none."""
        flat = content.view(self.values.dtype)
        if not self._alike(flat):
            return None
        squeezed = np.squeeze(self.values)
        orders = permutations(range(squeezed.ndim)) if squeezed.ndim <= MOST_AXES else [range(squeezed.ndim)]
        for order in orders:
            if self.same(flat, squeezed.transpose(tuple(order)).reshape(-1)):
                return tuple(order)
        return None

    def _alike(self, flat: np.ndarray) -> bool:
        """Whether the least and the largest agree: most candidates fail here."""
        with np.errstate(all="ignore"):
            if self.uncertain:
                return True
            ends = ((flat.min(), self.values.min()), (flat.max(), self.values.max()))
            far = [abs(float(got) - float(want)) > self.room for got, want in ends]
        return not any(far)

    def same(self, got: np.ndarray, want: np.ndarray) -> bool:
        """Whether elements in one order agree."""
        with np.errstate(all="ignore"):
            wide = got.astype(np.float64) - want.astype(np.float64)
            wrong = ~((np.abs(wide) <= self.room) | ((got != got) & (want != want)))
        return int(np.count_nonzero(wrong)) <= (MOST_ODD * wrong.size if self.uncertain else 0)


class Knowledge:
    """All known values, by how many bytes they take."""

    def __init__(self, entries: Iterable[Known] = ()) -> None:
        self._by_size: dict[int, list[Known]] = {}
        self._seen: dict[tuple[int, bytes], Known | None] = {}
        self.add(entries)

    def add(self, entries: Iterable[Known]) -> None:
        """Know more. What is the same everywhere tells nothing and is left out."""
        for entry in entries:
            if entry.values.size > 1 and (entry.values != entry.values.flat[0]).any():
                self._by_size.setdefault(entry.values.nbytes, []).append(entry)
        self._seen.clear()

    def find(self, content: np.ndarray, prefer: Sequence[str] = ()) -> Known | None:
        """The known tensor that the bytes `content`, uint8, hold; None if none."""
        candidates = self._by_size.get(len(content))
        if not candidates:
            return None
        key = (len(content), blake2b(np.ascontiguousarray(content), digest_size=16).digest())
        if key not in self._seen:
            ordered = sorted(candidates, key=lambda entry: entry.name not in prefer)
            self._seen[key] = next((entry for entry in ordered if entry.order_of(content) is not None), None)
        return self._seen[key]
