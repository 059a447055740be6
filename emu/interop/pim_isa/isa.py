"""PIM-ISA (arXiv 2308.06449), one row per instruction: who reads, writes, runs or times programs starts from it.

The rules are those of the published instruction set, not the oddities by which pimsim-nn times them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum
from operator import add, mul, sub

import numpy as np


class PimUnit(IntEnum):
    """Who runs an instruction; scalar ones and `setbw` are finished before they reach a unit."""

    FRONT = 0
    MATRIX = 1
    VECTOR = 2
    TRANSFER = 3


class Scale(Enum):
    """What an offset counts, or an operand's elements are."""

    BYTES = 0
    INPUTS = 1  # elements of the width `ibiw`
    OUTPUTS = 2  # elements of the width `obiw`


@dataclass(frozen=True, slots=True)
class AddressField:
    """One address: the register field that holds it, the bit of `offset_select` that adds the offset (-1: always).

    `scale` are its elements; `pair`: a 64-bit address of global memory in two neighbouring registers, the high word
    first. `also`: a register field that names the same, for those who read that one.
    """

    register: str
    bit: int
    scale: Scale
    pair: bool = False
    also: str = ""


@dataclass(frozen=True, slots=True)
class Op:
    """One instruction: its name, its code in `.pim` files, its unit, and the names of its fields beside `op`.

    `operands` are the addresses that it writes (the first one) and reads, None where it has none; `bound` or `stride`
    the register field that holds a bound, or the distance of the elements that it reads. `single`: it writes one
    element, however many it reads. `scalar` computes a register from the first one and the second or the immediate.
    """

    name: str
    code: int
    unit: PimUnit
    fields: tuple[str, ...]
    operands: tuple[AddressField | None, AddressField | None, AddressField | None] = (None, None, None)
    bound: str = ""
    stride: str = ""
    single: bool = False
    scalar: Callable[[int, int], int] | None = None

    @property
    def extra(self) -> str:
        """The register field that holds no address: of a bound or a stride."""
        return self.bound or self.stride

    @property
    def alike(self) -> bool:
        """Whether it is a function of the elements of its operands alone, as that of the same name of ours is."""
        return self.unit is PimUnit.VECTOR and not self.extra


OFFSET = ("offset_select", "offset_value")
_I, _O, _B = Scale.INPUTS, Scale.OUTPUTS, Scale.BYTES
_RS1, _RS2 = AddressField("rs1", 2, _I), AddressField("rs2", 4, _I)
_LOCAL, _FROM = AddressField("rd", 1, _B), AddressField("rs1", 2, _B)
_VECTOR3 = ("rd", "rs1", "rs2", "len", *OFFSET)
_VECTOR2 = ("rd", "rs1", "len", *OFFSET)
_MOVE = ("rd", "rs1", "size", *OFFSET)
_F, _V, _T = PimUnit.FRONT, PimUnit.VECTOR, PimUnit.TRANSFER
_TWO_TO_INPUTS, _TWO_TO_OUTPUTS = (AddressField("rd", 1, _I), _RS1, _RS2), (AddressField("rd", 1, _O), _RS1, _RS2)
_ONE_TO_INPUTS, _ONE_TO_OUTPUTS = (AddressField("rd", 1, _I), _RS1, None), (AddressField("rd", 1, _O), _RS1, None)

