"""The program counter and the loop stack over a section, shared by both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from emu.isa.codes import ASK_OF
from emu.isa.table import LOOP
from emu.operands.loop_tree import Item, Loop, loop_tree, loops_in
from emu.program.section import Section


class Place(NamedTuple):
    """Where a sequencer stands: on instruction `pc`, in `loops` (outermost first) at `counters`."""

    pc: int
    counters: Sequence[int]
    loops: Sequence[Loop]


class Sequencer:
    """Walks a section. `pc` stands on an instruction, on a loop that is to be entered or skipped, or at the end.

    `counters` are those of the loops around `pc`, outermost first.
    """

    def __init__(self, section: Section) -> None:
        self.section = section
        self.counters: list[int] = []
        self.pc = 0
        self._frames: list[Loop] = []
        self._length = len(section)
        self._is_loop = (section.columns["op"] == LOOP).tobytes()

    @cached_property
    def tree(self) -> Sequence[Item]:
        """The loops of the section that run anything; requests are its marks."""
        return loop_tree(self.section, np.flatnonzero(ASK_OF[self.section.columns["op"]]))

    @cached_property
    def loops(self) -> Mapping[int, Loop]:
        """All of these loops by instruction."""
        return {loop.index: loop for loop in loops_in(self.tree)}

    @property
    def at_end(self) -> bool:
        """Whether the section is over."""
        return self.pc >= self._length

    @property
    def at_loop(self) -> bool:
        """Whether `pc` stands on a loop."""
        return self.pc < self._length and self._is_loop[self.pc] != 0

    @property
    def depth(self) -> int:
        """Number of loops around `pc`."""
        return len(self._frames)

    def place(self) -> Place:
        """Where it stands."""
        return Place(self.pc, tuple(self.counters), tuple(self._frames))

    def stand(self, place: Place) -> None:
        """Stand at a place that `place` gave."""
        self.pc, self.counters[:], self._frames[:] = place

    def restart(self) -> None:
        """Back to the first instruction."""
        self.pc = 0
        self._frames.clear()
        self.counters.clear()

    def stop(self) -> None:
        """Leave all loops and go to the end."""
        self.restart()
        self.pc = self._length

    def next(self) -> None:
        """Step over the instruction at `pc`, and around the loops that end behind it."""
        self._go(self.pc + 1)

    def enter(self, start: int = 0) -> None:
        """Enter the loop at `pc` at iteration `start`, or step over it when nothing in it would run."""
        loop = self.loops.get(self.pc)
        if loop is None:
            self.skip()
            return
        self._frames.append(loop)
        self.counters.append(start)
        self.pc += 1

    def skip(self) -> None:
        """Step over the whole loop at `pc`."""
        self._go(int(self.section.columns["end"][self.pc]))

    def _go(self, target: int) -> None:
        frames, counters = self._frames, self.counters
        while frames and target == frames[-1].end:
            counters[-1] += 1
            if counters[-1] < frames[-1].trips:
                target = frames[-1].index + 1
                break
            frames.pop()
            counters.pop()
        self.pc = target
