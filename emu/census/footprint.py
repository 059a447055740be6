"""Bytes of local memory that operands of a program touch, for summaries of memory use."""

from __future__ import annotations

import numpy as np

from emu.operands.accesses import Accesses, make_accesses
from emu.program.program import Program

Ranges = tuple[np.ndarray, np.ndarray, np.ndarray]  # instruction, first byte, byte after the last


def written_ranges(accesses: Accesses) -> Ranges:
    """Of every operand that writes local memory."""
    return _ranges(accesses, accesses.write)


def memory_high_water(program: Program) -> int:
    """The byte after the last one of local memory that a program touches, registers taken as 0."""
    ends = [item.address + len(item.content) for item in program.data]
    ends += [address + size for address, size in program.state]
    for section in (program.init, program.main):
        accesses = make_accesses(section, program.groups)
        ends.append(int(_ranges(accesses, accesses.read | accesses.write)[2].max(initial=0)))
    return max(ends, default=0)


def _ranges(accesses: Accesses, chosen: np.ndarray) -> Ranges:
    """Hulls of the chosen local operands, from the first byte of the lowest to the last byte of the highest access."""
    rows, (low, high) = np.flatnonzero(chosen & accesses.local), accesses.hulls
    return accesses.instruction[rows], low[rows], high[rows]
