"""Simulated time: processes that wait, a clock, and which of the things that happen at one time happens first.

At one time: (1) processes whose wait ends go on, in the order of the queue; the clock is one of them: what ends before
it in this order still counts for this edge. (2) The edge itself: the cores. (3) Processes that were woken, in that
order, then units that the edge starts; (4) processes that wait for no time at all; (3) and (4) until nothing is left.
What order the queue has for waits that end together is the business of the kinds of kernels: `first_come.py`,
`upstream_order.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable
from heapq import heappop, heappush

Process = Generator[int | None, None, None]  # yields picoseconds to wait, or None: until somebody wakes it
Edge = Callable[[int, list[int]], Iterable[Process]]  # (number of the edge, cores) -> units to start, in order


class ClockedQueue(ABC):
    """An event queue with a clock of `period` ps; `edge` is called at the edges that a core asked for."""

    ties = ""  # the name of the order

    def __init__(self, period: int, edge: Edge) -> None:
        self.period, self.now = period, 0
        self._edge = edge
        self._clock_is_due = False  # at this time, and what runs now runs before it
        self._edges: list[int] = []
        self._asked: dict[int, set[int]] = {}
        self._woken: deque[Process] = deque()
        self._zero: list[Process] = []

    @abstractmethod
    def run(self) -> None:
        """Until nobody waits for a time any more."""

    @abstractmethod
    def _begin(self, process: Process, wait: int) -> None:
        """`process` waits for so many ps, more than 0, from now on."""

    def wake(self, process: Process) -> None:
        """Let a process go on that yielded None."""
        self._woken.append(process)

    def at_edge(self, edge: int, core: int) -> None:
        """Ask for a call of `edge` for this core."""
        cores = self._asked.get(edge)
        if cores is None:
            self._asked[edge] = {core}
            heappush(self._edges, edge)
        else:
            cores.add(core)

    def next_edge(self) -> int:
        """The edge that what ends now still reaches."""
        return self.now // self.period + (not self._clock_is_due)

    def _at_time(self, edge: int, is_edge: bool) -> None:
        """Phases 2 to 4."""
        self._clock_is_due = False
        woken, edges = self._woken, self._edges
        if is_edge and edges and edges[0] == edge:
            heappop(edges)
            woken.extend(self._edge(edge, sorted(self._asked.pop(edge))))
        while woken or self._zero:
            while woken:
                self._go_on(woken.popleft())
            again, self._zero = self._zero, []
            for process in again:
                self._go_on(process)

    def _go_on(self, process: Process) -> None:
        wait = next(process, None)
        if wait:
            self._begin(process, wait)
        elif wait == 0:
            self._zero.append(process)
