"""Accesses with their times, and the question whether bytes were written before they are read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.intervals import Spans

NEVER = np.iinfo(np.int64).max
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class AccessedIntervals:
    """Intervals with the time of each access and the operand row that makes it."""

    low: np.ndarray
    high: np.ndarray
    time: np.ndarray
    row: np.ndarray

    def where(self, chosen: np.ndarray) -> AccessedIntervals:
        """Some of the accesses."""
        return AccessedIntervals(self.low[chosen], self.high[chosen], self.time[chosen], self.row[chosen])

    def hulls(self) -> tuple[AccessedIntervals, np.ndarray]:
        """One interval around each run of accesses of one row and time, and how many accesses each stands for."""
        changes = (self.row[1:] != self.row[:-1]) | (self.time[1:] != self.time[:-1])
        first = np.flatnonzero(np.concatenate((np.ones(min(len(self.row), 1), bool), changes)))
        if not len(first):
            return self, _NONE
        low, high = np.minimum.reduceat(self.low, first), np.maximum.reduceat(self.high, first)
        return AccessedIntervals(low, high, self.time[first], self.row[first]), np.diff(first, append=len(self.row))


def join(parts: list[AccessedIntervals]) -> AccessedIntervals:
    """All accesses of several parts."""
    if not parts:
        return AccessedIntervals(_NONE, _NONE, _NONE, _NONE)
    return AccessedIntervals(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("low", "high", "time", "row"))
    )


def written_before(before: Spans, writes: AccessedIntervals, reads: AccessedIntervals) -> np.ndarray:
    """Whether every byte of each read is in `before` or was written at an earlier time; array operations only."""
    edges = _distinct(np.concatenate((before.begin, before.end, writes.low, writes.high, reads.low, reads.high)))
    times = np.concatenate((np.full(len(before.begin), -1), writes.time))
    begin = np.searchsorted(edges, np.concatenate((before.begin, writes.low)))
    end = np.searchsorted(edges, np.concatenate((before.end, writes.high)))
    first = _lowest(max(len(edges) - 1, 0), begin, end, times)
    return _highest(first, np.searchsorted(edges, reads.low), np.searchsorted(edges, reads.high)) < reads.time


def _distinct(values: np.ndarray) -> np.ndarray:
    """Sorted, each once: of many integers faster than `np.unique`, which hashes them first."""
    values = np.sort(values)
    return values[np.concatenate((np.ones(min(len(values), 1), bool), values[1:] != values[:-1]))]


def _levels(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The power of two (exponent) that covers [begin, end) twice at most; -1 where it is empty."""
    return np.frexp((end - begin).astype(np.float64))[1] - 1


def _lowest(count: int, begin: np.ndarray, end: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Per segment the lowest time of the intervals [begin, end) over it."""
    level = np.where(end > begin, _levels(begin, end), -1)
    earliest = np.full(count, NEVER)
    for k in range(int(level.max(initial=-1)), -1, -1):
        half = 1 << k
        chosen = level == k
        np.minimum.at(earliest, begin[chosen], times[chosen])
        np.minimum.at(earliest, end[chosen] - half, times[chosen])
        if k:  # an entry for 2**k segments becomes two for 2**(k-1)
            pushed = earliest.copy()
            pushed[half // 2 :] = np.minimum(earliest[half // 2 :], earliest[: count - half // 2])
            earliest = pushed
    return earliest


def _highest(first: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The highest value of `first` in each [begin, end); lowest possible where that is empty."""
    level = np.where(end > begin, _levels(begin, end), -1)
    latest = np.full(len(begin), np.iinfo(np.int64).min)
    table, last = first, int(level.max(initial=-1))
    for k in range(last + 1):
        chosen = np.flatnonzero(level == k)
        half = 1 << k  # an entry of the table stands for so many segments
        latest[chosen] = np.maximum(table[begin[chosen]], table[end[chosen] - half])
        if k < last:
            table = np.maximum(table[:-half], table[half:])
    return latest
