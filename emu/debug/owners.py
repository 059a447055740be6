"""Which tensor the bytes of a memory belong to at an instruction: buffers use the same bytes one after the other.

It is read off the program: a buffer belongs to the node of the last instruction that writes to it before it is
complete, and is intact until the next one that writes there. Where an address uses a register, nobody knows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emu.operands.accesses import make_accesses
from emu.program.program import BufferSpec, Program

MOST = 20_000  # instructions of a program that is looked at: longer ones are unrolled, and have no buffers


class Owners:
    """The tensors of `main` of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def written_by(self, index: int, address: int) -> BufferSpec | None:
        """The buffer that instruction `index`, which writes to `address`, is making; None if there is none."""
        node = self._node(index)
        later = [buffer for buffer in self._at(address) if buffer.complete > index and self._maker(buffer) == node]
        return min(later, key=lambda buffer: buffer.complete, default=None)

    def read_by(self, index: int, address: int) -> BufferSpec | None:
        """The buffer whose content instruction `index` reads at `address`: it is intact, or being made; or None."""
        intact = [b for b in self._at(address) if b.complete <= index <= self.intact_until(b)]
        return max(intact, key=lambda buffer: buffer.complete, default=self.written_by(index, address))

    def intact_until(self, buffer: BufferSpec) -> int:
        """The first instruction of `main` that writes to a complete buffer; the length of `main` if none does."""
        owner, low, high = self._writes
        over = owner[(owner >= buffer.complete) & (low < buffer.address + buffer.nbytes) & (high > buffer.address)]
        return int(over.min(initial=len(self.program.main)))

    def _maker(self, buffer: BufferSpec) -> str | None:
        """The node of the last instruction that writes to the buffer before it is complete."""
        owner, low, high = self._writes
        made = owner[(owner < buffer.complete) & (low < buffer.address + buffer.nbytes) & (high > buffer.address)]
        return self._node(int(made.max())) if len(made) else None

    def _at(self, address: int) -> list[BufferSpec]:
        return [b for b in self.program.buffers if b.address <= address < b.address + b.nbytes]

    def _node(self, index: int) -> str:
        source = int(self.program.main.columns["source"][index])
        return self.program.sources[source].node if source >= 0 else ""

    @cached_property
    def _writes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per local operand of `main` that is written: its instruction, and the hull [low, high) of its bytes."""
        main = self.program.main
        if self.program.buffers and len(main) <= MOST:
            accesses = make_accesses(main, self.program.groups)
            rows = np.flatnonzero(accesses.write & accesses.local & (main.columns["reg"] < 0))
            low, high = accesses.hulls
            return accesses.instruction[rows], low[rows], high[rows]
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
