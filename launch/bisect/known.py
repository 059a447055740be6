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
class KnownTensor:
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


@dataclass(frozen=True, slots=True)
class KnownRows:
    """A tensor, or some channels of one, of which any rows that follow each other are right: `values` [rows, elements].

    Each element may be off by `room`.
    """

    name: str
    values: np.ndarray
    room: float

    def fits(self, nbytes: int) -> bool:
        """Whether some of the rows take so many bytes."""
        rows, width = self.values.shape
        return bool(width) and nbytes % (each := width * self.values.dtype.itemsize) == 0 and nbytes <= rows * each

    def holds(self, content: np.ndarray) -> bool:
        """Whether the bytes `content`, as many as fit, are some of the rows."""
        rows, width = self.values.shape
        got = content.view(self.values.dtype).reshape(-1, width)
        with np.errstate(all="ignore"):
            starts = np.flatnonzero(np.abs(self.values[:, 0].astype(np.float64) - float(got[0, 0])) <= self.room)
            return any(
                (np.abs(got.astype(np.float64) - self.values[first : first + len(got)]) <= self.room).all()
                for first in starts.tolist()
                if first + len(got) <= rows
            )


class Knowledge:
    """All known values, by how many bytes they take."""

    def __init__(self, entries: Iterable[KnownTensor] = ()) -> None:
        self._by_size: dict[int, list[KnownTensor]] = {}
        self._seen: dict[tuple[int, bytes], KnownTensor | None] = {}
        self._trusted: dict[tuple[int, bytes], KnownTensor] = {}
        self._rows: list[KnownRows] = []
        self._fitting: dict[int, list[KnownRows]] = {}  # by how many bytes
        self.add(entries)

    def add(self, entries: Iterable[KnownTensor]) -> None:
        """Add values. Constant tensors identify nothing and are left out."""
        for entry in entries:
            if entry.values.size > 1 and (entry.values != entry.values.flat[0]).any():
                self._by_size.setdefault(entry.values.nbytes, []).append(entry)
        self._seen.clear()

    def add_rows(self, rows: Iterable[KnownRows]) -> None:
        """Add tensors that cores hold a few rows at a time."""
        self._rows += [each for each in rows if each.values.size and (each.values != each.values.flat[0]).any()]
        self._seen.clear()
        self._fitting.clear()

    def trust(self, name: str, contents: Iterable[bytes]) -> None:
        """Take these very bytes for right parts of a tensor."""
        for content in contents:
            array = np.frombuffer(content, np.uint8)
            self._trusted[_key(array)] = KnownTensor(name, array, 0.0)

    def find(self, content: np.ndarray, prefer: Sequence[str] = ()) -> KnownTensor | None:
        """The known tensor that the bytes `content`, uint8, hold; None if none."""
        candidates, rows = self._by_size.get(len(content)), self._rows_of(len(content))
        if not len(content) or not (candidates or self._trusted or rows):
            return None
        key = _key(content)
        if key in self._trusted:
            return self._trusted[key]
        if key not in self._seen:
            ordered = sorted(candidates or (), key=lambda entry: entry.name not in prefer)
            found = next((entry for entry in ordered if entry.order_of(content) is not None), None)
            self._seen[key] = found or _some_rows(rows, content)
        return self._seen[key]

    def find_message(self, content: np.ndarray, rows: Sequence[KnownRows]) -> KnownTensor | None:
        """The known tensor of a message, which may carry only those of `rows` that the receiver needs."""
        fitting = [each for each in rows if each.fits(len(content))]
        return self.find(content) or (_some_rows(fitting, content) if len(content) else None)

    def _rows_of(self, nbytes: int) -> list[KnownRows]:
        if nbytes not in self._fitting:
            self._fitting[nbytes] = [rows for rows in self._rows if rows.fits(nbytes)]
        return self._fitting[nbytes]


def _some_rows(fitting: Sequence[KnownRows], content: np.ndarray) -> KnownTensor | None:
    if content.any():
        for rows in fitting:
            if rows.holds(content):
                return KnownTensor(rows.name, content, rows.room)
    return None


def _key(content: np.ndarray) -> tuple[int, bytes]:
    return len(content), blake2b(np.ascontiguousarray(content), digest_size=16).digest()
