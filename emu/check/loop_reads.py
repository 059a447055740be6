"""Reads and writes of one unit, execution by execution: an outermost loop, or an instruction outside of loops.

A byte, once defined, stays defined. So after some iterations it may already be certain that the bytes which all further
iterations read are defined: the reads of a ring of rows or of a scratch region are proved after a few iterations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.check.verdict import Finding
from emu.check.written_before import AccessedIntervals, join, written_before
from emu.intervals import Spans
from emu.isa.table import LOOP
from emu.operands.timeline import Range, TooMuch
from emu.replay.core_view import SectionView

CHUNK = 1 << 16  # accesses looked at together
MAX_CHUNK = 1 << 22
MAX_ACCESSES = 1 << 24  # of one loop


@dataclass(frozen=True, eq=False)
class UndefinedRead:
    """Operand `row` at step `time` reads a byte outside of `known`, or from an address that nobody knows."""

    row: int
    time: int
    known: Spans


class LoopReads:
    """The reads `rows` of a unit among its `writers` (all operands that write), from `known` bytes on."""

    def __init__(self, view: SectionView, unit: int, rows: np.ndarray, writers: np.ndarray, known: Spans) -> None:
        self._view, self._writers, self._known = view, writers, known
        self._rows = rows
        col = view.section.columns
        self._trips = int(col["n"][unit]) if col["op"][unit] == LOOP else 0
        self.unknown = -1  # a read with an unknown address

    def first_fault(self) -> UndefinedRead | None:
        """The first read of an undefined byte; raises TooMuch."""
        at, cost = 0, self._cost()
        if cost > MAX_CHUNK:
            raise TooMuch(f"one iteration makes more than {MAX_CHUNK} accesses")
        if not self._trips:
            return self._chunk(None)
        size, room = 1, max(1, CHUNK // cost)
        while at < self._trips and len(self._rows):
            if (at + size) * cost > MAX_ACCESSES:
                raise TooMuch(f"its reads depend on more than {MAX_ACCESSES} earlier accesses")
            end = min(self._trips, at + size)
            fault = self._chunk((at, end))
            if fault is not None:
                return fault
            at, size = end, min(2 * size, room)
            self._rows = np.array([row for row in self._rows.tolist() if not self._rest_is_defined(row, at)], np.int64)
        return None

    def _cost(self) -> int:
        """Accesses of one iteration."""
        view, a = self._view, self._view.accesses
        rows = np.concatenate((self._rows, self._writers))
        pieces, owners = a.pieces[rows].tolist(), a.instruction[rows].tolist()
        every = sum(view.timeline.executions(owner) * n for owner, n in zip(owners, pieces, strict=True))
        return max(1, every // max(1, self._trips))

    def _rest_is_defined(self, row: int, at: int) -> bool:
        if at >= self._trips:
            return True
        bytes_ = self._view.footprint(row, (at, self._trips))
        return bytes_ is not None and bool(self._known.covers(*bytes_).all())

    def _chunk(self, first: Range | None) -> UndefinedRead | None:
        reads = self._list(self._rows, first, 0)
        writes = self._list(self._writers, first, 1)
        bad = np.flatnonzero(~written_before(self._known, writes, reads))
        if len(bad):
            worst = min(zip(reads.time[bad].tolist(), reads.row[bad].tolist(), strict=True))
            before = writes.time < worst[0]
            known = self._known.union(writes.low[before], writes.high[before])
            return UndefinedRead(worst[1], worst[0] // 2, known)
        self._known = self._known.union(writes.low, writes.high)
        return None

    def _list(self, rows: np.ndarray, first: Range | None, late: int) -> AccessedIntervals:
        """All accesses of operands; at twice their step, plus `late`: an instruction reads before it writes."""
        a, parts = self._view.accesses, list[AccessedIntervals]()
        for row in rows.tolist():
            times, addresses, known = self._view.addresses(row, first)
            if not known.all():
                self.unknown = max(self.unknown, row if not late else -1)
                times, addresses = times[known], addresses[known]
            begin, end = a.runs(row, addresses)
            if a.gaps[row]:
                times = np.repeat(times, a.pieces[row])
            parts.append(AccessedIntervals(begin, end, 2 * times + late, np.full(len(begin), row)))
        return join(parts)


def describe(view: SectionView, fault: UndefinedRead) -> Finding:
    """In the terms of the trap that it would be: the first undefined byte in the order of elements."""
    a, row = view.accesses, fault.row
    index = int(a.instruction[row])
    address = view.section.address(row)
    registers = [0] * view.arch.core.registers
    if address.reg >= 0:
        registers[address.reg] = int(view.scalars.at(address.reg, np.array([fault.time]))[0][0])
    first = address.value(view.timeline.counters(index, fault.time), registers)
    return Finding.of(view, index, fault.time, "undefined read", a.role(row), _first_byte(view, fault, first))


def _first_byte(view: SectionView, fault: UndefinedRead, first: int) -> int | None:
    pattern, known = view.accesses.pattern(fault.row), fault.known
    size, (rows, count), (pitch, step) = pattern.size, pattern.shape, pattern.steps
    if step == size and rows == 1:
        return known.first_gap(first, first + size * count)
    for begin in range(0, rows * count, CHUNK):
        row, place = np.divmod(np.arange(begin, min(rows * count, begin + CHUNK)), count)
        starts = first + pitch * row + step * place
        bad = ~known.covers(starts, starts + size)
        if bad.any():
            start = int(starts[np.argmax(bad)])
            return known.first_gap(start, start + size)
    return None
