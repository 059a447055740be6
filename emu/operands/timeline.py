"""When instructions run: the step number of every execution is affine in the loop counters, nothing is unrolled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.isa.table import LOOP
from emu.operands.runs import sums
from emu.program.nesting import Nesting, nesting
from emu.program.section import Section

MAX_STEPS = 1 << 61  # of a section; beyond, step numbers do not fit in 64 bits
Range = tuple[int, int]  # first counter, one past the last


class TooMuch(Exception):
    """A question that would take too long or too much memory; the text says why."""


@dataclass(slots=True)
class ListingBudget:
    """How much may still be listed one by one: programs of strangers must not take for ever."""

    left: int

    def take(self, count: int) -> None:
        """Spend; raises TooMuch when nothing is left."""
        if count > self.left:
            raise TooMuch("too many accesses would have to be looked at one by one")
        self.left -= count


@dataclass(frozen=True, eq=False)
class SectionTimeline:
    """Of a validated section. An execution of instruction i happens at start[i] + sum(counter * length[loop]).

    `length` are steps of one iteration of a loop (0 of what is none); `parent` is the innermost loop around an
    instruction (-1: none), `unit` the outermost one (or itself); `runs` tells whether an instruction is ever executed.
    Arrays are [instructions].
    """

    section: Section
    nest: Nesting
    parent: np.ndarray
    unit: np.ndarray
    length: np.ndarray
    start: np.ndarray
    runs: np.ndarray
    total: int

    @cached_property
    def _around(self) -> dict[int, tuple[int, ...]]:
        """By innermost loop: that loop after all loops around it."""
        return {-1: ()}

    def loops(self, instruction: int) -> tuple[int, ...]:
        """The loops around an instruction, outermost first."""
        parent = int(self.parent[instruction])
        if parent not in self._around:
            self._around[parent] = (*self.loops(parent), parent)
        return self._around[parent]

    def box(self, instruction: int, first: Range | None = None) -> list[Range]:
        """The counters' ranges of the loops around an instruction; `first` narrows the outermost one."""
        trips = self.section.columns["n"]
        ranges = [(0, int(trips[loop])) for loop in self.loops(instruction)]
        if first is not None and ranges:
            ranges[0] = first
        return ranges

    def times(self, instruction: int, first: Range | None = None) -> np.ndarray:
        """Step numbers of the executions, in order, int64 [executions]."""
        loops = zip(self.loops(instruction), self.box(instruction, first), strict=True)
        parts = (self.length[loop] * np.arange(low, high) for loop, (low, high) in loops)
        return sums(self.start[instruction : instruction + 1], parts)

    def counters(self, instruction: int, time: int) -> tuple[int, ...]:
        """The loop counters of the execution at step `time`."""
        rest, counters = time - int(self.start[instruction]), list[int]()
        for loop in self.loops(instruction):
            count, rest = divmod(rest, int(self.length[loop]))
            counters.append(count)
        return tuple(counters)

    def step_of(self, instruction: int, counters: Sequence[int]) -> int:
        """The step number of the execution at the given loop counters."""
        loops = zip(counters, self.loops(instruction), strict=True)
        return int(self.start[instruction]) + sum(count * int(self.length[loop]) for count, loop in loops)

    @cached_property
    def _levels(self) -> list[np.ndarray]:
        """Per number of loops around it, what runs: ascending, and so are its first steps."""
        return [np.flatnonzero(self.runs & (self.nest.depth == level)) for level in range(self.nest.deepest + 1)]

    def executed(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What runs at `steps` (int64 [m], below `total`): instructions [m], counters of the loops around [m, levels].

        Counters beyond the loops around an instruction are 0.
        """
        found, counters = np.zeros(len(steps), np.int64), np.zeros((len(steps), self.nest.deepest), np.int64)
        within = np.arange(len(steps))  # those in a loop whose iteration is still to be looked into
        first = np.array(steps, np.int64)  # the step of the same instruction in the first iteration of the loops so far
        for level, items in enumerate(self._levels):
            found[within] = at = items[np.searchsorted(self.start[items], first[within], "right") - 1]
            inside = self.length[at] > 0
            within, at = within[inside], at[inside]
            if not len(within):
                break
            counters[within, level], rest = np.divmod(first[within] - self.start[at], self.length[at])
            first[within] = self.start[at] + rest
        return found, counters

    def executions(self, instruction: int) -> int:
        """How often an instruction runs."""
        count = 1
        for low, high in self.box(instruction):
            count *= high - low
        return count

    def trace(self, instructions: np.ndarray, limit: int, what: str) -> tuple[np.ndarray, np.ndarray]:
        """Step numbers and instructions of all executions, in the order of time; raises TooMuch beyond `limit`."""
        wanted = instructions[self.runs[instructions]]
        flat = self.parent[wanted] < 0
        looped = wanted[~flat].tolist()
        if int(flat.sum()) + sum(map(self.executions, looped)) > limit:
            raise TooMuch(f"more than {limit} {what}")
        times = [self.start[wanted[flat]], *(self.times(index) for index in looped)]
        sizes = [len(part) for part in times[1:]]
        owners = np.concatenate((wanted[flat], np.repeat(np.array(looped, np.int64), sizes)))
        joined = np.concatenate(times)
        order = np.argsort(joined, kind="stable")
        return joined[order], owners[order]


def make_timeline(section: Section, most: int = MAX_STEPS) -> SectionTimeline:
    """Step numbers of a section of nested loops; raises TooMuch if it runs more than `most` instructions.

    It may have the columns `op`, `end` and `n` alone.
    """
    op, trips, end = (section.columns[name] for name in ("op", "n", "end"))
    nest, index = nesting(section), np.arange(len(section))
    parent, unit = np.full(len(section), -1), index.copy()
    deep = np.flatnonzero(nest.depth > 0)
    if len(deep):
        parent[deep] = nest.enclosing(deep, nest.depth[deep] - 1)
        unit[deep] = nest.enclosing(deep, np.zeros(len(deep), np.int64))
    loops = np.flatnonzero(op == LOOP)
    work = np.concatenate(([0], np.cumsum(op != LOOP)))  # instructions before each index, each counted once
    about = (trips[loops] - 1) * _lengths(section, nest, parent, np.float64)[loops]
    if work[-1] + np.abs(about).sum() > most:  # no sum below leaves 64 bits
        raise TooMuch(f"it runs more than {most} instructions")
    length = _lengths(section, nest, parent, np.int64)
    later = np.zeros(len(section) + 1, np.int64)
    np.add.at(later, end[loops], (trips[loops] - 1) * length[loops])
    later = np.cumsum(later)
    idle = np.zeros(len(section) + 1, np.int64)
    empty = loops[trips[loops] == 0]
    np.add.at(idle, empty + 1, 1)
    np.subtract.at(idle, end[empty], 1)
    runs = np.cumsum(idle)[: len(section)] == 0
    start = work[:-1] + later[: len(section)]
    return SectionTimeline(section, nest, parent, unit, length, start, runs, int(work[-1] + later[-1]))


def _lengths(section: Section, nest: Nesting, parent: np.ndarray, dtype: type[np.number]) -> np.ndarray:
    """Steps of one iteration of each loop, 0 of what is none, `dtype` [instructions]."""
    plain = section.columns["op"] != LOOP
    length = np.bincount(parent[plain] + 1, minlength=len(parent) + 1)[1:].astype(dtype)
    for level in range(nest.deepest - 1, 0, -1):  # loops at `level` are part of those around them
        loops = nest.loops[nest.depth[nest.loops] == level]
        total = section.columns["n"][loops] * length[loops]
        np.add.at(length, parent[loops], np.minimum(total, 2 * MAX_STEPS))  # so that floats stay finite
    return length
