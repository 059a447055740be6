"""Waits that end together end in the order of the simulator's own queue: a binary heap on time, which is not stable.

Its order depends on its shape, so everything that is in it must be in it: the clock, edge by edge, and in the upstream
build a timer that shows progress ten times in `sim_time`.
"""

from __future__ import annotations

from emu.interop.pim_isa.timing.kernel import ClockedQueue, Edge, Process

IDLE = 32  # edges without anything else, from which on it is worth while to look for a cycle
TIMER_ENDS = 10  # as often as the timer shows progress: then the simulator would stop
Item = tuple[int, Process | None, bool]  # until, process; without one: whether it is the clock, else the timer


class UpstreamOrder(ClockedQueue):
    """SystemC's queue of timed events, with the clock and, if `timer` is not 0, a timer of so many ps."""

    ties = "upstream"

    def __init__(self, period: int, edge: Edge, timer: int) -> None:
        super().__init__(period, edge)
        self._heap: list[Item] = []
        self._waits = 0  # of processes
        self._timer, self._shown = timer, 0
        self._push((period, None, True))
        if timer:
            self._push((timer, None, False))

    def run(self) -> None:
        """Until nobody waits for a time any more."""
        heap, edges, period = self._heap, self._edges, self.period
        while self._waits or edges:
            self._pass_idle_edges()
            self.now = now = heap[0][0]
            ending = [self._pop()]
            while heap and heap[0][0] == now:
                ending.append(self._pop())
            edge, over = divmod(now, period)
            self._clock_is_due = over == 0
            for _, process, is_clock in ending:
                if process is not None:
                    self._waits -= 1
                    self._go_on(process)
                elif is_clock:
                    self._push((now + period, None, True))
                    self._clock_is_due = False
                else:
                    self._show_progress()
            self._at_time(edge, over == 0)

    def _show_progress(self) -> None:
        self._shown += 1
        if self._shown < TIMER_ENDS:
            self._push((self.now + self._timer, None, False))

    def _pass_idle_edges(self) -> None:
        """Let the clock alone go on, until the edge before the next at which there is anything else.

        Each edge moves the other items of the heap in the same way, as their times do not change: so places repeat,
        and whole cycles of them can be left out.
        """
        heap, period = self._heap, self.period
        now, _, is_clock = heap[0]
        if not is_clock or len(heap) == 1:
            return
        until = min(item[0] for item in heap[1:3])
        if self._edges:
            until = min(until, self._edges[0] * period)
        edges = (until - 1 - now) // period
        if edges < IDLE:
            return
        done = since = 0
        power, known = 1, heap[1:]
        while done < edges:
            self._pop()
            done += 1
            self._push((now + done * period, None, True))
            if heap[1:] == known:  # Brent's way of finding a cycle: compare with the places of 1, 2, 4, ... edges ago
                done = edges - (edges - done) % (done - since)
                heap[0] = (now + done * period, None, True)
                known = []
            elif done - since == power:
                since, power, known = done, 2 * power, heap[1:]

    def _begin(self, process: Process, wait: int) -> None:
        self._waits += 1
        self._push((self.now + wait, process, False))

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
