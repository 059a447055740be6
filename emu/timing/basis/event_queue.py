"""What is to happen in simulated time, in order; of what happens at one time, services come last, by their turns."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

What = TypeVar("What")
Turn = tuple[int, ...]  # who comes first at equal times, such as the core; of equal turns, who was put in first
ANY = ()


class EventQueue(Generic[What]):
    """At each time everything else happens before services: whatever follows from one of these happens later.

    So nothing depends on the order in which an executor finds what happens at a time.
    """

    def __init__(self) -> None:
        self._number = count()
        self._queue: list[tuple[int, bool, Turn, int, What]] = []

    def __bool__(self) -> bool:
        return bool(self._queue)

    def __iter__(self) -> Iterator[tuple[int, bool, Turn, What]]:
        """What is to happen, in no order: time, whether it is a service, turn, and what."""
        return ((time, service, turn, what) for time, service, turn, _, what in self._queue)

    @property
    def next_time(self) -> int:
        """When it happens, what happens next; there is something."""
        return self._queue[0][0]

    def put(self, time: int, what: What, turn: Turn = ANY, service: bool = False) -> None:
        """It is to happen at `time`."""
        heappush(self._queue, (time, service, turn, next(self._number), what))

    def take(self) -> tuple[int, What]:
        """What happens next, and when."""
        time, _, _, _, what = heappop(self._queue)
        return time, what
