"""What the columns of a section may hold, as tables indexed by opcode, for validation with array operations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from emu.arch import Arch
from emu.isa.codes import CODES, tabulate
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, Instruction
from emu.isa.table import BY_CODE
from emu.program.section import TYPES

MAX_DEPTH = 64  # loops inside each other
MAX_TERMS = 32  # of one address
MAX_COUNT = 1 << 40  # elements, bytes
MAX_TRIPS = (1 << 31) - 1
MAX_ADDRESS = 1 << 48  # base, stride, offset, modulus
MAX_REACH = 1 << 56  # bytes that one term, or the elements of one operand, may span: sums stay within 64 bits
MAX_INDEX = (1 << 31) - 1
EXACT = 1 << 53  # integers that the immediate column holds exactly

INTEGER_COLUMNS = ("n", "arg0", "arg1", "arg2")


def _imm_kind(spec: Instruction) -> int:
    if "imm" not in spec.fields:
        return IMM_NONE
    return IMM_INT32 if spec.scalar is not None else IMM_TYPED


IMM_NONE, IMM_INT32, IMM_TYPED = range(3)
KNOWN = tabulate(lambda spec: True, np.bool_)
FLAGS_OF = tabulate(lambda spec: sum(FLAG_BITS[name] for name in spec.flags + spec.suffixes), np.uint16)
IMM_KIND = tabulate(_imm_kind, np.int64)
STRIDED, PITCHED, WRITTEN = (np.zeros((CODES, 4), np.bool_) for _ in range(3))  # [opcode][operand]
for _code, _spec in BY_CODE.items():
    STRIDED[_code, : len(_spec.operands)] = [operand.strided for operand in _spec.operands]
    PITCHED[_code, : len(_spec.operands)] = [operand.pitched for operand in _spec.operands]
    WRITTEN[_code, : len(_spec.operands)] = [operand.write for operand in _spec.operands]
HAS_CORE = tabulate(lambda spec: "core" in spec.fields, np.bool_)

# [which type suffix][opcode][type]: whether the instruction accepts it; without suffix only 0 is written.
ACCEPTS = np.zeros((len(TYPES), CODES, 256), np.bool_)
for _code, _spec in BY_CODE.items():
    for _which in range(len(TYPES)):
        _legal = _spec.accepts[_which] if _which < _spec.types else {DType(0)}
        ACCEPTS[_which, _code, [int(dtype) for dtype in _legal]] = True


@dataclass(frozen=True, eq=False)
class FieldLimits:
    """For one integer column: highest value by opcode (the lowest is 0), and the name of the field that it holds."""

    high: np.ndarray
    names: dict[int, str]


@lru_cache(maxsize=64)
def field_limits(arch: Arch, groups: int) -> dict[str, FieldLimits]:
    """Limits of each integer column for programs with `groups` array groups; most programs of a chip share them."""
    registers = arch.core.registers - 1
    highest = {
        "n": MAX_COUNT,
        "size": MAX_COUNT,
        "trips": MAX_TRIPS,
        "group": groups - 1,
        "core": arch.all_cores - 1,
        "m": MAX_COUNT,
        "k": MAX_COUNT,
        "byte": 255,
        "entries": MAX_COUNT,
        "width": MAX_COUNT,
        "row": MAX_INDEX,
        "rows": MAX_INDEX,
        "event": arch.core.events - 1,
        "value": MAX_INDEX,
        "rd": registers,
        "rs1": registers,
        "rs2": registers,
    }
    return {column: _limits(column, highest) for column in INTEGER_COLUMNS}


def _limits(column: str, highest: dict[str, int]) -> FieldLimits:
    high, names = np.zeros(CODES, np.int64), dict[int, str]()
    for code, spec in BY_CODE.items():
        for name in spec.fields:
            if spec.column(name) == column:
                high[code], names[code] = highest[name], name
    return FieldLimits(high, names)
