"""The operands of each PIM-ISA instruction: which register, which bit of `offset_select`, counted in what.

The rules are those of the published instruction set (arXiv 2308.06449), not the oddities by which pimsim-nn times them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scale(Enum):
    """What an offset counts, or an operand's elements are."""

    BYTES = 0
    INPUTS = 1  # elements of the width `ibiw`
    OUTPUTS = 2  # elements of the width `obiw`


@dataclass(frozen=True, slots=True)
class Role:
    """One address: the register field that holds it, the bit of `offset_select` that adds the offset (0: none).

    `scale` are its elements; `pair`: a 64-bit address of global memory in two registers.
    """

    register: str
    bit: int
    scale: Scale
    pair: bool = False


@dataclass(frozen=True, slots=True)
class Operands:
    """Addresses that an instruction writes and reads; `extra`: a register that is a stride or a bound instead."""

    target: Role | None = None
    first: Role | None = None
    second: Role | None = None
    extra: str = ""


_I, _O, _B = Scale.INPUTS, Scale.OUTPUTS, Scale.BYTES
_RS1, _RS2 = Role("rs1", 2, _I), Role("rs2", 4, _I)
_LOCAL = Role("rd", 1, _B)

OPERANDS = {
    "mvmul": Operands(Role("rd", 0, _O), Role("rs1", 0, _I)),
    **dict.fromkeys(("vvadd", "vvsub", "vvmax"), Operands(Role("rd", 1, _I), _RS1, _RS2)),
    **dict.fromkeys(("vvmul", "vvsll", "vvsra", "vvdmul"), Operands(Role("rd", 1, _O), _RS1, _RS2)),
    "vavg": Operands(Role("rd", 1, _O), _RS1, extra="rs2"),
    "vrelu": Operands(Role("rd", 1, _I), _RS1),
    **dict.fromkeys(("vtanh", "vsigm"), Operands(Role("rd", 1, _O), _RS1)),
    "vmv": Operands(Role("rd", 0, _I), Role("rs1", 0, _I), extra="rs2"),
    **dict.fromkeys(("vrsu", "vrsl"), Operands(Role("rd", 1, _O), _RS1, extra="rs2")),
    "ld": Operands(_LOCAL, Role("rs1", 2, _B, pair=True)),
    "st": Operands(Role("rd", 1, _B, pair=True), Role("rs1", 2, _B)),
    "lldi": Operands(_LOCAL),
    "lmv": Operands(_LOCAL, Role("rs1", 2, _B)),
    "send": Operands(None, _LOCAL),
    "recv": Operands(_LOCAL),
    "sld": Operands(None, Role("rs1", -1, _B, pair=True)),
}
SINGLE = ("vvdmul", "vavg")  # write one element, however many they read
STRIDED = ("vavg", "vmv")  # whose register `rs2` is the distance of the elements that they read
