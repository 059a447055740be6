"""A core whose operations queue for the ports of its local memory: served in order of time, of equal times the older.

When an operation is finished is known only when nobody can come before it at the ports. Until then what it asks for is
pending: it is served here as soon as a later operation starts behind that time, or has to wait for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

from emu.operands.loop_tree import Item, Loop
from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters, Row
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import END
from emu.timing.fast.observer import FRONT, UNKNOWN
from emu.timing.fast.pipeline import (
    CAUSES,
    OPERAND,
    PORT,
    UNIT,
    WINDOW,
    Access,
    Asked,
    KnownSection,
    Pipeline,
    Process,
    Walk,
)
from emu.timing.fast.repetition import later
from emu.timing.model.costs import WHOLE


@dataclass(eq=False, slots=True)
class PortedOperation:
    """An operation of age `number`; when it has `read`, is at its `end`, and its unit is `free` may be UNKNOWN yet."""

    index: int
    counters: Counters
    number: int
    unit: int
    start: int
    read: int = UNKNOWN
    end: int = UNKNOWN
    free: int = UNKNOWN


Pending = tuple[int, int, int, PortedOperation]  # when it asks for a port, its number, for how long, who


class PortedCore(Pipeline):
    """The state is `window`, the last operations; `gone`, when all before these had ended; `last`, by unit: the last
    operation there; what is pending; and when each port is free.
    """

    queues = True

    def __init__(self, known: KnownSection, units: int, window: int, effort: Effort, ports: int) -> None:
        super().__init__(known, units, window, effort)
        self._number, self._gone = 0, 0
        self._window: deque[PortedOperation] = deque()
        self._last: list[PortedOperation | None] = [None] * units
        self._pending: list[Pending] = []
        self._ports = [0] * ports

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.start, self._gone = begin + fill, begin
        self._last = [None] * len(self._last)
        yield from self._run(self.body.items, ())
        while self._window:
            yield from self._leave()
        return self._gone

    def _run(self, items: Sequence[Item], counters: Counters) -> Walk:
        for item in items:
            if isinstance(item, Loop):
                yield from self._loop(item, counters)
                continue
            asks = self.body.asks
            for row in self.body.rows[item.first : item.last]:
                yield from self._request(row, counters) if row[0] in asks else self._operation(row, counters)

    def _loop(self, loop: Loop, around: Counters) -> Walk:
        repetition, count = None if loop.marked else self.visit(loop, around), 0
        while count < loop.trips:
            yield from self._run(loop.body, (*around, count))
            count += 1
            if repetition is not None and count < loop.trips:
                count += self.leap(loop, repetition, count)

    def _request(self, row: Row, counters: Counters) -> Walk:
        operation = yield from self._begin(row, counters)
        told = yield row[0], operation.start
        if isinstance(told, tuple):  # what comes until then is walked first
            asked, duration = told
            heappush(self._pending, (asked, operation.number, duration, operation))
        else:
            assert told is not None
            operation.read = self.used
            self._finish(operation, told)

    def _operation(self, row: Row, counters: Counters) -> Walk:
        """One that is no request."""
        operation = yield from self._begin(row, counters)
        read, compute, write, interval = row[5:]
        time = operation.read = self._serve(operation.start, read) if read else operation.start
        if interval != WHOLE:
            self._release(operation, time + interval)
        if write:
            heappush(self._pending, (time + compute, operation.number, write, operation))
        else:
            self._finish(operation, time + compute)

    def _begin(self, row: Row, counters: Counters) -> Generator[Asked | int, int | Access | None, PortedOperation]:
        """Start an operation, with all served that asks for a port before it."""
        if counters or self.observer is not None:
            self.effort.take(1)
        index, unit, issue, *_ = row
        front = self.start + issue
        if len(self._window) == self.window:
            yield from self._leave()
        when, cause = max(front, self._gone), WINDOW
        last = self._last[unit]
        if last is not None:
            if last.free == UNKNOWN:
                yield from self._settle(last)
            if last.free > when:
                when, cause = last.free, UNIT
        for other in self._window:
            if UNKNOWN < other.end <= when:
                continue
            level = self.hazards.meet(other.index, other.counters, index, counters)
            if level and UNKNOWN in (other.read, other.end if level == END else other.read):
                yield from self._settle(other)
            until = other.end if level == END else other.read
            if level and until > when:
                when, cause = until, OPERAND
        self.sums[cause] += when - front
        if self.observer is not None:
            self.observer.start(index, when, UNKNOWN, cause if when > front else FRONT, counters)
        operation = self._last[unit] = PortedOperation(index, counters, self._number, unit, when)
        while self._pending and self._pending[0][:2] < (when, self._number):
            yield from self._serve_first()
        self._window.append(operation)
        self._number += 1
        self.start = when
        return operation

    def _leave(self) -> Walk:
        """The oldest operation leaves the window."""
        oldest = self._window[0]
        if oldest.end == UNKNOWN:
            yield from self._settle(oldest)
        self._window.popleft()
        self._gone = max(self._gone, oldest.end)

    def _settle(self, operation: PortedOperation) -> Walk:
        """Serve until an operation is finished: who waits for that comes later to the ports than all of this."""
        while operation.end == UNKNOWN:
            yield from self._serve_first()

    def _serve_first(self) -> Walk:
        asked, _, duration, operation = heappop(self._pending)
        end = self._serve(asked, duration)
        if operation.unit == TRANSFER:  # others tell what comes of it
            operation.read = end
            told = yield end
            assert isinstance(told, int)
            end = told
        self._finish(operation, end)

    def _serve(self, asked: int, duration: int) -> int:
        begin = max(asked, self._ports[0])
        self.sums[PORT] += begin - asked
        heapreplace(self._ports, begin + duration)
        return begin + duration

    def _finish(self, operation: PortedOperation, end: int) -> None:
        operation.end = end
        if operation.free == UNKNOWN:
            self._release(operation, end)

    def _release(self, operation: PortedOperation, time: int) -> None:
        operation.free = time
        self.sums[CAUSES + operation.unit] += time - operation.start
        if self.observer is not None:
            self.observer.release(operation.unit, time)

    def state(self, loop: Loop, count: int) -> Hashable:
        """As in Pipeline."""
        start, number = self.start, self._number
        window = [self._seen(operation, loop, count) for operation in self._window]
        last = [self._held(unit) for unit in self.units_of(loop)]
        pending = [(asked - start, number - age, duration) for asked, age, duration, _ in sorted(self._pending)]
        ports = sorted(max(free - start, 0) for free in self._ports)
        return max(self._gone - start, 0), tuple(window), tuple(last), tuple(pending), tuple(ports)

    def _seen(self, operation: PortedOperation, loop: Loop, count: int) -> Hashable:
        """An operation as those see it that come later."""
        if UNKNOWN < operation.end <= self.start:
            return 0
        counters, depth = operation.counters, loop.depth
        inside = loop.index < operation.index < loop.end
        where = (counters[depth] - count, counters[depth + 1 :]) if inside else counters
        times = (self._ahead(operation.read), self._ahead(operation.end))
        return times, operation.index, where

    def _ahead(self, time: int) -> int:
        """How much later than the last start a time is."""
        return UNKNOWN if time == UNKNOWN else max(time - self.start, 0)

    def _held(self, unit: int) -> Hashable:
        """How much longer a unit is not free; if that is not known yet, whose it is and since when."""
        last = self._last[unit]
        if last is None:
            return 0
        if last.free == UNKNOWN:
            return self._number - last.number, self.start - last.start
        return max(last.free - self.start, 0)

    def shift(self, loop: Loop, time: int, turns: int) -> None:
        """As in Pipeline."""
        for operation in self._window:
            if loop.index < operation.index < loop.end:
                operation.counters = later(operation.counters, loop, turns)
                operation.start += time
                operation.read += time if operation.read != UNKNOWN else 0
                operation.end += time if operation.end != UNKNOWN else 0
                operation.free += time if operation.free != UNKNOWN else 0
        self._pending = [(asked + time, age, long, who) for asked, age, long, who in self._pending]
        self._ports = [free + time for free in self._ports]
        self._gone += time
