"""A core whose local memory lets nobody wait: when an operation starts follows from the ends of those before it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Code, Counters, Item, Loop
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import READING
from emu.timing.fast.pipeline import CAUSES, OPERAND, UNIT, WINDOW, Known, Pipeline, Process, Walk
from emu.timing.fast.repetition import later

Flight = tuple[int, int, int, Counters]  # an operation: when it ends, when it has read, its instruction, its counters


class Core(Pipeline):
    """The state is `free`, by unit: from when on; `ends`, of the last operations: when all up to each have ended; and
    `flight`, those that the next one may have to wait for.
    """

    queues = False

    def __init__(self, known: Known, units: int, window: int, effort: Effort) -> None:
        super().__init__(known, units, window, effort)
        self._rows = known.body.rows
        self._free = [0] * units
        self._ends = deque([0] * window, window)
        self._flight: deque[Flight] = deque(maxlen=window - 1)

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.start = begin + fill
        self._ends.extend([begin] * self.window)
        self._flight.clear()
        yield from self._run(self.body.items, ())
        return self._ends[-1]

    def _run(self, items: Sequence[Item], counters: Counters) -> Walk:
        for item in items:
            if isinstance(item, Code):
                at = item.first
                for asks in item.asks:
                    yield from self._request(at, asks, counters)
                    at = asks + 1
                if at < item.last:
                    self._block(at, item.last, counters)
            elif item.asks:
                for count in range(item.trips):
                    yield from self._run(item.body, (*counters, count))
            else:
                self._loop(item, counters)

    def _request(self, first: int, index: int, counters: Counters) -> Walk:
        """Request `index`, and the operations from `first` on before it."""
        self._block(first, index + 1, counters)
        start = self.start
        end = yield index, start
        assert isinstance(end, int)
        self._free[TRANSFER] = end
        self.sums[CAUSES + TRANSFER] += end - start
        if end > self._ends[-1]:
            self._ends[-1] = end
        if self._flight:
            self._flight[-1] = end, self.used, index, counters

    def _loop(self, loop: Loop, around: Counters) -> None:
        """A loop without requests."""
        repetition, count = self.visit(loop, around), 0
        while count < loop.trips:
            counters = (*around, count)
            for item in loop.body:
                if isinstance(item, Loop):
                    self._loop(item, counters)
                else:
                    self._block(item.first, item.last, counters)
            count += 1
            if repetition is not None and count < loop.trips:
                count += self.leap(loop, repetition, count)

    def state(self, loop: Loop, count: int) -> Hashable:
        """As in Pipeline."""
        start, free, depth = self.start, self._free, loop.depth
        flight = [
            (end - start, max(read - start, 0), index, counters[depth] - count, counters[depth + 1 :])
            if loop.index < index < loop.end
            else (end - start, max(read - start, 0), index, counters)
            for end, read, index, counters in self._flight
            if end > start
        ]
        ends = [end - start for end in self._ends if end > start]
        return tuple(ends), tuple([max(free[unit] - start, 0) for unit in loop.units]), tuple(flight)

    def shift(self, loop: Loop, time: int, turns: int) -> None:
        """As in Pipeline."""
        for place, end in enumerate(self._ends):
            self._ends[place] = end + time
        for unit in loop.units:
            self._free[unit] += time
        for place, (end, read, index, counters) in enumerate(self._flight):
            if loop.index < index < loop.end:
                self._flight[place] = end + time, read + time, index, later(counters, loop, turns)

    def _block(self, first: int, last: int, counters: Counters) -> None:
        """Start the operations [first, last), one after the other, at these counters."""
        start, free, ends, flight, waits = self.start, self._free, self._ends, self._flight, self.sums
        meet = self.hazards.meet
        if counters:
            self.effort.take(last - first)
        for index, unit, issue, work, hold, reading, _, _, _ in self._rows[first:last]:
            front = when = start + issue
            cause = WINDOW
            if ends[0] > when:
                when = ends[0]
            if free[unit] > when:
                when, cause = free[unit], UNIT
            ended = ends[-1]
            if ended > when:  # otherwise all before have ended
                for end, read, other, before in reversed(flight):  # the last ones decide more often
                    if end > when and (level := meet(other, before, index, counters)):
                        if level == READING:
                            end = read
                        if end > when:
                            when, cause = end, OPERAND
            if when > front:
                waits[cause] += when - front
            start = when
            free[unit] = when + hold
            end = when + work
            ends.append(end if end > ended else ended)
            flight.append((end, start + reading, index, counters))
        self.start = start
