"""What an instruction must satisfy before it runs: addresses in range, no half overlap, no undefined read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.core.crossbars.fault import Fault
from emu.core.memory import LocalMemory
from emu.core.operation import Operation
from emu.operands.runs import strided_sets


def check_ranges(op: Operation, addresses: Sequence[int], local_size: int, global_size: int) -> None:
    """Fault if an operand leaves its memory: value is the first byte outside, limit the bound it crossed."""
    for slot, address in zip(op.slots, addresses, strict=True):
        size = global_size if slot.is_global else local_size
        if slot.count and address + slot.low < 0:
            raise Fault("address out of range", slot.role, address + slot.low, 0)
        if slot.count and address + slot.high > size:
            raise Fault("address out of range", slot.role, max(size, address + slot.low), size)


def check_overlaps(op: Operation, addresses: Sequence[int]) -> None:
    """Fault if a destination overlaps a source without being exactly it."""
    for d, s in op.pairs:
        if op.slots[d].half_overlaps(addresses[d], op.slots[s], addresses[s]):
            raise Fault("partial overlap of source and destination", op.slots[s].role, addresses[s], addresses[d])


def check_defined(op: Operation, addresses: Sequence[int], memory: LocalMemory) -> None:
    """Fault at the first byte, in operand and element order, that is read before it was ever written."""
    for slot, address in zip(op.slots, addresses, strict=True):
        if not slot.read or slot.is_global or not slot.count:
            continue
        if memory.all_defined(address + slot.low, address + slot.high):
            continue
        known = memory.defined_view(slot.size, address, slot.shape, slot.steps)
        if not known.all():
            *element, byte = np.unravel_index(int(np.argmin(known)), known.shape)
            offset = sum(int(k) * step for k, step in zip(element, slot.steps, strict=True))
            raise Fault("undefined read", slot.role, address + offset + int(byte))


def mark_written(op: Operation, addresses: Sequence[int], memory: LocalMemory) -> None:
    """What the instruction writes is defined from now on."""
    for slot, address in zip(op.slots, addresses, strict=True):
        if not slot.write or slot.is_global or not slot.count:
            continue
        if not slot.axes:
            memory.mark(address + slot.low, address + slot.high)
            continue
        sets = strided_sets(slot.width, slot.axes)
        if sets is None:
            view = memory.defined_view(slot.size, address, slot.shape, slot.steps)
            memory.mark_map(view, address + slot.high)
            continue
        for offset, width, step, count in sets:
            memory.mark_runs(address + slot.low + offset, width, step, count)
