"""Loop nesting of a section, computed with array operations: depths, enclosing loops, owners of operands and terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.isa.codes import OPERANDS_OF
from emu.isa.table import LOOP
from emu.program.section import Section


@dataclass(frozen=True, eq=False)
class Nesting:
    """Which loops enclose which instruction. All values are indices into the section."""

    depth: np.ndarray  # per instruction: loops open around it
    loops: np.ndarray  # the loop instructions, by depth, then position
    keys: np.ndarray  # depth * (length + 1) + position of each of `loops`, ascending

    @property
    def deepest(self) -> int:
        """How many loops are inside of each other."""
        return int(self.depth[self.loops].max(initial=-1)) + 1

    def enclosing(self, instruction: np.ndarray, level: np.ndarray) -> np.ndarray:
        """The loop whose counter `level` is, for instructions deeper than `level`."""
        place = np.searchsorted(self.keys, level.astype(np.int64) * (len(self.depth) + 1) + instruction) - 1
        return self.loops[place]


def nesting(section: Section) -> Nesting:
    """The loops of a section whose `end` column is properly nested (see `misnested`)."""
    length = len(section)
    depth = _depth(section)
    begin = np.flatnonzero(section.columns["op"] == LOOP)
    keys = depth[begin] * (length + 1) + begin
    order = np.argsort(keys)
    return Nesting(depth, begin[order], keys[order])


def misnested(section: Section) -> int | None:
    """The first loop whose end is out of bounds or outside of its parent; None if all are well."""
    length = len(section)
    begin = np.flatnonzero(section.columns["op"] == LOOP)
    end = section.columns["end"][begin].astype(np.int64)
    bad = (end <= begin) | (end > length)
    if bad.any():
        return int(begin[np.argmax(bad)])
    # Opening and closing brackets pair up in one way only: the k-th opening of a depth with the k-th closing of
    # that depth. Loops are nested exactly if those closings are their ends.
    depth = _depth(section)[begin]
    closing = np.sort(end)
    closing_depth = np.searchsorted(begin, closing, "left") - np.arange(len(closing)) - 1
    by_opening = np.lexsort((begin, depth))
    wrong = end[by_opening] != closing[np.lexsort((closing, closing_depth))]
    return int(begin[by_opening][wrong].min()) if wrong.any() else None


def executions(section: Section) -> np.ndarray:
    """How often each instruction runs in one pass: the product of the trips of its loops (int64)."""
    ops, ends, trips = (section.columns[name] for name in ("op", "end", "n"))
    times = np.ones(len(section), np.int64)
    for index in np.nonzero(ops == LOOP)[0].tolist():
        times[index + 1 : ends[index]] *= trips[index]
    return times


def operations(section: Section) -> np.ndarray:
    """The same without loops, which are no operations: 0 of them."""
    return executions(section) * (section.columns["op"] != LOOP)


def loops_around(section: Section, index: int) -> list[int]:
    """The indices of the loops around instruction `index`, outermost first."""
    before = np.flatnonzero(section.columns["op"][:index] == LOOP)
    return before[section.columns["end"][before] > index].tolist()


def _depth(section: Section) -> np.ndarray:
    begin = np.flatnonzero(section.columns["op"] == LOOP)
    change = np.zeros(len(section) + 2, np.int64)
    np.add.at(change, begin + 1, 1)
    np.subtract.at(change, section.columns["end"][begin], 1)
    return np.cumsum(change)[: len(section)]


def operand_owner(section: Section) -> np.ndarray:
    """The instruction of each operand."""
    return np.repeat(np.arange(len(section)), OPERANDS_OF[section.columns["op"]])


def term_owner(section: Section) -> np.ndarray:
    """The operand of each address term."""
    return np.repeat(np.arange(len(section.columns["base"])), section.columns["terms"])
