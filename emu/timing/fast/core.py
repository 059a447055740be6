"""A core whose local memory lets nobody wait: when an operation starts follows from the ends of those before it."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Hashable, Sequence

from emu.timing.fast.body import Block, Body, Counters, Item, Loop, Request, Row
from emu.timing.fast.hazards import Hazards
from emu.timing.fast.repetition import Mark, Repetition, later
from emu.timing.fast.steadiness import Steadiness
from emu.timing.units import TRANSFER

Asked = tuple[int, int]  # a request: its instruction, and when it starts
Flight = tuple[int, int, Counters]  # an operation: when it ends, its instruction, its counters
WINDOW, UNIT, OPERAND, PORT = range(4)  # the causes of `Core.waits`
FEW = 2  # iterations that are not worth a look


class Core:
    """One core in one section. `waits` are its waits so far by cause, in ps; `busy` is its transfer unit's time.

    The state is `start`, of the last operation; `free`, by unit: from when on; `ends`, of the last operations: when
    all up to each have ended; and `flight`, those that the next one may have to wait for.
    """

    def __init__(self, body: Body, hazards: Hazards, steadiness: Steadiness, units: int, window: int) -> None:
        self._body, self._hazards, self._steadiness, self._window = body, hazards, steadiness, window
        self.start, self.free = 0, [0] * units
        self.ends = deque([0] * window, window)
        self.flight: deque[Flight] = deque((), window - 1)
        self.waits, self.busy = [0] * 4, 0

    def sample(self, begin: int) -> Generator[Asked, int, int]:
        """Run from `begin` on: yields requests, takes when each is finished; returns when all is."""
        self.start = begin
        self.ends.extend([begin] * self._window)
        self.flight.clear()
        yield from self._run(self._body.items, ())
        return self.ends[-1]

    def use(self, asked: int, duration: int) -> int:
        """When a request is done with a port of local memory that it asks for at `asked`."""
        return asked + duration

    def _run(self, items: Sequence[Item], counters: Counters) -> Generator[Asked, int, None]:
        for item in items:
            if isinstance(item, Block):
                self._block(item.rows, counters)
            elif isinstance(item, Request):
                yield from self._request(item.row, counters)
            elif item.asks:
                for count in range(item.trips):
                    yield from self._run(item.body, (*counters, count))
            else:
                self._loop(item, counters)

    def _request(self, row: Row, counters: Counters) -> Generator[Asked, int, None]:
        index = row[0]
        self._block(((index, TRANSFER, row[2], 0, 0, row[5]),), counters)  # it starts as any other operation
        end = yield index, self.start
        self.free[TRANSFER] = end
        self.busy += end - self.start
        self.ends[-1] = max(self.ends[-1], end)
        if self.flight:
            self.flight[-1] = end, index, counters

    def _loop(self, loop: Loop, around: Counters) -> None:
        """A loop without requests: turn by turn until it repeats itself, then all that is the same at once."""
        plan = self._steadiness.plan(loop, around) if loop.trips > FEW else None
        repetition = Repetition(plan, loop.trips) if plan else None
        count = 0
        while count < loop.trips:
            counters = (*around, count)
            for item in loop.body:
                if isinstance(item, Block):
                    self._block(item.rows, counters)
                elif isinstance(item, Loop):
                    self._loop(item, counters)
            count += 1
            if repetition is not None and count < loop.trips:
                mark = Mark(count, self.start, tuple(self.waits))
                found = repetition.look(mark, self._state(loop, count))
                if found is not None:
                    count += self._leap(loop, mark, *found)

    def _state(self, loop: Loop, count: int) -> Hashable:
        """All that the times of the iterations from `count` on depend on, relative to the last start."""
        start, free, depth = self.start, self.free, loop.depth
        return (
            tuple([end - start if end > start else 0 for end in self.ends]),
            tuple([free[unit] - start if free[unit] > start else 0 for unit in loop.units]),
            tuple(
                [
                    (end - start, index, counters[depth] - count, counters[depth + 1 :])
                    if end > start and loop.index < index < loop.end
                    else (end - start, index)
                    if end > start
                    else 0
                    for end, index, counters in self.flight
                ]
            ),
        )

    def _leap(self, loop: Loop, now: Mark, before: Mark, rounds: int) -> int:
        """Let what came since `before` come so many times more; how many iterations that are."""
        time, turns = rounds * (now.start - before.start), rounds * (now.count - before.count)
        for cause, (late, early) in enumerate(zip(now.waits, before.waits, strict=True)):
            self.waits[cause] += rounds * (late - early)
        for place, end in enumerate(self.ends):
            self.ends[place] = end + time
        for unit in loop.units:
            self.free[unit] += time
        for place, (end, index, counters) in enumerate(self.flight):
            if loop.index < index < loop.end:
                self.flight[place] = end + time, index, later(counters, loop, turns)
        self.start += time
        return turns

    def _block(self, rows: Sequence[Row], counters: Counters) -> None:
        """Operations that ask for nothing, all of them at these counters."""
        start, free, ends, flight, waits = self.start, self.free, self.ends, self.flight, self.waits
        meet = self._hazards.meet
        for index, unit, issue, work, hold, _ in rows:
            front = when = start + issue
            cause = WINDOW
            if ends[0] > when:
                when = ends[0]
            if free[unit] > when:
                when, cause = free[unit], UNIT
            last = ends[-1]
            if last > when:
                for end, other, before in flight:
                    if end > when and meet(other, before, index, counters):
                        when, cause = end, OPERAND
            if when > front:
                waits[cause] += when - front
            start = when
            free[unit] = when + hold
            end = when + work
            ends.append(end if end > last else last)
            flight.append((end, index, counters))
        self.start = start
