"""Operands of a nest as affine accesses: address, strides per loop, extents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.core.batch.nest import Nest, Statement
from emu.core.operation import Slot
from emu.isa.address import Term


class Unplannable(Exception):
    """This nest cannot be proved at these counters: it is stepped."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What matters of an access for dependences, apart from its address: strides per loop of `path`, then elements.

    A run is `width` bytes; `runs` runs are `run_step` (positive) bytes apart. Strides of loops with one trip are 0.
    """

    path: tuple[int, ...]
    strides: tuple[int, ...]
    width: int
    run_step: int
    runs: int
    read: bool
    write: bool


@dataclass(frozen=True, slots=True)
class Access:
    """Operand `operand` of statement `position`: at `first` in the first iteration, within [low, high) in all.

    `address` is that of element 0, which lies above `first` if the element stride is negative.
    """

    position: int
    operand: int
    shape: Shape
    address: int
    first: int
    low: int
    high: int


def make_access(nest: Nest, statement: Statement, operand: int, counters: list[int], registers: list[int]) -> Access:
    """The access of an operand at the given outer counters; raises Unplannable if a modulo wraps."""
    slot = statement.op.slots[operand]
    base, strides = _affine(nest, statement, slot, counters, registers)
    dense = slot.count <= 1 or slot.step in (0, slot.dtype.itemsize, -slot.dtype.itemsize)
    width = slot.high - slot.low if dense else slot.dtype.itemsize
    run_step, runs = (1, 1) if dense else (abs(slot.step), slot.count)
    shape = Shape(statement.path, strides, width, run_step, runs, slot.read, slot.write)
    return place(statement.position, operand, shape, base, base + slot.low, nest.trips)


def place(position: int, operand: int, shape: Shape, address: int, first: int, trips: Sequence[int]) -> Access:
    """An access with its extent over the whole iteration box."""
    reaches = [stride * (trips[loop] - 1) for loop, stride in zip(shape.path, shape.strides, strict=True)]
    low = first + sum(min(0, reach) for reach in reaches)
    span = (shape.runs - 1) * shape.run_step + shape.width
    high = first + sum(max(0, reach) for reach in reaches) + span
    return Access(position, operand, shape, address, first, low, high)


def _affine(
    nest: Nest, statement: Statement, slot: Slot, counters: list[int], registers: list[int]
) -> tuple[int, tuple[int, ...]]:
    address = slot.address
    base = address.base + (registers[address.reg] if address.reg >= 0 else 0)
    strides = [0] * len(statement.path)
    for term in address.terms:
        level = term.loop - nest.depth
        if level < 0:
            base += term.value(counters)
            continue
        start, stride = _linear(term, nest.trips[statement.path[level]])
        base += start
        strides[level] += stride
    return base, tuple(strides)


def _linear(term: Term, trips: int) -> tuple[int, int]:
    """(value at counter 0, stride) of a term over `trips` iterations."""
    if not term.modulus:
        return 0, term.stride if trips > 1 else 0
    if term.offset // term.modulus != (term.offset + trips - 1) // term.modulus:
        raise Unplannable
    return term.stride * (term.offset % term.modulus), term.stride if trips > 1 else 0
