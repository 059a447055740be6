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
from emu.operands.pattern import Pattern, distances, make_pattern
from emu.operands.runs import sums
from emu.operands.terms import Bounds, address_bounds
from emu.program.extents import extents
from emu.program.group import GroupSpec
from emu.program.nesting import operand_owner
from emu.program.section import Section

RAW = len(DType)  # the type of bytes that have none
_SIZES = np.array([*(dtype.size for dtype in DType), 1])


@dataclass(frozen=True, eq=False)
class Accesses:
    """Per operand: `rows` of `count` elements of `size` bytes, that span [low, high) from its address.

    Elements are `step` bytes apart, rows `pitch`. `type` is a code of `DType`, or RAW.

    All arrays are [operands]; `instruction` is the index into the section of the instruction that has the operand.
    """

    section: Section
    instruction: np.ndarray
    read: np.ndarray
    write: np.ndarray
    is_global: np.ndarray
    type: np.ndarray
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

    @property
    def local(self) -> np.ndarray:
        """Per operand: whether it has any byte of local memory."""
        return ~self.is_global & (self.elements > 0)

    @cached_property
    def _runs(self) -> tuple[np.ndarray, np.ndarray]:
        step, pitch = np.abs(self.step), np.abs(self.pitch)
        turned = (self.count <= 1) | ((self.rows > 1) & (pitch < step))
        near, far = np.where(turned, pitch, step), np.where(turned, step, pitch)
        inner, outer = np.where(turned, self.rows, self.count), np.where(turned, self.count, self.rows)
        joined = (inner <= 1) | (near <= self.size)
        width = np.where(joined, self.size + near * np.maximum(inner - 1, 0), self.size)
        also = (outer <= 1) | (joined & (far <= width))
        width = np.where(also & joined, width + far * np.maximum(outer - 1, 0), width)
        return width, np.where(joined, 1, inner) * np.where(also, 1, outer)

    @property
    def widths(self) -> np.ndarray:
        """Per operand: bytes of each run of bytes that one execution accesses."""
        return self._runs[0]

    @property
    def pieces(self) -> np.ndarray:
        """Per operand: number of these runs; 1 if there are no gaps."""
        return self._runs[1]

    @property
    def gaps(self) -> np.ndarray:
        """Per operand: whether bytes between its elements are not accessed."""
        return self.pieces > 1

    @cached_property
    def hulls(self) -> Bounds:
        """Per operand: the bytes [low, high) that it touches in all iterations, registers taken as 0."""
        bounds = address_bounds(self.section)
        return Bounds(bounds.low + self.low, bounds.high + self.high)

    def pattern(self, row: int) -> Pattern:
        """The elements of an operand, as rows."""
        size, rows, count = int(self.size[row]), int(self.rows[row]), int(self.count[row])
        return make_pattern(size, (rows, count), (int(self.pitch[row]), int(self.step[row])))

    def runs(self, row: int, addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(begins, ends) of the bytes that executions at `addresses` access, [executions * pieces] each."""
        pattern = self.pattern(row)
        begins = sums(addresses, [pattern.runs(0)])
        return begins, begins + pattern.width


def make_accesses(section: Section, groups: Sequence[GroupSpec]) -> Accesses:
    """The operands of a validated section."""
    col = section.columns
    owner = operand_owner(section)
    read, write, is_global = (np.zeros(len(owner), np.bool_) for _ in range(3))
    rows, count = extents(section, groups)
    kind = np.zeros(len(owner), np.uint8)
    for code in present(col["op"]):
        spec, index = BY_CODE[code], np.flatnonzero(col["op"] == code)
        for place, form in enumerate(spec.operands):
            at = col["operand"][index] + place
            accumulates = (col["flags"][index] & FLAG_BITS["acc"]) != 0
            read[at] = form.read | (form.write & accumulates if "acc" in spec.flags else False)
            write[at], is_global[at] = form.write, form.space == "g"
            kind[at] = _type(form, col, index)
    size = _SIZES[kind]
    pitch, step = distances(col["stride"], col["pitch"], rows, count, size, np.where)
    reach, across = np.maximum(count - 1, 0) * step, np.maximum(rows - 1, 0) * pitch
    some = rows * count > 0
    low = np.where(some, np.minimum(reach, 0) + np.minimum(across, 0), 0)
    high = np.where(some, np.maximum(reach, 0) + np.maximum(across, 0) + size, 0)
    return Accesses(section, owner, read, write, is_global, kind, rows, count, size, step, pitch, low, high)


def _type(form: Operand, col: dict[str, np.ndarray], index: np.ndarray) -> np.ndarray | int:
    if form.type is None:
        return RAW
    return int(DType.bool) if form.type < 0 else col[f"type{form.type}"][index]
