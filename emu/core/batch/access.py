"""The operands of a nest as accesses to memory: an address, a stride in bytes per loop, and the bytes they touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from emu.core.batch.nest import LoopNest, NestStatement
from emu.operands.runs import Axis, reach

GROUP = -1
SPACE = 1 << 60  # distance of the address spaces that analysis gives to what is not local memory: none ever conflict

Linear = tuple[int, tuple[int, ...]]  # a register: its value in the first iteration, strides per loop of the path


class Unplannable(Exception):
    """This nest cannot be proved at these counters: it is stepped."""


class AccessShape(NamedTuple):
    """What matters of an access for dependences, apart from its address; all sizes in bytes.

    `strides` are those of the loops of `path`. In one iteration it touches runs of `width` bytes, repeated along
    `axes`. Strides of loops with one trip are 0.
    """

    path: tuple[int, ...]
    strides: tuple[int, ...]
    width: int
    axes: tuple[Axis, ...]
    read: bool
    write: bool

    @property
    def span(self) -> int:
        """Bytes from the first to the last run, in one iteration."""
        return self.width + reach(self.axes)[1]


@dataclass(frozen=True, slots=True)
class Access:
    """Operand `operand` of statement `position`: at bytes from `first` on in iteration 0, within [low, high) in all.

    `address` is that of element 0, which lies above `first` if the element stride is negative.
    """

    position: int
    operand: int
    shape: AccessShape
    address: int
    first: int
    low: int
    high: int


def make_access(
    nest: LoopNest, statement: NestStatement, operand: int, address: int, registers: Mapping[int, Linear]
) -> Access:
    """The access of an operand at `address` in the first iteration; `registers` as the statement sees them."""
    slot, affine = statement.op.slots[operand], statement.affines[operand]
    strides = affine.strides
    if affine.reg in registers:
        strides = tuple([a + b for a, b in zip(strides, registers[affine.reg][1], strict=True)])
    shape = AccessShape(statement.path, strides, slot.width, slot.axes, slot.read, slot.write)
    return access_at(statement.position, operand, shape, address, address + slot.low, nest.trips)


def access_at(
    position: int, operand: int, shape: AccessShape, address: int, first: int, trips: Sequence[int]
) -> Access:
    """The access from byte `first` on, with its extent over all iterations; `trips` by loop number."""
    low, high = reach((stride, trips[loop]) for loop, stride in zip(shape.path, shape.strides, strict=True))
    return Access(position, operand, shape, address, first, first + low, first + shape.span + high)


def group_accesses(nest: LoopNest) -> list[Access]:
    """What the statements of a nest read and write in array groups, if any writes: a row is one byte of a group's own
    address space. As an operand, the group has the number GROUP."""
    if not any(statement.writes_crossbar for statement in nest.statements):
        return []
    accesses: list[Access] = []
    for statement in nest.statements:
        instr = statement.op.instr
        if instr.spec.crossbar is None:
            continue
        row, rows = (instr.arg1, instr.n) if statement.writes_crossbar else (0, SPACE)
        if rows:
            still = (0,) * len(statement.path)
            shape = AccessShape(
                statement.path, still, rows, (), not statement.writes_crossbar, statement.writes_crossbar
            )
            first = row - (instr.arg0 + 1) * SPACE
            accesses.append(access_at(statement.position, GROUP, shape, first, first, nest.trips))
    return accesses
