"""The program counter and the loop stack over a section, shared by both engines."""

from __future__ import annotations

from emu.isa.table import LOOP
from emu.program.section import Section


class Sequencer:
    """Walks a section. `pc` stands on an instruction, on a loop that is to be entered or skipped, or at the end.

    `counters` are those of the loops around `pc`, outermost first.
    """

    def __init__(self, section: Section) -> None:
        self.section = section
        self.counters: list[int] = []
        self.pc = 0
        self._frames: list[tuple[int, int, int]] = []  # begin of the body, end, trips
        self._length = len(section)
        self._is_loop = (section.columns["op"] == LOOP).tobytes()
        self._has_work: dict[int, bool] = {}

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
        if not self.has_work(self.pc):
            self.skip()
            return
        self._frames.append((self.pc + 1, self._end(self.pc), self._trips(self.pc)))
        self.counters.append(start)
        self.pc += 1

    def skip(self) -> None:
        """Step over the whole loop at `pc`."""
        self._go(self._end(self.pc))

    def has_work(self, index: int) -> bool:
        """Whether the loop at `index` runs any instruction (zero trips and empty bodies do not)."""
        known = self._has_work.get(index)
        if known is None:
            known = self._has_work[index] = self._trips(index) > 0 and self._body_has_work(index)
        return known

    def _body_has_work(self, index: int) -> bool:
        at, end = index + 1, self._end(index)
        while at < end:
            if not self._is_loop[at] or self.has_work(at):
                return True
            at = self._end(at)
        return False

    def _go(self, target: int) -> None:
        frames, counters = self._frames, self.counters
        while frames and target == frames[-1][1]:
            begin, _, trips = frames[-1]
            counters[-1] += 1
            if counters[-1] < trips:
                target = begin
                break
            frames.pop()
            counters.pop()
        self.pc = target

    def _end(self, index: int) -> int:
        return int(self.section.columns["end"][index])

    def _trips(self, index: int) -> int:
        return int(self.section.columns["n"][index])
