"""One core: its sections with their timelines, operands and register values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from emu.arch import Arch
from emu.core.trap import INIT_SAMPLE
from emu.isa.address import Term
from emu.noc.deadlock.place import ProgramPlace, place_of
from emu.operands.accesses import Accesses, make_accesses
from emu.operands.footprint import footprint
from emu.operands.runs import sums
from emu.operands.terms import level_values
from emu.operands.timeline import ListingBudget, Range, SectionTimeline, make_timeline
from emu.program.program import Program
from emu.program.section import Section
from emu.replay.scalars import Scalars, follow

MAX_LISTED = 1 << 26  # executions and intervals of one section that are listed
FIRST_SAMPLE = 0  # the sample that a replay of `main` stands for


@dataclass(frozen=True, eq=False)
class SectionView:
    """`init` or `main` of one core."""

    program: Program
    arch: Arch
    name: str

    @property
    def section(self) -> Section:
        """The instructions."""
        return self.program.main if self.name == "main" else self.program.init

    @cached_property
    def timeline(self) -> SectionTimeline:
        """Step numbers; raises TooMuch."""
        return make_timeline(self.section)

    @cached_property
    def accesses(self) -> Accesses:
        """The operands."""
        return make_accesses(self.section, self.program.groups)

    @cached_property
    def scalars(self) -> Scalars:
        """Register values over time; raises TooMuch."""
        return follow(self.section, self.timeline, self.arch.core.registers)

    @cached_property
    def budget(self) -> ListingBudget:
        """What may still be listed one by one."""
        return ListingBudget(MAX_LISTED)

    @cached_property
    def used(self) -> np.ndarray:
        """Per operand: whether it accesses any byte."""
        return (self.accesses.elements > 0) & self.timeline.runs[self.accesses.instruction]

    @property
    def global_rows(self) -> np.ndarray:
        """The operands that access global memory."""
        return np.flatnonzero(self.used & self.accesses.is_global)

    @cached_property
    def extents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Bounds [low, high) of what each operand ever touches, and whether they are known, [operands] each."""
        low, high = (part.copy() for part in self.accesses.hulls)
        known, index = np.ones(len(low), np.bool_), self.accesses.instruction
        register, start = self.section.columns["reg"], self.timeline.start
        moved, flat = self.used & (register >= 0), self.timeline.parent[index] < 0
        for number in np.unique(register[moved & flat]).tolist():
            chosen = np.flatnonzero(moved & flat & (register == number))
            values, known[chosen] = self.scalars.at(number, start[index[chosen]])
            low[chosen] += values
            high[chosen] += values
        for row in np.flatnonzero(moved & ~flat).tolist():
            extent = self.scalars.extent(int(register[row]), *self.span(int(index[row])))
            known[row] = extent is not None
            low[row] += extent[0] if extent else 0
            high[row] += extent[1] if extent else 0
        return low, high, known

    def terms(self, row: int) -> tuple[Term, ...]:
        """The address terms of an operand."""
        return self.section.address(row).terms

    def addresses(self, row: int, first: Range | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Steps, addresses and whether these are known, [executions] each, of an operand; raises TooMuch."""
        col, index = self.section.columns, int(self.accesses.instruction[row])
        box = self.timeline.box(index, first)
        self.budget.take(prod(high - low for low, high in box))
        by_level: dict[int, list[Term]] = {}
        for term in self.terms(row):
            by_level.setdefault(term.loop, []).append(term)
        moves = (level_values(by_level.get(level, ()), *counts) for level, counts in enumerate(box))
        addresses = sums(col["base"][row : row + 1], moves)
        times, register = self.timeline.times(index, first), int(col["reg"][row])
        if register < 0:
            return times, addresses, np.ones(len(addresses), np.bool_)
        values, known = self.scalars.at(register, times)
        return times, addresses + values, known

    def bases(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Addresses without terms, and whether they are known and constant, of the operands `rows`, [rows] each."""
        col, index = self.section.columns, self.accesses.instruction[rows]
        bases, register = col["base"][rows], col["reg"][rows]
        known = register < 0
        flat = ~known & (self.timeline.parent[index] < 0)
        for number in np.unique(register[flat]).tolist():
            chosen = np.flatnonzero(flat & (register == number))
            values, known[chosen] = self.scalars.at(number, self.timeline.start[index[chosen]])
            bases[chosen] += values
        return bases, known

    def constant(self, row: int) -> int | None:
        """The address of an operand without its terms; None if a register in it varies or is unknown."""
        col, index = self.section.columns, int(self.accesses.instruction[row])
        base, register = int(col["base"][row]), int(col["reg"][row])
        if register < 0:
            return base
        extent = self.scalars.extent(register, *self.span(index))
        return None if extent is None or extent[0] != extent[1] else base + extent[0]

    def span(self, index: int) -> tuple[int, int]:
        """The first and the last step at which an instruction (that runs) is executed."""
        last = [high - 1 for _, high in self.timeline.box(index)]
        return int(self.timeline.start[index]), self.timeline.step_of(index, last)

    def footprint(self, row: int, first: Range | None = None) -> tuple[np.ndarray, np.ndarray] | None:
        """(begins, ends) of the bytes that an operand ever touches; None if not known as few; raises TooMuch."""
        start, a = self.constant(row), self.accesses
        if start is None:
            return None
        box = self.timeline.box(int(a.instruction[row]), first)
        runs = footprint(start, self.terms(row), box, a.pattern(row))
        self.budget.take(len(runs[0]) if runs else 0)
        return runs

    def place(self, index: int, time: int) -> ProgramPlace:
        """Where the execution of instruction `index` at step `time` stands in the program."""
        sample = FIRST_SAMPLE if self.name == "main" else INIT_SAMPLE
        return place_of(self.program, self.name, index, self.timeline.counters(index, time), sample)

    def text(self, index: int) -> str:
        """Core and instruction, for reasons."""
        name = self.section.decode(index).text
        return f"core {self.program.core}, {self.name}[{index}] {name}"


@dataclass(frozen=True, eq=False)
class CoreView:
    """Both sections of a core."""

    program: Program
    arch: Arch

    @cached_property
    def sections(self) -> Mapping[str, SectionView]:
        """`init`, then `main`."""
        names = ("init", "main")
        return {name: SectionView(self.program, self.arch, name) for name in names}
