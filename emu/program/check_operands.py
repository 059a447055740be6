"""Checks of the operand and term columns: consistent indices, registers, strides, loop counters.

Addresses outside of memory are legal here: they trap at run time.
"""

from __future__ import annotations

import numpy as np

from emu.program import limits
from emu.program.extents import extents
from emu.program.nesting import OPERANDS_OF
from emu.program.section_check import SectionCheck


def check_operands(check: SectionCheck) -> None:
    """Operands lie in instruction order; their registers exist and their bases are sane."""
    col = check.col
    counts = OPERANDS_OF[col["op"]]
    first = np.cumsum(counts) - counts
    check.refuse(col["operand"] != first, lambda row: f"its operands must begin at row {int(first[row])}")
    if counts.sum() != len(col["base"]):
        check.refuse_section(f"{len(col['base'])} operands where its instructions have {int(counts.sum())}")
    owner, registers = check.operand_owner, check.arch.core.registers
    bad = (col["reg"] < -1) | (col["reg"] >= registers)
    check.refuse(bad, lambda row: f"register r{int(col['reg'][row])} does not exist, there are {registers}", owner)
    bad = np.abs(col["base"].astype(np.float64)) > limits.MAX_ADDRESS
    check.refuse(bad, lambda row: f"base address {int(col['base'][row])} is beyond any memory", owner)
    _check_strides(check, np.arange(len(owner)) - first[owner])


def _check_strides(check: SectionCheck, which: np.ndarray) -> None:
    owner = check.operand_owner
    stride, pitch, op = check.col["stride"], check.col["pitch"], check.col["op"][owner]
    dense = ~limits.STRIDED[op, which] & (stride != 1)
    check.refuse(dense, lambda row: f"operand {int(which[row]) + 1} cannot have an element stride", owner)
    stray = ~limits.PITCHED[op, which] & (pitch != 0)
    check.refuse(stray, lambda row: f"operand {int(which[row]) + 1} has no rows, so it cannot have a pitch", owner)
    rows, count = (extent.astype(np.float64) for extent in extents(check.section, check.program.groups))
    step = np.abs(stride.astype(np.float64))
    apart = np.where(pitch != 0, np.abs(pitch.astype(np.float64)), step * count)
    far = step * count + apart * rows > limits.MAX_REACH
    check.refuse(far, lambda row: f"{_distances(check, row)} beyond any memory", owner)
    # Elements that share memory are the one case in which a run-time bounds check would not bound the length.
    together = (limits.STRIDED[op, which] | limits.PITCHED[op, which]) & ~_distinct(rows, count, step, apart)
    wide = together & (rows * count > check.arch.core.local_memory)
    check.refuse(
        wide, lambda row: f"{int(rows[row] * count[row])} elements are more than local memory has bytes", owner
    )
    written = limits.PITCHED[op, which] & limits.WRITTEN[op, which] & together
    check.refuse(written, lambda row: f"elements of operand {int(which[row]) + 1}, which it writes, overlap", owner)


def _distances(check: SectionCheck, row: int) -> str:
    pitch = f" with pitch {int(check.col['pitch'][row])}" if check.col["pitch"][row] else ""
    return f"element stride {int(check.col['stride'][row])}{pitch} reaches"


def _distinct(rows: np.ndarray, count: np.ndarray, step: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Whether elements are certainly apart: rows behind each other, or each in the gaps of the one before."""
    behind = ((count <= 1) | (step >= 1)) & ((rows <= 1) | (apart > step * (count - 1)))
    between = ((rows <= 1) | (apart >= 1)) & ((count <= 1) | (step > apart * (rows - 1)))
    return behind | between


def check_terms(check: SectionCheck) -> None:
    """Address terms lie in operand order, use counters of enclosing loops and stay within 64 bits."""
    col, owner = check.col, check.operand_owner
    counts = col["terms"].astype(np.int64)
    first = np.cumsum(counts) - counts
    check.refuse(col["term"] != first, lambda row: f"its address terms must begin at row {int(first[row])}", owner)
    check.refuse(counts > limits.MAX_TERMS, lambda row: f"more than {limits.MAX_TERMS} terms in one address", owner)
    if counts.sum() != len(col["loop"]):
        check.refuse_section(f"{len(col['loop'])} address terms where its operands have {int(counts.sum())}")
    at = check.term_instruction
    depth = check.nesting.depth[at]
    bad = col["loop"] >= depth
    check.refuse(bad, lambda row: f"loop counter {int(col['loop'][row])} does not exist in {int(depth[row])} loops", at)
    _check_reach(check)


def _check_reach(check: SectionCheck) -> None:
    col, at = check.col, check.term_instruction
    modulus, offset, stride = col["modulus"], col["toffset"], col["tstride"]
    for name, column in (("stride", stride), ("counter offset", offset), ("modulus", modulus)):
        bad = np.abs(column.astype(np.float64)) > limits.MAX_ADDRESS
        check.refuse(bad, lambda row, name=name, column=column: f"{name} {int(column[row])} is beyond any memory", at)
    check.refuse(modulus < 0, lambda row: f"modulus {int(modulus[row])} is negative", at)
    stray = (modulus == 0) & (offset != 0)
    check.refuse(stray, lambda row: f"counter offset {int(offset[row])} needs a modulus", at)
    trips = col["n"][check.nesting.enclosing(at, col["loop"])]
    far = np.abs(stride.astype(np.float64)) * np.where(modulus > 0, modulus, trips) > limits.MAX_REACH
    check.refuse(far, lambda row: f"stride {int(stride[row])} reaches beyond any memory", at)
