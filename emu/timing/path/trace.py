"""Keeps which operation decided the start of each, of a core whose operations do not queue for ports."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from emu.operands.loop_tree import Loop
from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters
from emu.timing.fast.core import FastCore
from emu.timing.fast.hazards import NOTHING, READING
from emu.timing.fast.observer import FRONT
from emu.timing.fast.pipeline import UNIT, WINDOW
from emu.timing.path.record import Leapt, Record, StartedOperation, StatePlace, Via, period_of
from emu.timing.path.requests import Requests

Range = tuple[int, int]  # of instructions, half open
Places = Mapping[StatePlace, Record]


class SampleTrace(Requests):
    """After a sample: `records` are those of its requests, `last` is the operation that ended it (None: it has none).

    `ran` are the instructions that ran since the request before, by request; at last those that ran after all of them.
    """

    def __init__(self, core: FastCore) -> None:
        super().__init__(core.body.asks)
        self._core = core
        self.records: list[StartedOperation] = []
        self.last: Record | None = None
        self.ran: list[frozenset[Range]] = []
        self._running: set[Range] = set()
        self._block: Range = (0, 0)  # the last instructions that came one after the other
        # The record of each part of the core's state.
        self._recent: Record | None = None
        self._by_unit: list[Record | None] = []
        self._by_end: deque[Record | None] = deque(maxlen=core.window)
        self._by_flight: deque[Record | None] = deque(maxlen=core.window - 1)

    def begin(self) -> None:
        """As in Observer."""
        super().begin()
        self.records, self.ran, self.last, self._recent = [], [], None, None
        self._by_unit = [None] * len(self._core.free)
        self._by_end.extend([None] * self._core.window)
        self._by_flight.clear()

    def start(self, index: int, start: int, free: int, cause: int, counters: Counters) -> None:
        """As in Observer."""
        super().start(index, start, free, cause, counters)
        _, unit, _, work, *_ = self._core.rows[index]
        recent = StartedOperation(index, start, *self._decided(index, start, cause, counters))
        self._recent = self._by_unit[unit] = recent
        self._by_end.append(recent if start + work >= self._core.ends[-1] else self._by_end[-1])
        self._by_flight.append(recent)
        first, end = self._block
        if index != end:
            self._running.add(self._block)
            first = index
        self._block = first, index + 1
        if unit == TRANSFER:
            recent.request = len(self.records)
            self.records.append(recent)
            self._cut()

    def _decided(self, index: int, start: int, cause: int, counters: Counters) -> tuple[Record | None, Via]:
        """Which operation decided a start: of several that are as late, the one that the state has first."""
        core = self._core
        if cause == FRONT:
            return self._recent, Via.FRONT
        if cause == WINDOW:
            return self._by_end[0], Via.WINDOW
        if cause == UNIT:
            return self._by_unit[core.rows[index][1]], Via.UNIT
        for (end, read, other, before), record in zip(core.flight, self._by_flight, strict=True):
            level = core.hazards.meet(other, before, index, counters) if end >= start else NOTHING
            if level and (read if level == READING else end) == start:
                return record, Via.READ if level == READING else Via.OPERAND
        raise AssertionError("an operation waits for an operand of none in flight")

    def release(self, unit: int, time: int) -> None:
        """As in Observer."""
        super().release(unit, time)
        if time == self._core.ends[-1]:
            self._by_end[-1] = self._recent

    def end(self, time: int) -> None:
        """As in Observer."""
        self.last = self._recent if time == self._core.start else self._by_end[-1]
        self._cut()

    def _cut(self) -> None:
        """What has run until now belongs together."""
        self.ran.append(frozenset({*self._running, self._block}))
        self._running.clear()
        self._block = (0, 0)

    def mark(self) -> Places:
        """As in Observer: what may decide what comes, by place; those in flight are numbered as they are in order."""
        core = self._core
        start = core.start
        places: dict[StatePlace, Record | None] = {StatePlace(Via.FRONT, 0): self._recent}
        ends = [record for end, record in zip(core.ends, self._by_end, strict=True) if end > start]
        flight = [record for (end, *_), record in zip(core.flight, self._by_flight, strict=True) if end > start]
        places.update((StatePlace(Via.WINDOW, number), record) for number, record in enumerate(ends))
        places.update((StatePlace(Via.OPERAND, number), record) for number, record in enumerate(flight))
        free = enumerate(zip(core.free, self._by_unit, strict=True))
        places.update((StatePlace(Via.UNIT, unit), record) for unit, (end, record) in free if end > start)
        return {place: record for place, record in places.items() if record is not None}

    def leap(self, loop: Loop, rounds: int, period: int, before: Places, now: Places) -> None:
        """As in Observer: what is kept then stands for operations of later periods."""
        time, repeated = rounds * period, period_of(before, now)
        self._put({place: Leapt(repeated, place, rounds, record.start + time) for place, record in now.items()}, loop)

    def _put(self, records: Places, loop: Loop) -> None:
        """Put `records` at their places; units that the loop does not use keep theirs."""
        core = self._core
        self._recent = records[StatePlace(Via.FRONT, 0)]
        for via, ends, kept in (
            (Via.WINDOW, list(core.ends), self._by_end),
            (Via.OPERAND, [end for end, *_ in core.flight], self._by_flight),
        ):
            places = [place for place, end in enumerate(ends) if end > core.start]
            for number, place in enumerate(places):
                kept[place] = records.get(StatePlace(via, number), kept[place])
        for unit in core.units_of(loop):
            self._by_unit[unit] = records.get(StatePlace(Via.UNIT, unit), self._by_unit[unit])
