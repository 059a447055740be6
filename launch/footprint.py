"""Bytes that operands of a program touch, computed over whole columns: for summaries of memory use."""

from __future__ import annotations

import numpy as np

from emu.isa.dtypes import DType
from emu.isa.instruction import FIELD_COLUMNS, Instruction, Operand
from emu.isa.table import BY_CODE
from emu.program.hulls import address_hulls
from emu.program.program import Program
from emu.program.section import Section

SIZES = np.array([dtype.size for dtype in DType])


def written_ranges(program: Program, section: Section) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(instruction, first byte, byte after the last) of every operand that writes local memory."""
    return _ranges(program, section, writes_only=True)


def memory_high_water(program: Program) -> int:
    """The byte after the last one of local memory that a program touches, registers taken as 0."""
    ends = [item.address + len(item.content) for item in program.data]
    ends += [address + size for address, size in program.state]
    for section in (program.init, program.main):
        ends += [int(end.max()) for _, _, end in [_ranges(program, section, writes_only=False)] if len(end)]
    return max(ends, default=0)


def _ranges(program: Program, section: Section, *, writes_only: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hulls of local operands, from the first byte of the lowest to the last byte of the highest access."""
    hulls, ops = address_hulls(section), section.columns["op"]
    chosen, extents = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for code in np.unique(ops).tolist():
        rows = np.flatnonzero(ops == code)
        for place, operand in enumerate(BY_CODE[code].operands):
            if operand.space == "l" and (operand.write or not writes_only):
                where = section.columns["operand"][rows] + place
                chosen.append(where)
                extents.append(_extent(program, section, BY_CODE[code], operand, rows, where))
    where, extent = np.concatenate(chosen), np.concatenate(extents)
    used = extent > 0
    where, extent = where[used], extent[used]
    return hulls.instruction[where], hulls.low[where], hulls.high[where] + extent


def _extent(
    program: Program, section: Section, spec: Instruction, operand: Operand, rows: np.ndarray, where: np.ndarray
) -> np.ndarray:
    """Bytes from the first to the last element of one operand, for the instructions `rows` of one kind."""
    count = np.ones(len(rows), np.int64)
    for factor in operand.count.split("*"):
        count = count * _factor(program, section, spec, factor, rows)
    stride = np.abs(section.columns["stride"][where].astype(np.int64))
    return np.where(count > 0, ((count - 1) * stride + 1) * _element_size(section, operand, rows), 0)


def _factor(program: Program, section: Section, spec: Instruction, factor: str, rows: np.ndarray) -> np.ndarray | int:
    if factor.isdecimal():
        return int(factor)
    if factor in spec.fields:
        return section.columns[FIELD_COLUMNS[factor]][rows]
    lengths = np.array([getattr(group, factor) for group in program.groups], np.int64)  # "rows" or "cols"
    return lengths[section.columns["arg0"][rows]]


def _element_size(section: Section, operand: Operand, rows: np.ndarray) -> np.ndarray | int:
    if operand.type is None or operand.type < 0:  # bytes, or bool
        return 1
    return SIZES[section.columns[f"type{operand.type}"][rows]]


def union_length(begin: np.ndarray, end: np.ndarray) -> int:
    """Bytes covered by at least one of the ranges."""
    if not len(begin):
        return 0
    order = np.argsort(begin)
    begin, reach = begin[order], np.maximum.accumulate(end[order])
    covered_before = np.concatenate(([begin[0]], reach[:-1]))
    return int(np.maximum(reach - np.maximum(begin, covered_before), 0).sum())
