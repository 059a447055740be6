"""What stands in a core's bank as `check` follows a program: rows of each group, who wrote them, who destroyed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from emu.noc.deadlock.place import ProgramPlace, place_of
from emu.program.group import rivals
from emu.program.program import Program

NEVER = "nothing has written any of its rows before"


@dataclass(frozen=True, slots=True)
class Write:
    """An execution of `xbwrite`, and the group that it writes."""

    section: str
    sample: int
    index: int
    counters: tuple[int, ...]
    group: int


class CheckedBank:
    """Which rows of each group are there (bool [rows] by group), the last write to it, and what put it off."""

    def __init__(self, program: Program) -> None:
        self._program, self._rivals = program, rivals(program.groups)
        self._held: dict[int, np.ndarray] = {}
        self._last: dict[int, Write] = {}  # to a group, since it was destroyed
        self._destroyed: dict[int, Write] = {}  # by group that stood there: the write of a rival

    def write(self, write: Write, row: int, rows: int) -> None:
        """Write rows of a group; its rivals lose all that they hold."""
        if not rows:
            return
        for other in self._rivals[write.group]:
            if self._held.pop(other, None) is not None:
                self._last.pop(other)
                self._destroyed[other] = write
        held = self._held.setdefault(write.group, np.zeros(self._program.groups[write.group].rows, np.bool_))
        held[row : row + rows] = True
        self._last[write.group] = write

    def is_whole(self, group: int) -> bool:
        """Whether every row is there."""
        return group in self._held and bool(self._held[group].all())

    def turn(self, change: Callable[[Write], Write]) -> None:
        """Call the writes that are remembered otherwise: those of a loop's second turn stand for those of its last."""
        for known in (self._last, self._destroyed):
            for group, write in known.items():
                known[group] = change(write)

    def why(self, group: int) -> tuple[str, ProgramPlace | None]:
        """Why a group is not whole, in words, and the write that is to blame; None if there was none before."""
        last, destroyed = self._last.get(group), self._destroyed.get(group)
        told = list[str]()
        if destroyed is not None:
            told.append(f"{self._place(destroyed)} has put group {destroyed.group} on its crossbars")
        if last is not None:
            rows = ", ".join(_runs(~self._held[group]))
            one = rows.isdecimal()
            missing = f"row{'' if one else 's'} {rows} of its {len(self._held[group])} {'is' if one else 'are'} missing"
            told.append(f"{missing} after {self._place(last)}")
        blamed = destroyed or last
        return ", and ".join(told) or NEVER, None if blamed is None else self._place(blamed)

    def _place(self, write: Write) -> ProgramPlace:
        return place_of(self._program, write.section, write.index, write.counters, write.sample)


def at_last_turn(write: Write, section: str, loop: tuple[int, int], around: tuple[int, ...], trips: int) -> Write:
    """`write`, or if it was in the second turn of the loop of instructions [begin, end): in the last one of `trips`."""
    begin, end = loop
    depth = len(around)
    inside = write.section == section and begin < write.index < end and write.counters[:depth] == around
    if not inside or write.counters[depth] != 1:
        return write
    return replace(write, counters=(*around, trips - 1, *write.counters[depth + 1 :]))


def _runs(chosen: np.ndarray) -> Iterator[str]:
    """The places of what is chosen, neighbours joined: `2 to 5`."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False]))))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield str(begin) if end == begin + 1 else f"{begin} to {end - 1}"
