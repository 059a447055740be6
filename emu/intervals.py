"""Sets of bytes as sorted, disjoint, maximal half-open intervals: growing one by one, or as arrays all at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

Range = tuple[int, int]  # [begin, end)


class Intervals:
    """A set that grows by one interval at a time; `begins` and `ends` are ascending, to be read only."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []

    def __iter__(self) -> Iterator[Range]:
        return iter(zip(self.begins, self.ends, strict=True))

    def covers(self, begin: int, end: int) -> bool:
        """Whether [begin, end) lies inside of the set; an empty one does."""
        at = bisect_right(self.begins, begin) - 1
        return (at >= 0 and self.ends[at] >= end) or begin >= end

    def add(self, begin: int, end: int) -> None:
        """Add [begin, end), merging with what it overlaps or touches."""
        if begin >= end:
            return
        first = bisect_left(self.ends, begin)  # the first interval that reaches `begin`
        last = bisect_right(self.begins, end)  # one past the last that starts at or before `end`
        if first < last:
            begin = min(begin, self.begins[first])
            end = max(end, self.ends[last - 1])
        self.begins[first:last] = [begin]
        self.ends[first:last] = [end]

    def gaps(self, begin: int, end: int) -> list[Range]:
        """The parts of [begin, end) that are not in the set."""
        missing: list[Range] = []
        index = bisect_right(self.ends, begin)
        while begin < end and index < len(self.begins) and self.begins[index] < end:
            if begin < self.begins[index]:
                missing.append((begin, self.begins[index]))
            begin = self.ends[index]
            index += 1
        if begin < end:
            missing.append((begin, end))
        return missing

    def add_all(self, begins: np.ndarray, ends: np.ndarray) -> None:
        """Add the intervals [begins, ends), int64 each, in any order."""
        known = Spans(np.array(self.begins, np.int64), np.array(self.ends, np.int64)).union(begins, ends)
        self.begins, self.ends = known.begin.tolist(), known.end.tolist()


@dataclass(frozen=True, eq=False)
class Spans:
    """A set that does not change: intervals [begin, end), ascending, int64."""

    begin: np.ndarray
    end: np.ndarray

    @property
    def size(self) -> int:
        """Number of bytes."""
        return int((self.end - self.begin).sum())

    def covers(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Whether each [low, high) lies inside of the set; empty ones do."""
        if not len(self.begin):
            return low >= high
        at = np.searchsorted(self.begin, low, "right") - 1
        return (low >= high) | ((at >= 0) & (high <= self.end[np.maximum(at, 0)]))

    def union(self, low: np.ndarray, high: np.ndarray) -> Spans:
        """This set and the given intervals."""
        return merge(np.concatenate((self.begin, low)), np.concatenate((self.end, high)))

    def joined(self, most: int) -> Spans:
        """At most so many intervals that hold this set: those with the least between them are joined."""
        if len(self.begin) <= most:
            return self
        between = self.begin[1:] - self.end[:-1]
        kept = np.sort(np.argsort(between, kind="stable")[len(between) + 1 - most :])
        return Spans(self.begin[np.concatenate(([0], kept + 1))], self.end[np.concatenate((kept, [-1]))])

    def first_gap(self, low: int, high: int) -> int | None:
        """The first byte of [low, high) that is not in the set."""
        at = int(np.searchsorted(self.begin, low, "right")) - 1
        reached = max(low, int(self.end[at])) if at >= 0 else low
        return reached if reached < high else None


def merge(low: np.ndarray, high: np.ndarray) -> Spans:
    """The union of intervals in any order."""
    kept = low < high
    low, high = low[kept], high[kept]
    if not len(low):
        return EMPTY
    order = np.argsort(low, kind="stable")
    low, reach = low[order], np.maximum.accumulate(high[order])
    opens = np.concatenate(([True], low[1:] > reach[:-1]))
    starts = np.flatnonzero(opens)
    return Spans(low[starts], reach[np.append(starts[1:] - 1, len(low) - 1)])


EMPTY = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64))
