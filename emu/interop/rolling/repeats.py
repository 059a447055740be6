"""Repeats: stretches of a sequence that are a body, repeated with constant steps of its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Repeats:
    """Repeats that do not overlap, ascending: int64 arrays of equal length."""

    start: np.ndarray
    period: np.ndarray  # rows of a body
    trips: np.ndarray

    @property
    def end(self) -> np.ndarray:
        """Index after the last row of each."""
        return self.start + self.period * self.trips

    @property
    def saving(self) -> np.ndarray:
        """Rows that each saves, if a loop costs one."""
        return self.period * (self.trips - 1) - 1

    def __len__(self) -> int:
        return len(self.start)

    @staticmethod
    def of(loops: list[tuple[int, int]], period: int) -> Repeats:
        """Repeats (start, trips) of one period."""
        start, trips = np.array(loops, np.int64).reshape(-1, 2).T
        return Repeats(start, np.full(len(start), period), trips)

    def chosen(self, which: np.ndarray) -> Repeats:
        """Some of them."""
        return Repeats(self.start[which], self.period[which], self.trips[which])

    def with_others(self, others: Repeats) -> Repeats:
        """Both, in order."""
        start = np.concatenate((self.start, others.start))
        both = Repeats(start, np.concatenate((self.period, others.period)), np.concatenate((self.trips, others.trips)))
        return both.chosen(np.argsort(start, kind="stable"))


def repeats_of(period: int, shape: np.ndarray, value: np.ndarray, depth: np.ndarray) -> Repeats:
    """The repeats of this period, taken from left to right.

    `shape`, `value`, `depth` [rows] as in `Sequence`. Stretches of three bodies and more with equal steps come first;
    what remains between them is rolled in pairs, which have equal steps always.
    """
    same = shape[period:] == shape[:-period]
    alike = _stretches(same, period)
    if not alike:
        return Repeats.of([], period)
    step = value[period:] - value[:-period]
    steady = same[period:] & same[:-period] & (step[period:] == step[:-period])
    scan = _Scan(period, depth)
    loops = scan.many(_stretches(steady, period))
    return Repeats.of(scan.pairs(alike, loops) if period > 1 else loops, period)


def _stretches(flags: np.ndarray, shortest: int) -> list[tuple[int, int]]:
    """Begin and end of the stretches of set flags that are long enough."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    begin, end = edges[::2], edges[1::2]
    enough = end - begin >= shortest
    return list(zip(begin[enough].tolist(), end[enough].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Scan:
    """Cuts stretches into loops; a body begins at the lowest depth within it, so that it cuts no loop inside."""

    period: int
    depth: np.ndarray

    def _begin(self, first: int) -> int:
        return first + int(np.argmin(self.depth[first : first + self.period]))

    def many(self, steady: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Loops (start, trips) of three trips and more: where `steady` is set, it is so for a row and its next two."""
        loops: list[tuple[int, int]] = []
        free = 0
        for begin, end in steady:
            first = max(begin, free)
            if end - first < self.period:
                continue
            start = self._begin(first)
            trips = (end - start) // self.period + 2
            if trips > 2:
                loops.append((start, trips))
                free = start + trips * self.period
        return loops

    def pairs(self, alike: list[tuple[int, int]], loops: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The loops, and loops of two trips where there is room for them."""
        found: list[tuple[int, int]] = []
        free = place = 0
        for begin, end in alike:
            last = end + self.period  # a row is like the one a period later
            while place < len(loops) and loops[place][0] < last:
                start, trips = loops[place]
                free = self._fill(max(begin, free), start, found)
                found.append(loops[place])
                free, place = start + trips * self.period, place + 1
            free = self._fill(max(begin, free), last, found)
        return found

    def _fill(self, first: int, last: int, found: list[tuple[int, int]]) -> int:
        while last - first >= 2 * self.period:
            start = self._begin(first)
            if start + 2 * self.period > last:
                break
            found.append((start, 2))
            first = start + 2 * self.period
        return first
