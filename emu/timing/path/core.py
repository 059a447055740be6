"""A core of the fast executor that also keeps which operation decided the start of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters, Loop
from emu.timing.fast.core import Core
from emu.timing.fast.effort import Effort
from emu.timing.fast.hazards import READING
from emu.timing.fast.pipeline import Known, Process, Walk
from emu.timing.fast.repetition import Mark, Repetition
from emu.timing.path.record import Leapt, Place, Record, Started, Via, period_of

Blocks = frozenset[tuple[int, int]]  # instructions that ran, as half-open ranges


@dataclass(eq=False, slots=True)
class Asked:
    """A request: its record, when it had read its operands and was finished (ps), what ran since the one before it."""

    record: Started
    read: int
    end: int
    blocks: Blocks


class TracedCore(Core):
    """As `Core`. After a sample `requests` are its requests in order, `last` the operation that ended it (None: it has
    none), and `rest` what ran after the last request.
    """

    def __init__(self, known: Known, units: int, window: int, effort: Effort) -> None:
        super().__init__(known, units, window, effort)
        self.requests: list[Asked] = []
        self.last: Record | None = None
        self.rest: Blocks = frozenset()
        self._recent: Record | None = None  # the last operation
        self._by_unit: list[Record | None] = [None] * units
        self._by_end: deque[Record | None] = deque([None] * window, window)
        self._by_flight: deque[Record | None] = deque(maxlen=window - 1)
        self._blocks: set[tuple[int, int]] = set()
        self._first: dict[int, int] = {}  # by unit, the first start since this was emptied

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.requests, self._recent = [], None
        self._blocks.clear()
        self._by_unit = [None] * len(self._by_unit)
        self._by_end.extend([None] * self.window)
        self._by_flight.clear()
        end = yield from super().sample(begin, fill)
        self.last = self._recent if end == self.start else self._by_end[-1]
        self.rest = frozenset(self._blocks)
        return end

    def _request(self, first: int, index: int, counters: Counters) -> Walk:
        yield from super()._request(first, index, counters)
        record, end = self._recent, self._free[TRANSFER]
        assert isinstance(record, Started)
        record.request = len(self.requests)
        self.requests.append(Asked(record, self.used, end, frozenset(self._blocks)))
        if end == self._ends[-1]:
            self._by_end[-1] = record
        self._blocks.clear()

    def leap(self, loop: Loop, repetition: Repetition, count: int) -> int:
        """As in Pipeline; what is kept then stands for operations of later periods."""
        late = self._places()
        now = Mark(count, self.start, cast("tuple[int, ...]", (late,)))  # it is not looked into, only given back
        found = repetition.look(now, self.state(loop, count))
        if found is None:
            return 0
        before, rounds = found
        time, turns = rounds * (now.start - before.start), rounds * (now.turn - before.turn)
        (early,) = cast("tuple[Mapping[Place, Record]]", before.sums)
        period = period_of(early, late)
        self._put({place: Leapt(period, place, rounds, record.start + time) for place, record in late.items()}, loop)
        self.shift(loop, time, turns)
        self.start += time
        return turns

    def _places(self) -> Mapping[Place, Record]:
        """The operations that may decide what comes, by place; those in flight are numbered as they are in order."""
        start = self.start
        places: dict[Place, Record | None] = {Place(Via.FRONT, 0): self._recent}
        ends = [record for end, record in zip(self._ends, self._by_end, strict=True) if end > start]
        flight = [record for (end, *_), record in zip(self._flight, self._by_flight, strict=True) if end > start]
        places.update((Place(Via.WINDOW, number), record) for number, record in enumerate(ends))
        places.update((Place(Via.OPERAND, number), record) for number, record in enumerate(flight))
        free = enumerate(zip(self._free, self._by_unit, strict=True))
        places.update((Place(Via.UNIT, unit), record) for unit, (end, record) in free if end > start)
        return {place: record for place, record in places.items() if record is not None}

    def _put(self, records: Mapping[Place, Record], loop: Loop) -> None:
        """Put `records` at their places; units that the loop does not use keep theirs."""
        start = self.start
        self._recent = records[Place(Via.FRONT, 0)]
        for via, ends, kept in (
            (Via.WINDOW, list(self._ends), self._by_end),
            (Via.OPERAND, [end for end, *_ in self._flight], self._by_flight),
        ):
            places = [place for place, end in enumerate(ends) if end > start]
            for number, place in enumerate(places):
                kept[place] = records.get(Place(via, number), kept[place])
        for unit in loop.units:
            self._by_unit[unit] = records.get(Place(Via.UNIT, unit), self._by_unit[unit])

    def _block(self, first: int, last: int, counters: Counters) -> None:
        """As in Core."""
        start, free, ends, flight = self.start, self._free, self._ends, self._flight
        by_unit, by_end, by_flight, recent = self._by_unit, self._by_end, self._by_flight, self._recent
        meet, begun = self.hazards.meet, self._first
        self.effort.take(last - first)
        self._blocks.add((first, last))
        for index, unit, issue, work, hold, reading, _, _, _ in self._rows[first:last]:
            when, before, via = start + issue, recent, Via.FRONT
            if ends[0] > when:
                when, before, via = ends[0], by_end[0], Via.WINDOW
            if free[unit] > when:
                when, before, via = free[unit], by_unit[unit], Via.UNIT
            ended = ends[-1]
            if ended > when:
                for (end, read, other, counts), record in zip(flight, by_flight, strict=True):
                    if end > when and (level := meet(other, counts, index, counters)):
                        decides = read if level == READING else end
                        if decides > when:
                            when, before, via = decides, record, Via.READ if level == READING else Via.OPERAND
            start = when
            if unit not in begun:
                begun[unit] = start
            recent = by_unit[unit] = Started(index, start, before, via)
            free[unit] = when + hold
            end = when + work
            by_end.append(recent if end >= ended else by_end[-1])
            ends.append(end if end > ended else ended)
            flight.append((end, start + reading, index, counters))
            by_flight.append(recent)
        self.start, self._recent = start, recent
