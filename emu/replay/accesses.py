"""Operands of a section as columns: what each reads and writes, how many elements, how far it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, Instruction, Operand
from emu.isa.table import BY_CODE
from emu.program.group import GroupSpec
from emu.program.nesting import operand_owner
from emu.program.section import Section

_SIZES = np.array([dtype.size for dtype in DType])
_RAW, _BOOL = 1, DType.bool.size


@dataclass(frozen=True, eq=False)
class Accesses:
    """Per operand: `count` elements of `size` bytes, `step` bytes apart, that span [low, high) from its address.

    All arrays are [operands]; `instruction` is the index into the section of the instruction that has the operand.
    """

    section: Section
    instruction: np.ndarray
    read: np.ndarray
    write: np.ndarray
    is_global: np.ndarray
    count: np.ndarray
    size: np.ndarray
    step: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def role(self, row: int) -> str:
        """The operand's name in the instruction table."""
        index = int(self.instruction[row])
        spec = BY_CODE[int(self.section.columns["op"][index])]
        return spec.operands[row - int(self.section.columns["operand"][index])].role

    @cached_property
    def gaps(self) -> np.ndarray:
        """Per operand: whether bytes between its elements are not accessed."""
        return (np.abs(self.step) > self.size) & (self.count > 1)

    @cached_property
    def pieces(self) -> np.ndarray:
        """Per operand: runs of bytes without a gap that one execution accesses."""
        return np.where(self.gaps, self.count, 1)

    def runs(self, row: int, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(begins, ends) of the bytes that executions at `addresses` access, [executions * pieces] each."""
        begin, width = addresses + self.low[row], self.high[row] - self.low[row]
        if self.gaps[row]:
            begin = (begin[:, None] + abs(int(self.step[row])) * np.arange(int(self.count[row]))).reshape(-1)
            width = self.size[row]
        return begin, begin + width


def make_accesses(section: Section, groups: Sequence[GroupSpec]) -> Accesses:
    """The operands of a validated section."""
    col = section.columns
    owner = operand_owner(section)
    read, write, is_global = (np.zeros(len(owner), np.bool_) for _ in range(3))
    count, size = np.zeros(len(owner), np.int64), np.ones(len(owner), np.int64)
    for code in np.unique(col["op"]).tolist():
        spec, index = BY_CODE[code], np.flatnonzero(col["op"] == code)
        for place, form in enumerate(spec.operands):
            rows = col["operand"][index] + place
            accumulates = (col["flags"][index] & FLAG_BITS["acc"]) != 0
            read[rows] = form.read | (form.write & accumulates if "acc" in spec.flags else False)
            write[rows], is_global[rows] = form.write, form.space == "g"
            count[rows] = _count(spec, form, section, index, groups)
            size[rows] = _size(form, col, index)
    step = np.where(count > 1, col["stride"] * size, size)
    reach = np.maximum(count - 1, 0) * step
    low = np.minimum(reach, 0)
    high = np.where(count > 0, np.maximum(reach, 0) + size, 0)
    return Accesses(section, owner, read, write, is_global, count, size, step, low, high)


def _size(form: Operand, col: dict[str, np.ndarray], index: np.ndarray) -> np.ndarray | int:
    if form.type is None:
        return _RAW
    return _BOOL if form.type < 0 else _SIZES[col[f"type{form.type}"][index]]


def _count(
    spec: Instruction, form: Operand, section: Section, index: np.ndarray, groups: Sequence[GroupSpec]
) -> np.ndarray:
    product = np.ones(len(index), np.int64)
    for name in form.count.split("*"):
        product = product * _factor(name, spec, section, index, groups)
    return product


def _factor(
    name: str, spec: Instruction, section: Section, index: np.ndarray, groups: Sequence[GroupSpec]
) -> np.ndarray | int:
    """A digit, a field of the instruction, or an extent of its group."""
    if name.isdigit():
        return int(name)
    if name in spec.fields:
        return section.columns[spec.column(name)][index]
    extents = np.array([getattr(group, name) for group in groups] + [0], np.int64)
    group = section.columns["arg0"][index]
    return extents[np.where((group >= 0) & (group < len(groups)), group, len(groups))]
