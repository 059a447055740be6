"""Which bytes of a memory have been written: a sorted list of disjoint half-open intervals."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Intervals:
    """A set of integers, kept as maximal intervals [begin, end)."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def __iter__(self):
        return iter(zip(self._begins, self._ends, strict=True))

    def add(self, begin: int, end: int) -> None:
        """Add [begin, end), merging with what it overlaps or touches."""
        if begin >= end:
            return
        first = bisect_left(self._ends, begin)  # the first interval that reaches `begin`
        last = bisect_right(self._begins, end)  # one past the last that starts at or before `end`
        if first < last:
            begin = min(begin, self._begins[first])
            end = max(end, self._ends[last - 1])
        self._begins[first:last] = [begin]
        self._ends[first:last] = [end]

    def gaps(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The parts of [begin, end) that are not in the set."""
        found: list[tuple[int, int]] = []
        index = bisect_right(self._ends, begin)
        while begin < end and index < len(self._begins) and self._begins[index] < end:
            if begin < self._begins[index]:
                found.append((begin, self._begins[index]))
            begin = self._ends[index]
            index += 1
        if begin < end:
            found.append((begin, end))
        return found
