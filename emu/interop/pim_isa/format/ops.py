"""The instructions of PIM-ISA: code in binary files, unit that runs them, and the fields that they have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class Unit(IntEnum):
    """Who runs an instruction; scalar ones and `setbw` are finished before they reach a unit."""

    FRONT = 0
    MATRIX = 1
    VECTOR = 2
    TRANSFER = 3


@dataclass(frozen=True, slots=True)
class Op:
    """One instruction: its name, its code in `.pim` files, its unit, and the names of its fields beside `op`."""

    name: str
    code: int
    unit: Unit
    fields: tuple[str, ...]


OFFSET = ("offset_select", "offset_value")
_VECTOR3 = ("rd", "rs1", "rs2", "len", *OFFSET)
_VECTOR2 = ("rd", "rs1", "len", *OFFSET)
_MOVE = ("rd", "rs1", "size", *OFFSET)

OPS = (
    Op("nop", 0, Unit.FRONT, ()),
    Op("sldi", 1, Unit.FRONT, ("rd", "imm")),
    Op("sld", 2, Unit.FRONT, ("rd", "rs1", "offset_value")),
    Op("sadd", 3, Unit.FRONT, ("rd", "rs1", "rs2")),
    Op("ssub", 4, Unit.FRONT, ("rd", "rs1", "rs2")),
    Op("smul", 5, Unit.FRONT, ("rd", "rs1", "rs2")),
    Op("saddi", 6, Unit.FRONT, ("rd", "rs1", "imm")),
    Op("smuli", 7, Unit.FRONT, ("rd", "rs1", "imm")),
    Op("setbw", 8, Unit.FRONT, ("ibiw", "obiw")),
    Op("mvmul", 9, Unit.MATRIX, ("rd", "rs1", "mbiw", "relu", "group")),
    Op("vvadd", 10, Unit.VECTOR, _VECTOR3),
    Op("vvsub", 11, Unit.VECTOR, _VECTOR3),
    Op("vvmul", 12, Unit.VECTOR, _VECTOR3),
    Op("vvdmul", 13, Unit.VECTOR, _VECTOR3),
    Op("vvmax", 14, Unit.VECTOR, _VECTOR3),
    Op("vvsll", 15, Unit.VECTOR, _VECTOR3),
    Op("vvsra", 16, Unit.VECTOR, _VECTOR3),
    Op("vavg", 17, Unit.VECTOR, _VECTOR3),
    Op("vrelu", 18, Unit.VECTOR, _VECTOR2),
    Op("vtanh", 19, Unit.VECTOR, _VECTOR2),
    Op("vsigm", 20, Unit.VECTOR, _VECTOR2),
    Op("vmv", 22, Unit.VECTOR, _VECTOR3),
    Op("vrsu", 23, Unit.VECTOR, _VECTOR3),
    Op("vrsl", 24, Unit.VECTOR, _VECTOR3),
    Op("ld", 25, Unit.TRANSFER, _MOVE),
    Op("st", 26, Unit.TRANSFER, _MOVE),
    Op("lldi", 27, Unit.TRANSFER, ("rd", "imm", "len", *OFFSET)),
    Op("lmv", 28, Unit.TRANSFER, ("rd", "rs1", "len", *OFFSET)),
    Op("send", 29, Unit.TRANSFER, ("rd", "rs1", "core", "size", *OFFSET)),
    Op("recv", 30, Unit.TRANSFER, ("rd", "core", "size", *OFFSET)),
    Op("wait", 31, Unit.TRANSFER, ("event_register", "wait_value")),
    Op("sync", 32, Unit.TRANSFER, ("core", "event_register")),
)
BY_NAME = {op.name: op for op in OPS}
BY_CODE = {op.code: op for op in OPS}
CODES = {op.name: op.code for op in OPS}
SOFTMAX = 21  # a code of the compilers that the simulators reject
REGISTERS = EVENTS = 32

UNIT_OF = np.zeros(33, np.int8)  # [code]
for _op in OPS:
    UNIT_OF[_op.code] = _op.unit

TWO_SOURCES = ("vvadd", "vvsub", "vvmul", "vvdmul", "vvmax", "vvsll", "vvsra")
PAIRS = ("sld", "ld", "st")  # read 64-bit registers: two neighbours, the high word first


def codes(*names: str) -> list[int]:
    """The codes of instructions."""
    return [CODES[name] for name in names]


def among(column: np.ndarray, *names: str) -> np.ndarray:
    """Where a column of codes holds one of these instructions (bool array of the same length)."""
    table = np.zeros(256, np.bool_)
    table[codes(*names)] = True
    return table[column]
