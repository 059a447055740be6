"""The scalar unit: int32 registers that hold addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.program.section import Instr

# name -> value of the destination register, before it wraps to int32.
SCALAR: dict[str, Callable[[Instr, Sequence[int]], int]] = {
    "sldi": lambda instr, r: int(instr.imm),
    "sadd": lambda instr, r: r[instr.arg1] + r[instr.arg2],
    "ssub": lambda instr, r: r[instr.arg1] - r[instr.arg2],
    "smul": lambda instr, r: r[instr.arg1] * r[instr.arg2],
    "saddi": lambda instr, r: r[instr.arg1] + int(instr.imm),
    "smuli": lambda instr, r: r[instr.arg1] * int(instr.imm),
}


def int32(value: int) -> int:
    """`value` wrapped to a signed 32-bit integer."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
