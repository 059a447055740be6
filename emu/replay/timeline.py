"""When instructions run: the step number of every execution is affine in the loop counters, nothing is unrolled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.isa.table import LOOP
from emu.program.nesting import Nesting, nesting
from emu.program.section import Section

MAX_STEPS = 1 << 61  # of a section; beyond, step numbers do not fit in 64 bits
Range = tuple[int, int]  # first counter, one past the last


class TooMuch(Exception):
    """A question that would take too long or too much memory; the text says why."""


@dataclass(slots=True)
class Budget:
    """How much may still be listed one by one: programs of strangers must not take for ever."""

    left: int

    def take(self, count: int) -> None:
        """Spend; raises TooMuch when nothing is left."""
        if count > self.left:
            raise TooMuch("too many accesses would have to be looked at one by one")
        self.left -= count


@dataclass(frozen=True, eq=False)
class Timeline:
    """Of a validated section. An execution of instruction i happens at start[i] + sum(counter * length[loop]).

    `length` are steps of one iteration, by loop instruction; `parent` is the innermost loop around an instruction
    (-1: none), `unit` the outermost one (or itself); `runs` tells whether an instruction is ever executed.
    """

    section: Section
    nest: Nesting
    parent: np.ndarray
    unit: np.ndarray
    length: dict[int, int]
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
        times = self.start[instruction : instruction + 1]
        for loop, (low, high) in zip(self.loops(instruction), self.box(instruction, first), strict=True):
            times = (times[:, None] + self.length[loop] * np.arange(low, high)).reshape(-1)
        return times

    def counters(self, instruction: int, time: int) -> tuple[int, ...]:
        """The loop counters of the execution at step `time`."""
        rest, counters = time - int(self.start[instruction]), list[int]()
        for loop in self.loops(instruction):
            count, rest = divmod(rest, self.length[loop])
            counters.append(count)
        return tuple(counters)

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


def make_timeline(section: Section) -> Timeline:
    """Step numbers of a validated section; raises TooMuch if it runs longer than any machine could."""
    op, trips, end = (section.columns[name] for name in ("op", "n", "end"))
    nest, index = nesting(section), np.arange(len(section))
    parent, unit = np.full(len(section), -1), index.copy()
    deep = np.flatnonzero(nest.depth > 0)
    if len(deep):
        parent[deep] = nest.enclosing(deep, nest.depth[deep] - 1)
        unit[deep] = nest.enclosing(deep, np.zeros(len(deep), np.int64))
    loops = np.flatnonzero(op == LOOP)
    work = np.concatenate(([0], np.cumsum(op != LOOP)))  # instructions before each index, each counted once
    length, delta = _lengths(section, loops.tolist(), parent, work)
    if int(work[-1]) + sum(map(abs, delta)) > MAX_STEPS:
        raise TooMuch(f"it runs more than {MAX_STEPS} instructions")
    later = np.zeros(len(section) + 1, np.int64)
    np.add.at(later, end[loops], np.array(delta, np.int64))
    later = np.cumsum(later)
    idle = np.zeros(len(section) + 1, np.int64)
    empty = loops[trips[loops] == 0]
    np.add.at(idle, empty + 1, 1)
    np.subtract.at(idle, end[empty], 1)
    runs = np.cumsum(idle)[: len(section)] == 0
    start = work[:-1] + later[: len(section)]
    return Timeline(section, nest, parent, unit, length, start, runs, int(work[-1] + later[-1]))


def _lengths(
    section: Section, loops: list[int], parent: np.ndarray, work: np.ndarray
) -> tuple[dict[int, int], list[int]]:
    """Steps of one iteration of each loop, and the steps that all further iterations add."""
    trips, end = section.columns["n"], section.columns["end"]
    inner: dict[int, int] = {}
    length: dict[int, int] = {}
    for loop in reversed(loops):
        length[loop] = int(work[end[loop]] - work[loop]) + inner.get(loop, 0)
        around = int(parent[loop])
        more = (int(trips[loop]) - 1) * length[loop]
        inner[around] = inner.get(around, 0) + more + inner.get(loop, 0)
    return length, [(int(trips[loop]) - 1) * length[loop] for loop in loops]