OPS = (
    Op("nop", 0, _F, ()),
    Op("sldi", 1, _F, ("rd", "imm"), scalar=lambda first, imm: imm),
    Op("sld", 2, _F, ("rd", "rs1", "offset_value"), (None, AddressField("rs1", -1, _B, pair=True), None)),
    Op("sadd", 3, _F, ("rd", "rs1", "rs2"), scalar=add),
    Op("ssub", 4, _F, ("rd", "rs1", "rs2"), scalar=sub),
    Op("smul", 5, _F, ("rd", "rs1", "rs2"), scalar=mul),
    Op("saddi", 6, _F, ("rd", "rs1", "imm"), scalar=add),
    Op("smuli", 7, _F, ("rd", "rs1", "imm"), scalar=mul),
    Op("setbw", 8, _F, ("ibiw", "obiw")),
    Op(
        *("mvmul", 9, PimUnit.MATRIX, ("rd", "rs1", "mbiw", "relu", "group")),
        (AddressField("rd", 0, _O), AddressField("rs1", 0, _I), None),
    ),
    Op("vvadd", 10, _V, _VECTOR3, _TWO_TO_INPUTS),
    Op("vvsub", 11, _V, _VECTOR3, _TWO_TO_INPUTS),
    Op("vvmul", 12, _V, _VECTOR3, _TWO_TO_OUTPUTS),
    Op("vvdmul", 13, _V, _VECTOR3, _TWO_TO_OUTPUTS, single=True),
    Op("vvmax", 14, _V, _VECTOR3, _TWO_TO_INPUTS),
    Op("vvsll", 15, _V, _VECTOR3, _TWO_TO_OUTPUTS),
    Op("vvsra", 16, _V, _VECTOR3, _TWO_TO_OUTPUTS),
    Op("vavg", 17, _V, _VECTOR3, _ONE_TO_OUTPUTS, stride="rs2", single=True),
    Op("vrelu", 18, _V, _VECTOR2, _ONE_TO_INPUTS),
    Op("vtanh", 19, _V, _VECTOR2, _ONE_TO_OUTPUTS),
    Op("vsigm", 20, _V, _VECTOR2, _ONE_TO_OUTPUTS),
    Op("vmv", 22, _V, _VECTOR3, (AddressField("rd", 0, _I), AddressField("rs1", 0, _I), None), stride="rs2"),
    Op("vrsu", 23, _V, _VECTOR3, _ONE_TO_OUTPUTS, bound="rs2"),
    Op("vrsl", 24, _V, _VECTOR3, _ONE_TO_OUTPUTS, bound="rs2"),
    Op("ld", 25, _T, _MOVE, (_LOCAL, AddressField("rs1", 2, _B, pair=True), None)),
    Op("st", 26, _T, _MOVE, (AddressField("rd", 1, _B, pair=True), _FROM, None)),
    Op("lldi", 27, _T, ("rd", "imm", "len", *OFFSET), (_LOCAL, None, None)),
    Op("lmv", 28, _T, ("rd", "rs1", "len", *OFFSET), (_LOCAL, _FROM, None)),
    # Its source is rs1 in the published text, and rd in program files.
    Op("send", 29, _T, ("rd", "rs1", "core", "size", *OFFSET), (None, AddressField("rd", 1, _B, also="rs1"), None)),
    Op("recv", 30, _T, ("rd", "core", "size", *OFFSET), (_LOCAL, None, None)),
    Op("wait", 31, _T, ("event_register", "wait_value")),
    Op("sync", 32, _T, ("core", "event_register")),
)
BY_NAME = {op.name: op for op in OPS}
BY_CODE = {op.code: op for op in OPS}
CODES = {op.name: op.code for op in OPS}
SOFTMAX = 21  # a code of the compilers that the simulators reject
REGISTERS = EVENTS = 32

UNIT_OF = np.zeros(33, np.int8)  # [code]
for _op in OPS:
    UNIT_OF[_op.code] = _op.unit


def names_of(matches: Callable[[Op], object]) -> tuple[str, ...]:
    """The names of the instructions of which something holds."""
    return tuple([op.name for op in OPS if matches(op)])


SCALARS = names_of(lambda op: op.unit is PimUnit.FRONT and "rd" in op.fields)  # write registers
ARITHMETIC = names_of(lambda op: op.scalar is not None and "rs1" in op.fields)  # compute them from others
TWO_SOURCES = names_of(lambda op: op.operands[2] is not None)
PAIRS = names_of(lambda op: any(operand is not None and operand.pair for operand in op.operands))
SINGLE = names_of(lambda op: op.single)
STRIDED = names_of(lambda op: op.stride)


def computed(op: Op, first: int, second: int, imm: int) -> int:
    """The register that a scalar instruction computes, in 32 bits."""
    assert op.scalar is not None
    exact = op.scalar(first, imm if "imm" in op.fields else second)
    return (exact + (1 << 31)) % (1 << 32) - (1 << 31)


def codes(*names: str) -> list[int]:
    """The codes of instructions."""
    return [CODES[name] for name in names]


def among(column: np.ndarray, *names: str) -> np.ndarray:
    """Where a column of codes holds one of these instructions (bool array of the same length)."""
    table = np.zeros(256, np.bool_)
    table[codes(*names)] = True
    return table[column]


def having(column: np.ndarray, field: str) -> np.ndarray:
    """Where a column of codes holds an instruction that has a field (bool array of the same length)."""
    return among(column, *names_of(lambda op: field in op.fields))
