"""When a loop repeats itself: the same state, relative to now, before two iterations with the same future."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from typing import Any, NamedTuple

from emu.operands.loop_tree import Loop
from emu.timing.fast.body import Counters
from emu.timing.fast.steadiness import SteadyStatePlan

MAX_STATES = 1 << 12  # that are remembered of one visit to a loop


class LoopMark(NamedTuple):
    """Where a loop stood: iterations done, the last start, the sums so far, and what the observer says of it."""

    turn: int
    start: int
    sums: tuple[int, ...]
    seen: Any = None


class Repetition:
    """One visit to a loop."""

    def __init__(self, plan: SteadyStatePlan, trips: int) -> None:
        self._period, self._special, self._trips = plan.period, plan.special, trips
        self._seen: dict[Hashable, LoopMark] = {}

    def look(self, now: LoopMark, state: Hashable) -> tuple[LoopMark, int] | None:
        """The earlier mark that came to the same state, and how often what came since then comes again at least."""
        count, end = now.turn, self._trips
        if self._special:
            place = bisect_right(self._special, (count, end))
            if place and count < self._special[place - 1][1]:
                self._seen.clear()
                return None
            if place < len(self._special):
                end = self._special[place][0]
        key = count % self._period, state
        before = self._seen.get(key)
        if before is not None:
            rounds = (end - count) // (count - before.turn)
            return (before, rounds) if rounds else None
        if len(self._seen) < MAX_STATES:
            self._seen[key] = now
        return None


def later(counters: Counters, loop: Loop, turns: int) -> Counters:
    """The counters of an operation in `loop`, so many iterations later."""
    depth = loop.depth
    return (*counters[:depth], counters[depth] + turns, *counters[depth + 1 :])
