"""What an instruction must satisfy before it runs: addresses in range, no half overlap, no undefined read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.core.kernels.fault import Fault
from emu.core.memory import LocalMemory
from emu.core.operation import Operation, Slot


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
        if half_overlap(op.slots[d], addresses[d], op.slots[s], addresses[s]):
            raise Fault("partial overlap of source and destination", op.slots[s].role, addresses[s], addresses[d])


def half_overlap(a: Slot, at_a: int, b: Slot, at_b: int) -> bool:
    """Whether the bytes of two operands intersect although they are not the same elements in the same order."""
    if at_a + a.high <= at_b + b.low or at_b + b.high <= at_a + a.low:
        return False
    if at_a == at_b and (a.count, a.step, a.dtype.itemsize) == (b.count, b.step, b.dtype.itemsize):
        return False
    return bytes_intersect(a, at_a, b, at_b)


def bytes_intersect(a: Slot, at_a: int, b: Slot, at_b: int) -> bool:
    """Whether any byte belongs to both operands, exactly."""
    if b.step in (b.dtype.itemsize, 0) or b.count == 1:
        a, at_a, b, at_b = b, at_b, a, at_a
    if a.step == a.dtype.itemsize or a.step == 0:  # a is one run of bytes
        low, high = at_a + a.low, at_a + a.high
        starts = at_b + b.step * np.arange(b.count)
        return bool(((starts < high) & (starts + b.dtype.itemsize > low)).any())
    # For each element of a, the neighbours in b: elements are sorted by address, at most |step| apart.
    a_starts = at_a + a.step * np.arange(a.count)
    b_low, b_step, width = at_b + b.low, abs(b.step), b.dtype.itemsize
    last = np.minimum((a_starts + a.dtype.itemsize - 1 - b_low) // b_step, b.count - 1)
    return bool(((last >= 0) & (b_low + last * b_step + width > a_starts)).any())


def check_defined(op: Operation, addresses: Sequence[int], memory: LocalMemory) -> None:
    """Fault at the first byte, in operand and element order, that is read before it was ever written."""
    for slot, address in zip(op.slots, addresses, strict=True):
        if not slot.read or slot.is_global or not slot.count:
            continue
        if memory.all_defined(address + slot.low, address + slot.high):
            continue
        known = memory.defined_view(slot.dtype.itemsize, address, (slot.count,), (slot.step,))
        if not known.all():
            element, byte = divmod(int(np.argmin(known.reshape(-1))), slot.dtype.itemsize)
            raise Fault("undefined read", slot.role, address + element * slot.step + byte)


def mark_written(op: Operation, addresses: Sequence[int], memory: LocalMemory) -> None:
    """What the instruction writes is defined from now on."""
    for slot, address in zip(op.slots, addresses, strict=True):
        if not slot.write or slot.is_global or not slot.count:
            continue
        memory.mark_runs(
            address + min(0, slot.step * (slot.count - 1)), slot.dtype.itemsize, abs(slot.step), slot.count
        )
