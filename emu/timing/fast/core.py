"""A core whose local memory lets nobody wait: when an operation starts follows from the ends of those before it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence

from emu.operands.loop_tree import Code, Item, Loop
from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import READING
from emu.timing.fast.observer import FRONT
from emu.timing.fast.pipeline import CAUSES, OPERAND, UNIT, WINDOW, KnownSection, Pipeline, Process, Walk
from emu.timing.fast.repetition import later

Flight = tuple[int, int, int, Counters]  # an operation: when it ends, when it has read, its instruction, its counters


class FastCore(Pipeline):
    """The state is `free`, by unit: from when on; `ends`, of the last operations: when all up to each have ended; and
    `flight`, those that the next one may have to wait for. `rows` are those of the section.
    """

    queues = False

    def __init__(self, known: KnownSection, units: int, window: int, effort: Effort) -> None:
        super().__init__(known, units, window, effort)
        self.rows = known.body.rows
        self.free = [0] * units
        self.ends = deque([0] * window, window)
        self.flight: deque[Flight] = deque(maxlen=window - 1)

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.start = begin + fill
        self.ends.extend([begin] * self.window)
        self.flight.clear()
        yield from self._run(self.body.items, ())
        return self.ends[-1]

    def _run(self, items: Sequence[Item], counters: Counters) -> Walk:
        for item in items:
            if isinstance(item, Code):
                at = item.first
                for asks in item.marks:
                    yield from self._request(at, asks, counters)
                    at = asks + 1
                if at < item.last:
                    self._block(at, item.last, counters)
            elif item.marked:
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
        self.free[TRANSFER] = end
        self.sums[CAUSES + TRANSFER] += end - start
        if end > self.ends[-1]:
            self.ends[-1] = end
        if self.flight:
            self.flight[-1] = end, self.used, index, counters
        if self.observer is not None:
            self.observer.release(TRANSFER, end)

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
        start, free, depth = self.start, self.free, loop.depth
        flight = [
            (end - start, max(read - start, 0), index, counters[depth] - count, counters[depth + 1 :])
            if loop.index < index < loop.end
            else (end - start, max(read - start, 0), index, counters)
            for end, read, index, counters in self.flight
            if end > start
        ]
        ends = [end - start for end in self.ends if end > start]
        return tuple(ends), tuple([max(free[unit] - start, 0) for unit in self.units_of(loop)]), tuple(flight)

    def shift(self, loop: Loop, time: int, turns: int) -> None:
        """As in Pipeline."""
        for place, end in enumerate(self.ends):
            self.ends[place] = end + time
        for unit in self.units_of(loop):
            self.free[unit] += time
        for place, (end, read, index, counters) in enumerate(self.flight):
            if loop.index < index < loop.end:
                self.flight[place] = end + time, read + time, index, later(counters, loop, turns)

    def _block(self, first: int, last: int, counters: Counters) -> None:
        """Start the operations [first, last), one after the other, at these counters."""
        start, free, ends, flight, waits = self.start, self.free, self.ends, self.flight, self.sums
        meet, tell = self.hazards.meet, None if self.observer is None else self.observer.start
        if counters or tell is not None:
            self.effort.take(last - first)
        for index, unit, issue, work, hold, reading, _, _, _ in self.rows[first:last]:
            front = when = start + issue
            cause = FRONT
            if ends[0] > when:
                when, cause = ends[0], WINDOW
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
            if tell is not None:
                tell(index, when, when + hold, cause, counters)
            start = when
            free[unit] = when + hold
            end = when + work
            ends.append(end if end > ended else ended)
            flight.append((end, start + reading, index, counters))
        self.start = start
