"""Operands of a section as columns: what each reads and writes, how many elements, how far it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.isa.codes import present
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, Operand
from emu.isa.table import BY_CODE
from emu.program.extents import extents
from emu.program.group import GroupSpec
from emu.program.nesting import operand_owner
from emu.program.section import Section

_SIZES = np.array([dtype.size for dtype in DType])
_RAW, _BOOL = 1, DType.bool.size


@dataclass(frozen=True, eq=False)
class Accesses:
    """Per operand: `rows` of `count` elements of `size` bytes, that span [low, high) from its address.

    Elements are `step` bytes apart, rows `pitch`.

    All arrays are [operands]; `instruction` is the index into the section of the instruction that has the operand.
    """

    section: Section
    instruction: np.ndarray
    read: np.ndarray
    write: np.ndarray
    is_global: np.ndarray
    rows: np.ndarray
    count: np.ndarray
    size: np.ndarray
    step: np.ndarray
    pitch: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def role(self, row: int) -> str:
        """The operand's name in the instruction table."""
        index = int(self.instruction[row])
        spec = BY_CODE[int(self.section.columns["op"][index])]
        return spec.operands[row - int(self.section.columns["operand"][index])].role

    @property
    def elements(self) -> np.ndarray:
        """Per operand: how many elements it has."""
        return self.rows * self.count

    @cached_property
    def _runs(self) -> tuple[np.ndarray, ...]:
        """Per operand: width of its runs of bytes, and distance and number of two axes along which they repeat."""
        step, pitch = np.abs(self.step), np.abs(self.pitch)
        turned = (self.count <= 1) | ((self.rows > 1) & (pitch < step))
        near, far = np.where(turned, pitch, step), np.where(turned, step, pitch)
        inner, outer = np.where(turned, self.rows, self.count), np.where(turned, self.count, self.rows)
        joined = (inner <= 1) | (near <= self.size)
        width = np.where(joined, self.size + near * np.maximum(inner - 1, 0), self.size)
        inner = np.where(joined, 1, inner)
        also = (outer <= 1) | (joined & (far <= width))
        width = np.where(also & joined, width + far * np.maximum(outer - 1, 0), width)
        return width, near, inner, far, np.where(also, 1, outer)

    @cached_property
    def gaps(self) -> np.ndarray:
        """Per operand: whether bytes between its elements are not accessed."""
        return self.pieces > 1

    @cached_property
    def pieces(self) -> np.ndarray:
        """Per operand: runs of bytes that one execution accesses; 1 if they are one without a gap."""
        return self._runs[2] * self._runs[4]

    @property
    def widths(self) -> np.ndarray:
        """Per operand: bytes of each of these runs."""
        return self._runs[0]

    def runs(self, row: int, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(begins, ends) of the bytes that executions at `addresses` access, [executions * pieces] each."""
        begin, width = addresses + self.low[row], self.high[row] - self.low[row]
        if self.gaps[row]:
            width, near, inner, far, outer = (int(column[row]) for column in self._runs)
            places = (far * np.arange(outer)[:, None] + near * np.arange(inner)).reshape(-1)
            begin = (begin[:, None] + places).reshape(-1)
        return begin, begin + width


def make_accesses(section: Section, groups: Sequence[GroupSpec]) -> Accesses:
    """The operands of a validated section."""
    col = section.columns
    owner = operand_owner(section)
    read, write, is_global = (np.zeros(len(owner), np.bool_) for _ in range(3))
    rows, count = extents(section, groups)
    size = np.ones(len(owner), np.int64)
    for code in present(col["op"]):
        spec, index = BY_CODE[code], np.flatnonzero(col["op"] == code)
        for place, form in enumerate(spec.operands):
            at = col["operand"][index] + place
            accumulates = (col["flags"][index] & FLAG_BITS["acc"]) != 0
            read[at] = form.read | (form.write & accumulates if "acc" in spec.flags else False)
            write[at], is_global[at] = form.write, form.space == "g"
            size[at] = _size(form, col, index)
    pitch = np.where(col["pitch"] != 0, col["pitch"], col["stride"] * count)
    step, pitch = np.where(count > 1, col["stride"] * size, size), np.where(rows > 1, pitch * size, size)
    reach, across = np.maximum(count - 1, 0) * step, np.maximum(rows - 1, 0) * pitch
    some = rows * count > 0
    low = np.where(some, np.minimum(reach, 0) + np.minimum(across, 0), 0)
    high = np.where(some, np.maximum(reach, 0) + np.maximum(across, 0) + size, 0)
    return Accesses(section, owner, read, write, is_global, rows, count, size, step, pitch, low, high)


def _size(form: Operand, col: dict[str, np.ndarray], index: np.ndarray) -> np.ndarray | int:
    if form.type is None:
        return _RAW
    return _BOOL if form.type < 0 else _SIZES[col[f"type{form.type}"][index]]
