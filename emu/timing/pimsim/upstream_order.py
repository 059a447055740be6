"""Waits that end together end in the order of the simulator's own queue: a binary heap on time, which is not stable.

Its order depends on its shape, so everything that is in it must be in it: the clock, edge by edge, and in the upstream
build a timer that shows progress ten times in `sim_time`.
"""

from __future__ import annotations

from emu.timing.pimsim.kernel import Edge, Kernel, Process

Item = tuple[int, Process | None, int]  # until, process; without one: the period of the clock or timer


class UpstreamOrder(Kernel):
    """SystemC's queue of timed events, with the clock and, if `timer` is not 0, a timer of so many ps."""

    ties = "upstream"

    def __init__(self, period: int, edge: Edge, timer: int) -> None:
        super().__init__(period, edge)
        self._heap: list[Item] = []
        self._waits = 0  # of processes
        self._push((period, None, period))
        if timer:
            self._push((timer, None, timer))

    def run(self) -> None:
        """Until nobody waits for a time any more."""
        heap, edges, period = self._heap, self._edges, self.period
        while self._waits or edges:
            self.now = now = heap[0][0]
            ending = [self._pop()]
            while heap and heap[0][0] == now:
                ending.append(self._pop())
            edge, over = divmod(now, period)
            self._clock_is_due = over == 0
            for _, process, again in ending:
                if process is not None:
                    self._waits -= 1
                    self._go_on(process)
                else:
                    self._push((now + again, None, again))
                    self._clock_is_due = self._clock_is_due and again != period
            self._at_time(edge, over == 0)

    def _begin(self, process: Process, wait: int) -> None:
        self._waits += 1
        self._push((self.now + wait, process, 0))

    def _push(self, item: Item) -> None:
        """Up past parents that are strictly later."""
        heap, place, until = self._heap, len(self._heap), item[0]
        heap.append(item)
        while place and heap[parent := (place - 1) // 2][0] > until:
            heap[place] = heap[parent]
            place = parent
        heap[place] = item

    def _pop(self) -> Item:
        """The last one goes to the root and sinks: to the right only where that is strictly earlier than the left."""
        heap = self._heap
        top, item = heap[0], heap.pop()
        size = len(heap)
        if not size:
            return top
        place, until = 0, item[0]
        while (child := 2 * place + 1) < size:
            if child + 1 < size and heap[child + 1][0] < heap[child][0]:
                child += 1
            if until <= heap[child][0]:
                break
            heap[place] = heap[child]
            place = child
        heap[place] = item
        return top
