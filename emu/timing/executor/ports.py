"""Ports that serve in the order in which they are asked: of a local memory, and of the global memory."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heapreplace


class Ports:
    """`count` ports, 0: as many as are asked for at once. Each remembers who had it last, by a mark."""

    def __init__(self, count: int) -> None:
        self._free = [(0, -1)] * count  # from when on, and the mark
        heapify(self._free)

    def take(self, now: int, duration: int, mark: Callable[[int, int], int]) -> int:
        """Occupy for `duration` the port that is free first; when that is over.

        `mark` is told this time, and the mark of who had to be waited for (-1: nobody), and gives its own.
        """
        if not self._free:
            mark(now + duration, -1)
            return now + duration
        free, last = self._free[0]
        end = max(now, free) + duration
        heapreplace(self._free, (end, mark(end, last if free > now else -1)))
        return end
