"""In which iterations of a loop operations share bytes as in the iterations before, so that it may repeat itself.

Two operands that step through memory alike always lie alike. Two that do not may meet in some iterations only: those
are bounded here. Modulo terms come round after a while; where that is long, the iterations about a wrap are special.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

from emu.intervals import Intervals, Range
from emu.operands.loop_tree import Loop
from emu.timing.fast.body import Counters
from emu.timing.fast.hazards import Hazards
from emu.timing.fast.operands import EVERYWHERE, Hull, TimedOperand

SHORT = 32  # iterations after which modulo terms come round, to be waited for in any loop
LONG = 1024  # the same, in loops that are long enough
MOST_WRAPS = 1 << 16  # of one loop
SETTLING = 4  # iterations until a loop repeats itself, more or less


@dataclass(frozen=True, slots=True)
class SteadyStatePlan:
    """Of a loop: outside of the `special` iterations (in order, apart), what overlaps comes again after `period`."""

    period: int
    special: Sequence[Range]


class _Step(NamedTuple):
    """An operand of instruction `place` in a loop: bytes per iteration without modulo terms; with what these add
    between their wraps; offset and modulus of each.
    """

    place: int
    operand: TimedOperand
    stride: int
    drift: int
    rounds: Sequence[tuple[int, int]]


Meeting = tuple[_Step, _Step]  # two operands that may share bytes


@dataclass(frozen=True, slots=True)
class _Known:
    """What does not depend on the loops around; `crossing` are operands that step through memory differently."""

    plan: SteadyStatePlan
    crossing: Sequence[Meeting]


class Steadiness:
    """Of the loops of one section; `window` bounds how many iterations apart operations are that overlap in time."""

    def __init__(self, hazards: Hazards, window: int) -> None:
        self._hazards, self._apart = hazards, max(window - 1, 1)
        self._known: dict[int, _Known | None] = {}

    def plan(self, loop: Loop, around: Counters) -> SteadyStatePlan | None:
        """The plan of the loop at these counters of the loops around; None if each iteration may be different."""
        if loop.index not in self._known:
            self._known[loop.index] = self._look(loop)
        known = self._known[loop.index]
        if known is None or not known.crossing:
            return known and known.plan
        special = [self._crossing(meeting, loop, around) for meeting in known.crossing]
        return SteadyStatePlan(known.plan.period, joined(special, loop.trips))

    def _look(self, loop: Loop) -> _Known | None:
        inside = range(loop.index + 1, loop.end)
        steps = [_step(index, operand, loop.depth) for index in inside for operand in self._hazards.operands.of(index)]
        sets = 0
        for index in inside:
            sets |= self._hazards.registers(index)[0]
        if any(step.operand.register >= 0 and sets >> step.operand.register & 1 for step in steps):
            return None
        meetings = list(_meetings(steps))
        rounds = {each for meeting in meetings for step in meeting for each in step.rounds}
        period = lcm(*(modulus for _, modulus in rounds))
        number = sum(loop.trips // modulus for _, modulus in rounds)
        if period <= SHORT or (period <= LONG and 3 * period < number * (2 * self._apart + SETTLING)):
            return _Known(
                SteadyStatePlan(period, ()), [(mine, other) for mine, other in meetings if mine.stride != other.stride]
            )
        if number > MOST_WRAPS or any(mine.drift != other.drift for mine, other in meetings):
            return None
        wraps = [(wrap, wrap) for offset, modulus in rounds for wrap in range(-offset % modulus, loop.trips, modulus)]
        return _Known(SteadyStatePlan(1, joined([self._about(wrap) for wrap in wraps], loop.trips)), ())

    def _crossing(self, meeting: Meeting, loop: Loop, around: Counters) -> Range:
        """The iterations outside of which the two cannot share bytes: where -b < s * k < a."""
        mine, other = meeting
        low, high = self._bounds(mine.place, mine.operand, loop, around)
        begin, end = self._bounds(other.place, other.operand, loop, around)
        reach, step = abs(mine.stride) * self._apart, other.stride - mine.stride
        above, below = high - begin + reach, end - low + reach
        if step < 0:
            step, above, below = -step, below, above
        return self._about((-below // step + 1, -(-above // step)))

    def _about(self, iterations: Range) -> Range:
        return iterations[0] - self._apart, iterations[1] + self._apart

    def _bounds(self, index: int, operand: TimedOperand, loop: Loop, around: Counters) -> Range:
        """All bytes that an operand touches at these counters of the loops around, as if in iteration 0 of `loop`."""
        if operand.register >= 0:  # its value is not asked for
            return -EVERYWHERE, EVERYWHERE
        low, high = operand.reach
        box = self._hazards.view.timeline.box(index)
        box[: loop.depth] = [(count, count + 1) for count in around]
        for term in operand.terms:
            if term.loop != loop.depth or term.modulus:
                down, up = term.reach(*box[term.loop])
                low, high = low + down, high + up
        return low, high


def joined(ranges: Sequence[Range], trips: int) -> list[Range]:
    """The ranges within [0, trips) in order, those that touch made one."""
    found = Intervals()
    for low, high in ranges:
        found.add(max(low, 0), min(high, trips))
    return list(found)


def _step(index: int, operand: TimedOperand, depth: int) -> _Step:
    """An operand of instruction `index` in the loop at `depth`."""
    stride = drift = 0
    rounds = list[tuple[int, int]]()
    for at, bytes_each, offset, modulus in operand.terms:
        if at == depth:
            drift += bytes_each
            if modulus:
                rounds.append((offset, modulus))
            else:
                stride += bytes_each
    return _Step(index, operand, stride, drift, rounds)


def _meetings(steps: Sequence[_Step]) -> Iterator[Meeting]:
    """The pairs of operands, one of them written, that share bytes somewhere."""
    ordered = sorted(steps, key=_hull)
    for place, mine in enumerate(ordered):
        _, high, write, _, _ = mine.operand.hull
        for at in range(place, len(ordered)):
            other = ordered[at]
            hull = other.operand.hull
            if hull.low >= high:
                break
            if write or hull.write:
                yield mine, other


def _hull(step: _Step) -> Hull:
    return step.operand.hull
