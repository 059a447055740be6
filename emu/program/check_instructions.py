"""Checks of the instruction columns: opcodes, types, flags, fields, immediates, nesting of loops."""

from __future__ import annotations

import numpy as np

from emu.isa.codes import CODES
from emu.isa.dtypes import DType
from emu.isa.instruction import COMBINE, COMBINE_BITS, EXCLUSIVE, FLAG_BITS, OVERFLOW_BITS, Instruction
from emu.isa.table import BY_CODE, HALT, LOOP
from emu.program import limits
from emu.program.nesting import misnested
from emu.program.section import INSTRUCTION_COLUMNS, OPERAND_COLUMNS, TERM_COLUMNS, TYPES
from emu.program.section_check import SectionCheck

_ALIKE = [row for row in BY_CODE.values() if row.alike]
_BOUNDED = [(row, *names) for row in BY_CODE.values() for names in row.at_most]
_IS_FLOAT = np.isin(np.arange(256), [int(code) for code in DType if code.is_float])  # by the code of a type


def check_shape(check: SectionCheck) -> None:
    """Columns exist, with their types, and are as long as the others of their table."""
    for table in (INSTRUCTION_COLUMNS, OPERAND_COLUMNS, TERM_COLUMNS):
        length = -1
        for name, dtype in table.items():
            column = check.col.get(name)
            if column is None or column.dtype != dtype or column.ndim != 1 or length not in (-1, len(column)):
                check.refuse_section(f"column {name} is missing or of wrong type or length")
            else:
                length = len(column)
        if length > limits.MAX_INDEX:
            check.refuse_section(f"{length} rows, more than {limits.MAX_INDEX}")


def check_opcodes(check: SectionCheck) -> None:
    """Every opcode is in the instruction table."""
    op = check.col["op"]
    check.refuse((op >= CODES) | ~limits.KNOWN[np.minimum(op, CODES - 1)], lambda row: "unknown instruction")


def check_types(check: SectionCheck) -> None:
    """Types and flags are legal for the instruction."""
    col, op = check.col, check.col["op"]
    for which, name in enumerate(TYPES):
        legal = limits.ACCEPTS[which, op, col[name]]
        check.refuse(~legal, lambda row: "does not exist for these element types")
    for row in _ALIKE:
        if row.code in check.opcodes:
            at = np.flatnonzero(op == row.code)
            is_float = [_IS_FLOAT[col[name][at]] for name in TYPES[: row.types]]
            mixed = np.any(is_float, axis=0) & ~np.all(is_float, axis=0)
            check.refuse(mixed, lambda row: "does not mix floats and integers", at)
    if col["flags"].any():
        _check_flags(check)


def _check_flags(check: SectionCheck) -> None:
    col, op, flags = check.col, check.col["op"], check.col["flags"]
    stray = (flags & ~limits.FLAGS_OF[op]) != 0
    check.refuse(stray, lambda row: f"flags {int(flags[row]):#x} are not all flags of this instruction")
    for names in EXCLUSIVE:
        chosen = flags & sum(FLAG_BITS[name] for name in names)
        some = f"{', '.join(f'.{name}' for name in names[:-1])} and .{names[-1]}"
        check.refuse((chosen & (chosen - 1)) != 0, lambda row, some=some: f"can have only one of {some}")
    unordered = ((flags & COMBINE_BITS) != 0) & (col["type1"] == DType.bool)
    check.refuse(unordered, lambda row: f"{', '.join(f'.{name}' for name in COMBINE)} are for numbers, not for bool")
    floats = ((flags & OVERFLOW_BITS) != 0) & _IS_FLOAT[col["type0"]]
    check.refuse(floats, lambda row: ".sat and .trap are for integers")


def check_functions(check: SectionCheck) -> None:
    """The digital unit of the architecture has every function used."""
    used = [BY_CODE[code] for code in check.opcodes]
    lacking = [row.code for row in used if row.digital and not check.arch.has_function(row.name)]
    if lacking:
        bad = np.isin(check.col["op"], lacking)
        check.refuse(bad, lambda row: f"the digital unit of {check.arch.title} lacks this function")


def check_fields(check: SectionCheck) -> None:
    """Integer fields are in range; columns that an instruction does not use are 0."""
    col, op = check.col, check.col["op"]
    for column, limit in limits.field_limits(check.arch, len(check.program.groups)).items():
        bad = (col[column] < 0) | (col[column] > limit.high[op])
        check.refuse(bad, lambda row, column=column, limit=limit: _say_field(check, row, column, limit))
    for row, field, bound in _BOUNDED:
        if row.code in check.opcodes:
            bad = (op == row.code) & (col[row.column(field)] > col[row.column(bound)])
            check.refuse(bad, lambda at, row=row, field=field, bound=bound: _say_bound(check, at, row, field, bound))
    bad = (col["source"] < -1) | (col["source"] >= len(check.program.sources))
    check.refuse(bad, lambda row: f"source {int(col['source'][row])} is not in the source map")


def _say_field(check: SectionCheck, row: int, column: str, limit: limits.FieldLimits) -> str:
    code, value = int(check.col["op"][row]), int(check.col[column][row])
    if code not in limit.names:
        return f"column {column} is not used by this instruction and must be 0, not {value}"
    name, high = limit.names[code], int(limit.high[code])
    if high < 0:
        return f"{name} {value} does not exist: there is none"
    return f"{name} {value} is out of range 0 to {high}"


def _say_bound(check: SectionCheck, at: int, row: Instruction, field: str, bound: str) -> str:
    value, limit = (int(check.col[row.column(name)][at]) for name in (field, bound))
    return f"{field} {value} is larger than {bound} {limit}"


def check_immediates(check: SectionCheck) -> None:
    """Immediates of integer instructions are integers; of scalar instructions, of 32 bits."""
    imm, kind = check.col["imm"], limits.IMM_KIND[check.col["op"]]
    check.refuse((kind == limits.IMM_NONE) & (imm != 0), lambda row: "has no immediate, so column imm must be 0")
    typed = (kind == limits.IMM_TYPED) & ~_IS_FLOAT[check.col["type0"]]
    whole = np.isfinite(imm) & (np.trunc(imm) == imm) & (np.abs(imm) <= limits.EXACT)
    bad = (typed | (kind == limits.IMM_INT32)) & ~whole
    check.refuse(bad, lambda row: f"immediate {imm[row]} must be an integer of at most 53 bits")
    wide = (kind == limits.IMM_INT32) & ((imm < -(1 << 31)) | (imm >= 1 << 31))
    check.refuse(wide, lambda row: f"immediate {int(imm[row])} does not fit in 32 bits")


def check_nesting(check: SectionCheck) -> None:
    """Loops end inside their parents; `halt` comes last."""
    col, op = check.col, check.col["op"]
    check.refuse((op != LOOP) & (col["end"] != -1), lambda row: "only a loop has an end")
    bad = np.zeros(len(op), np.bool_)
    first = misnested(check.section)
    bad[[] if first is None else [first]] = True
    check.refuse(bad, lambda row: f"its end {int(col['end'][row])} is out of bounds or outside of the loop around it")
    depth = check.nesting.depth
    check.refuse((op == LOOP) & (depth >= limits.MAX_DEPTH), lambda row: f"more than {limits.MAX_DEPTH} nested loops")
    check.refuse((op == HALT) & (depth > 0), lambda row: "must stand outside of every loop")
    early = (op == HALT) & (np.arange(len(op)) != len(op) - 1)
    check.refuse(early, lambda row: "must be the last instruction of its section")
