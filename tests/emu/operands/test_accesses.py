"""Operands as columns: what the engine makes of every single instruction, and the bytes that it then touches."""

from math import prod

import numpy as np
from core_programs import ARCH, Drawn, Generator, Seeded, weights
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies_programs import ARCH as WILD
from strategies_programs import programs as wild_programs

from emu.core.crossbars.origin import Origin, Position
from emu.core.operation import make_operation
from emu.core.state import CoreState
from emu.intervals import merge
from emu.replay.core_view import CoreView


def compare(program, arch, weights):
    """Every operand against the slot that the step engine prepares; an instruction that is wrong anywhere has none."""
    groups = CoreState(program, arch, weights).groups
    compared = 0
    for view in CoreView(program, arch).sections.values():
        a = view.accesses
        for row, index in enumerate(a.instruction.tolist()):
            with np.errstate(all="ignore"):
                operation = make_operation(view.section.instr(index), groups, Origin(Position(program.core), index))
            if operation.fault is not None:
                continue
            slot = operation.slots[row - int(view.section.columns["operand"][index])]
            found = (a.read[row], a.write[row], a.is_global[row], a.elements[row], a.low[row], a.high[row])
            assert found == (slot.read, slot.write, slot.is_global, slot.count, slot.low, slot.high)
            assert (a.role(row), a.size[row]) == (slot.role, slot.dtype.itemsize)
            shape, steps = (a.rows[row], a.count[row]), (a.pitch[row], a.step[row])
            assert (shape, steps)[: len(slot.shape)] == (slot.shape, slot.steps) or len(slot.shape) == 1
            assert (a.count[row], a.step[row]) == (slot.shape[-1], slot.steps[-1])
            assert a.pieces[row] == prod(count for _, count in slot.axes) or not slot.count
            compared += 1
    return compared


@settings(max_examples=examples(30, 100), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_extents_are_those_of_the_engine(data):
    compare(Generator(Drawn(data)).program(), ARCH, weights())


def test_extents_of_many_programs():
    assert sum(compare(Generator(Seeded(seed)).program(), ARCH, weights()) for seed in range(60)) > 1000


@settings(max_examples=examples(50, 100), suppress_health_check=list(HealthCheck))
@given(wild_programs())
def test_extents_of_programs_with_arbitrary_addresses(program):
    compare(program, WILD, [np.zeros((group.rows, group.padded_cols), group.weight.numpy) for group in program.groups])


def elements(a, row, address):
    """The bytes of one execution, element by element."""
    rows = [address + int(a.pitch[row]) * k for k in range(int(a.rows[row]))]
    starts = [start + int(a.step[row]) * k for k in range(int(a.count[row])) for start in rows]
    return {byte for start in starts for byte in range(start, start + int(a.size[row]))}


@settings(max_examples=examples(30, 100), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_bytes_of_every_execution(data):
    view = CoreView(Generator(Drawn(data)).program(), ARCH).sections["main"]
    a = view.accesses
    for row in np.flatnonzero(view.used).tolist():
        _, addresses, known = view.addresses(row)
        addresses, touched = addresses[known][:50], set()
        if not len(addresses):  # none is known: there is nothing to compare
            continue
        begins, ends = (part.reshape(len(addresses), -1).tolist() for part in a.runs(row, addresses))
        for address, begin, end in zip(addresses.tolist(), begins, ends, strict=True):
            bytes_ = {byte for low, high in zip(begin, end, strict=True) for byte in range(low, high)}
            assert bytes_ == elements(a, row, address)
            assert len(begin) == a.pieces[row]
            touched |= bytes_
        ever = view.footprint(row)
        if ever is not None:
            assert merge(*ever).covers(*(np.array(sorted(touched), np.int64) + k for k in (0, 1))).all()
