"""Which bytes an instruction is about to read and write, at the present loop counters and registers."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.operation import Slot
from emu.core.state import CoreState

GLOBAL = -1  # where a core stands for local memory, global memory


@dataclass(frozen=True, slots=True)
class OperandAccess:
    """One operand at its address; `space` is the core whose memory it is in, or GLOBAL."""

    space: int
    address: int
    slot: Slot

    @property
    def low(self) -> int:
        """The first byte of its hull."""
        return self.address + self.slot.low

    @property
    def high(self) -> int:
        """The byte behind its hull."""
        return self.address + self.slot.high

    def touches(self, low: int, high: int) -> bool:
        """Whether it has a byte in [low, high)."""
        return self.slot.touches(self.address, low, high)


def accesses(state: CoreState) -> list[OperandAccess]:
    """The operands of the instruction that the core stands on; none of one that is wrong wherever it runs."""
    op = state.operation(state.sequencer.pc)
    counters, registers = state.sequencer.counters, state.registers
    return [
        OperandAccess(
            GLOBAL if slot.is_global else state.program.core,
            slot.address.value(counters, registers),
            slot,
        )
        for slot in op.slots
    ]
