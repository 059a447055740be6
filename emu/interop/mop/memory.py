"""The local memory that a flow is lowered to: its own elements first, then registers, constants and scratch."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.interop.mop.accesses import MEMORY, ElementRuns, Space
from emu.interop.mop.chip import ELEMENT_BYTES
from emu.isa.address import Address
from emu.program.program import Data
from emu.program.section import Section

# Bytes behind the elements of the flow have addresses from here on until it is known how many elements there are.
_APART = 1 << 46
_LINE = 64  # bytes at which what is apart begins


class FlowMemory:
    """Gives out places; `finish` says where they are. `registers`: elements of a register of each kind."""

    def __init__(self, registers: Mapping[str, int]) -> None:
        self._elements = self._apart = 0
        self._sizes = registers
        self._spaces: dict[Space, int] = {MEMORY: 0}
        self._constants: dict[tuple[str, bytes], int] = {}
        self._scratch: dict[str, tuple[int, int]] = {}

    def place(self, access: ElementRuns) -> int:
        """The address of elements of the flow's memory, or of a register of a crossbar."""
        start = self._spaces.get(access.space)
        if start is None:
            start = self._spaces[access.space] = self._place(self._sizes[access.space[0]] * ELEMENT_BYTES)
        elif access.space == MEMORY and access.end > self._elements:
            self._elements = access.end
        return start + access.start * ELEMENT_BYTES

    def constant(self, array: np.ndarray) -> Address:
        """The place of elements that never change; equal ones stand there once."""
        key = array.dtype.str, array.tobytes()
        if key not in self._constants:
            self._constants[key] = self._place(array.nbytes)
        return Address(self._constants[key])

    def scratch(self, use: str, nbytes: int) -> Address:
        """The place of room that the next one who asks for the same use takes, too."""
        address, room = self._scratch.get(use, (0, 0))
        if room < nbytes:
            room = max(nbytes, 2 * room)
            self._scratch[use] = address, room = self._place(room), room
        return Address(address)

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
