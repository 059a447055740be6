"""A core of the fast executor that also keeps when each operation had its unit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Counters, Loop
from emu.timing.fast.core import Core, Flight
from emu.timing.fast.effort import Effort
from emu.timing.fast.pipeline import Known, Walk
from emu.timing.fast.repetition import Mark, Repetition
from emu.timing.power.record import Record

_WORK, _HOLD = 3, 4  # of a row: how long its operation takes, and keeps its unit


class RecordingCore(Core):
    """As `Core`; `record` has the operations of all samples. Waits are not added up over loops that are leapt over."""

    def __init__(self, known: Known, units: int, window: int, effort: Effort) -> None:
        super().__init__(known, units, window, effort)
        self.record = Record()
        self._flight = _Told(window - 1, self._note)

    def _note(self, flight: Flight) -> None:
        end, _, index, _ = flight
        row = self._rows[index]
        start = end - row[_WORK]
        self.record.add(start, start + row[_HOLD], index)

    def _request(self, first: int, index: int, counters: Counters) -> Walk:
        yield from super()._request(first, index, counters)
        self.record.finish(self._free[TRANSFER])

    def leap(self, loop: Loop, repetition: Repetition, count: int) -> int:
        """As in Pipeline."""
        now = Mark(count, self.start, (self.record.mark,))
        found = repetition.look(now, self.state(loop, count))
        if found is None:
            return 0
        before, rounds = found
        period, turns = now.start - before.start, rounds * (now.turn - before.turn)
        self.record.repeat(before.sums[0], rounds, period)
        self.shift(loop, rounds * period, turns)
        self.start += rounds * period
        return turns


class _Told(deque[Flight]):
    """The operations in flight, each of which is told when it starts."""

    def __init__(self, most: int, tell: Callable[[Flight], None]) -> None:
        super().__init__((), most)
        self._tell = tell

    def append(self, flight: Flight, /) -> None:
        """One starts."""
        self._tell(flight)
        super().append(flight)
