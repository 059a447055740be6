"""Which elements of memory, registers, cells and periphery have been written, a byte for each."""

from __future__ import annotations

import numpy as np

from emu.interop.mop.accesses import MEMORY, ElementRuns, Space

NEVER, WRITTEN, FRESH = range(3)  # fresh: by an operator of the block that is being checked
MAX_MEMORY = 1 << 27  # elements of memory that a flow may touch here
MAX_REGISTERS = 1 << 26  # elements of registers and rows of cells, of all crossbars together
_NONE = bytearray()


class Marks:
    """The mark of every element, `NEVER` at first."""

    def __init__(self) -> None:
        self._spaces: dict[Space, bytearray] = {}
        self._room = MAX_REGISTERS

    def find(self, access: ElementRuns, mark: int) -> int:
        """The first element of an access that has this mark, in the order of its runs; -1: none."""
        marks = self._spaces.get(access.space, _NONE)
        if access.end > len(marks):
            if mark == NEVER:
                return access.start
            marks = self._grown(access)
        if access.runs == 1:
            return marks.find(mark, access.start, access.end)
        hits = np.flatnonzero(_runs(marks, access) == mark)
        if not len(hits):
            return -1
        run, element = divmod(int(hits[0]), access.length)
        return access.start + run * access.stride + element

    def put(self, access: ElementRuns, mark: int) -> None:
        """Give all elements of an access this mark; raises ValueError if that is more than can be held here."""
        marks = self._spaces.get(access.space, _NONE)
        if access.end > len(marks):
            marks = self._grown(access)
        if access.runs == 1:
            marks[access.start : access.end] = bytes((mark,)) * access.length
        else:
            _runs(marks, access)[...] = mark

    def _grown(self, access: ElementRuns) -> bytearray:
        """Marks of a space that reach to the end of an access."""
        marks = self._spaces.get(access.space, _NONE)
        size = max(access.end, 1 << 7, 2 * len(marks))
        if access.space == MEMORY:
            if access.end > MAX_MEMORY:
                raise ValueError(f"element {access.end - 1} is beyond the {MAX_MEMORY} that can be held here")
            size = min(MAX_MEMORY, 2 * access.end)
        else:
            self._room -= size
            if self._room < 0:
                raise ValueError(
                    f"the flow uses more than the {MAX_REGISTERS} elements of registers that are held here"
                )
        self._spaces[access.space] = grown = bytearray(size)
        grown[: len(marks)] = marks
        return grown


def _runs(marks: bytearray, access: ElementRuns) -> np.ndarray:
    """The marks of an access as an array [run][element]."""
    part = np.frombuffer(marks, np.uint8)[access.start : access.end]
    return np.lib.stride_tricks.as_strided(part, (access.runs, access.length), (access.stride, 1))
