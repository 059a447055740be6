"""The local memory that a flow is lowered to: its own elements first, then registers, constants and scratch."""

from __future__ import annotations

import numpy as np

from emu.interop.mop.chip import ELEMENT_BYTES
from emu.program.program import Data
from emu.program.section import Section

# Bytes behind the elements of the flow have addresses from here on until it is known how many elements there are.
_APART = 1 << 46
_LINE = 64  # bytes at which what is apart begins


class Memory:
    """Gives out places; `finish` says where they are."""

    def __init__(self) -> None:
        self._elements = self._apart = 0
        self._registers: dict[tuple[str, int], int] = {}
        self._constants: dict[tuple[str, bytes], int] = {}
        self._scratch: dict[str, tuple[int, int]] = {}

    def element(self, index: int, length: int) -> int:
        """The address of elements of the flow's memory."""
        self._elements = max(self._elements, index + length)
        return index * ELEMENT_BYTES

    def register(self, kind: str, crossbar: int, length: int) -> int:
        """The address of the input or output register of a crossbar, of `length` elements."""
        if (kind, crossbar) not in self._registers:
            self._registers[kind, crossbar] = self._place(length * ELEMENT_BYTES)
        return self._registers[kind, crossbar]

    def constant(self, array: np.ndarray) -> int:
        """The address of elements that never change; equal ones stand there once."""
        key = array.dtype.str, array.tobytes()
        if key not in self._constants:
            self._constants[key] = self._place(array.nbytes)
        return self._constants[key]

    def scratch(self, use: str, nbytes: int) -> int:
        """The address of room that the next one who asks for the same use takes, too."""
        address, room = self._scratch.get(use, (0, 0))
        if room < nbytes:
            room = max(nbytes, 2 * room)
            self._scratch[use] = address, room = self._place(room), room
        return address

    def _place(self, nbytes: int) -> int:
        address = _APART + self._apart
        self._apart += -(-nbytes // _LINE) * _LINE
        return address

    @property
    def nbytes(self) -> int:
        """Bytes of the whole memory."""
        return self._shift + _APART + self._apart

    @property
    def _shift(self) -> int:
        return -(-self._elements * ELEMENT_BYTES // _LINE) * _LINE - _APART

    def finish(self, section: Section) -> tuple[Data, ...]:
        """Put what is apart behind the elements: in the addresses of a section, and in the constants returned."""
        base = section.columns["base"]
        base[base >= _APART] += self._shift
        return tuple(Data(address + self._shift, content) for (_, content), address in self._constants.items())
