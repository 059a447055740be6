"""Waits that end together end in the order in which they began; edges at which nothing happens are left out."""

from __future__ import annotations

from emu.interop.pim_isa.timing.kernel import ClockedQueue, Edge, Process
from emu.timing.basis.event_queue import EventQueue

_BEFORE, _CLOCK, _AFTER = 0, 1, 2


class FirstCome(ClockedQueue):
    """The clock is not in the queue: its place there is known, since it always began to wait one period ago."""

    ties = "first come"

    def __init__(self, period: int, edge: Edge) -> None:
        super().__init__(period, edge)
        self._waiting = EventQueue[tuple[tuple[int, int], Process]]()  # since when, before or after the clock

    def run(self) -> None:
        """Until nobody waits for a time any more."""
        waiting, edges, period = self._waiting, self._edges, self.period
        while waiting or edges:
            now = waiting.next_time if waiting else edges[0] * period
            if edges and edges[0] * period < now:
                now = edges[0] * period
            self.now = now
            edge, over = divmod(now, period)
            if waiting and waiting.next_time == now:
                self._end_waits(now, over == 0)
            self._at_time(edge, over == 0)

    def _end_waits(self, now: int, is_edge: bool) -> None:
        waiting = self._waiting
        clock = (now - self.period, _CLOCK)
        self._clock_is_due = is_edge
        while waiting and waiting.next_time == now:  # nobody begins a wait that ends now: those of no time are apart
            _, (began, process) = waiting.take()
            if began > clock:
                self._clock_is_due = False
            self._go_on(process)

    def _begin(self, process: Process, wait: int) -> None:
        began = self.now, _BEFORE if self._clock_is_due else _AFTER
        self._waiting.put(self.now + wait, (began, process), began)
