"""In which iterations of a loop operations share bytes as in the iterations before, so that it may repeat itself.

Two operands that step through memory alike always lie alike. Two that do not may meet in some iterations only: those
are bounded here. Modulo terms come round after a while; where that is long, the iterations about a wrap are special.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm

from emu.timing.fast.body import Counters, Loop
from emu.timing.fast.hazards import Hazards
from emu.timing.fast.operands import EVERYWHERE, Operand

Range = tuple[int, int]  # half open
Meeting = tuple[int, Operand, int, Operand]  # two operands that may share bytes, each with its instruction
SHORT = 32  # iterations after which modulo terms come round, to be waited for in any loop
LONG = 1024  # the same, in loops that are long enough
MOST_WRAPS = 1 << 16  # of one loop
SETTLING = 4  # iterations until a loop repeats itself, more or less


@dataclass(frozen=True, slots=True)
class Plan:
    """Of a loop: outside of the `special` iterations (in order, apart), what overlaps comes again after `period`."""

    period: int
    special: Sequence[Range]


@dataclass(frozen=True, slots=True)
class _Known:
    """What does not depend on the loops around; `crossing` are operands that step through memory differently."""

    plan: Plan
    crossing: Sequence[Meeting]


class Steadiness:
    """Of the loops of one section; `window` bounds how many iterations apart operations are that overlap in time."""

    def __init__(self, hazards: Hazards, window: int) -> None:
        self._hazards, self._apart = hazards, max(window - 1, 1)
        self._known: dict[int, _Known | None] = {}

    def plan(self, loop: Loop, around: Counters) -> Plan | None:
        """The plan of the loop at these counters of the loops around; None if each iteration may be different."""
        if loop.index not in self._known:
            self._known[loop.index] = self._look(loop)
        known = self._known[loop.index]
        if known is None or not known.crossing:
            return known and known.plan
        special = [self._crossing(meeting, loop, around) for meeting in known.crossing]
        return Plan(known.plan.period, joined(special, loop.trips))

    def _look(self, loop: Loop) -> _Known | None:
        inside = range(loop.index + 1, loop.end)
        operands = [(index, operand) for index in inside for operand in self._hazards.operands.of(index)]
        sets = 0
        for index in inside:
            sets |= self._hazards.registers(index)[0]
        if any(operand.register >= 0 and sets >> operand.register & 1 for _, operand in operands):
            return None
        depth, meetings = loop.depth, list(_meetings(operands))
        rounds = {(offset, modulus) for meeting in meetings for offset, modulus in _rounds(meeting, depth)}
        period = lcm(*(modulus for _, modulus in rounds))
        number = sum(loop.trips // modulus for _, modulus in rounds)
        if period <= SHORT or (period <= LONG and 3 * period < number * (2 * self._apart + SETTLING)):
            return _Known(Plan(period, ()), [m for m in meetings if _stride(m[1], depth) != _stride(m[3], depth)])
        if number > MOST_WRAPS or any(_stride(m[1], depth, True) != _stride(m[3], depth, True) for m in meetings):
            return None
        wraps = [(wrap, wrap) for offset, modulus in rounds for wrap in range(-offset % modulus, loop.trips, modulus)]
        return _Known(Plan(1, joined([self._about(wrap) for wrap in wraps], loop.trips)), ())

    def _crossing(self, meeting: Meeting, loop: Loop, around: Counters) -> Range:
        """The iterations outside of which the two cannot share bytes: where -b < s * k < a."""
        first, mine, second, other = meeting
        low, high = self._bounds(first, mine, loop, around)
        begin, end = self._bounds(second, other, loop, around)
        stride = _stride(mine, loop.depth)
        reach, step = abs(stride) * self._apart, _stride(other, loop.depth) - stride
        above, below = high - begin + reach, end - low + reach
        if step < 0:
            step, above, below = -step, below, above
        return self._about((-below // step + 1, -(-above // step)))

    def _about(self, iterations: Range) -> Range:
        return iterations[0] - self._apart, iterations[1] + self._apart

    def _bounds(self, index: int, operand: Operand, loop: Loop, around: Counters) -> Range:
        """All bytes that an operand touches at these counters of the loops around, as if in iteration 0 of `loop`."""
        if operand.register >= 0:  # its value is not asked for
            return -EVERYWHERE, EVERYWHERE
        low = high = 0
        timeline, trips = self._hazards.view.timeline, self._hazards.view.section.columns["n"]
        loops = timeline.loops(index)
        for depth, stride, offset, modulus in operand.terms:
            if depth == loop.depth and not modulus:
                continue
            if depth < loop.depth:
                first = last = (around[depth] + offset) % modulus if modulus else around[depth]
            else:
                first, last = 0, (modulus or int(trips[loops[depth]])) - 1
            ends = stride * first, stride * last
            low, high = low + min(ends), high + max(ends)
        return operand.reach[0] + low, operand.reach[1] + high


def joined(ranges: Sequence[Range], trips: int) -> list[Range]:
    """The ranges within [0, trips) in order, those that touch made one."""
    found: list[Range] = []
    for low, high in sorted((max(low, 0), min(high, trips)) for low, high in ranges):
        if low >= high:
            continue
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def _meetings(operands: Sequence[tuple[int, Operand]]) -> Iterator[Meeting]:
    """The pairs of operands, one of them written, that share bytes somewhere."""
    ordered = sorted(operands, key=lambda entry: entry[1].hull)
    for place, (first, mine) in enumerate(ordered):
        end = mine.hull.high
        for at in range(place, len(ordered)):
            second, other = ordered[at]
            if other.hull.low >= end:
                break
            if mine.hull.write or other.hull.write:
                yield first, mine, second, other


def _stride(operand: Operand, depth: int, rounds: bool = False) -> int:
    """Bytes per iteration of the loop at `depth`; with what its modulo terms add between their wraps, if `rounds`."""
    return sum(stride for at, stride, _, modulus in operand.terms if at == depth and (rounds or not modulus))


def _rounds(meeting: Meeting, depth: int) -> Iterator[tuple[int, int]]:
    """Offset and modulus of the modulo terms of two operands."""
    for operand in (meeting[1], meeting[3]):
        for at, _, offset, modulus in operand.terms:
            if at == depth and modulus:
                yield offset, modulus
