"""The scalar unit: int32 registers that hold addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.program.section import Instr

Scalar = Callable[[Sequence[int]], int]  # of all registers; gives the value of the one that is written


def make_scalar(instr: Instr) -> Scalar | None:
    """What the scalar instruction `instr` computes, wrapped to int32; None if it is no scalar instruction."""
    function = instr.spec.scalar
    if function is None:
        return None
    constants, registers = arguments(instr)
    return lambda values: int32(function(*[values[number] for number in registers], *constants))


def arguments(instr: Instr) -> tuple[list[int], list[int]]:
    """The constants and the registers that a scalar instruction computes with: the fields after "rd"."""
    fields = [(name, int(instr.field(name))) for name in instr.spec.fields if name != "rd"]
    constants = [value for name, value in fields if name == "imm"]
    return constants, [value for name, value in fields if name != "imm"]


def int32(value: int) -> int:
    """`value` wrapped to a signed 32-bit integer."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
