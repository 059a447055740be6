"""Property: every address lies inside its memory, in every iteration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.check.sections import by_section
from emu.check.verdict import Finding, PropertyResult
from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView

MAX_EXECUTIONS = 4_000_000  # of one operand, looked at one by one


@dataclass(frozen=True, slots=True)
class _Fault:
    """The first address of an operand that leaves memory."""

    time: int
    row: int
    address: int


def check_bounds(core: CoreView) -> PropertyResult:
    """Refuted by the first execution that would trap; unproved where a register comes from global memory."""
    return by_section(core, _first_finding)


def _first_finding(view: SectionView, reasons: list[str]) -> Finding | None:
    best: _Fault | None = None
    suspects = _suspects(view)
    starts = view.timeline.start[view.accesses.instruction[suspects]]
    for row, start in zip(suspects.tolist(), starts.tolist(), strict=True):
        if best is not None and start > best.time:
            continue  # it cannot be the first one
        try:
            fault = _first_fault(view, row, reasons)
        except TooMuch as much:
            index = int(view.accesses.instruction[row])
            reasons.append(f"{view.text(index)}, operand {view.accesses.role(row)}: {much}")
            continue
        if fault is not None and (best is None or (fault.time, fault.row) < (best.time, best.row)):
            best = fault
    return _finding(view, best) if best is not None else None


def _suspects(view: SectionView) -> np.ndarray:
    """Operands whose extent is not inside of their memory."""
    low, high, known = view.extents
    outside = (low < 0) | (high > limits(view))
    return np.flatnonzero(view.used & (outside | ~known))


def limits(view: SectionView) -> np.ndarray:
    """Per operand: the size of the memory that it accesses."""
    return np.where(view.accesses.is_global, view.arch.global_memory.size, view.arch.core.local_memory)


def _first_fault(view: SectionView, row: int, reasons: list[str]) -> _Fault | None:
    index, a = int(view.accesses.instruction[row]), view.accesses
    if view.timeline.executions(index) > MAX_EXECUTIONS:
        return _extreme_fault(view, row)
    times, addresses, known = view.addresses(row)
    limit = int(limits(view)[row])
    outside = known & ((addresses + a.low[row] < 0) | (addresses + a.high[row] > limit))
    if outside.any():
        first = int(np.argmax(outside))
        return _Fault(int(times[first]), row, int(addresses[first]))
    if not known.all():
        why = view.scalars.reason or "its register is loaded from global memory"
        reasons.append(f"the address of {view.text(index)}, operand {a.role(row)}, is unknown: {why}")
    return None


def _extreme_fault(view: SectionView, row: int) -> _Fault | None:
    """A fault at a corner of the box: exact if every counter occurs once and no register varies."""
    a, index, start = view.accesses, int(view.accesses.instruction[row]), view.constant(row)
    terms, box, limit = view.terms(row), view.timeline.box(index), int(limits(view)[row])
    separate = len({term.loop for term in terms}) == len(terms)
    if start is None or not separate or any(term.modulus for term in terms):
        raise TooMuch(f"it runs more than {MAX_EXECUTIONS} times, with addresses that are not affine")
    for corner in (0, 1):  # lowest, highest address
        counters = [0] * len(box)
        for term in terms:
            counters[term.loop] = box[term.loop][1] - 1 if (term.stride > 0) == bool(corner) else 0
        address = start + sum(term.value(counters) for term in terms)
        if address + int(a.low[row]) < 0 or address + int(a.high[row]) > limit:
            return _Fault(view.timeline.step_of(index, counters), row, address)
    return None


def _finding(view: SectionView, fault: _Fault) -> Finding:
    """In the terms of the trap that it would be: the first byte outside, and the bound that it crossed."""
    a, row = view.accesses, fault.row
    limit, low = int(limits(view)[row]), fault.address + int(a.low[row])
    value, bound = (low, 0) if low < 0 else (max(limit, low), limit)
    return Finding.of(view, int(a.instruction[row]), fault.time, "address out of range", a.role(row), value, bound)
