"""Property: every byte of local memory is written before it is read.

A section is a sequence of units: instructions outside of loops, and outermost loops. First all units at once, by array
operations: a read whose bytes (over all iterations) earlier units have written is proved. What is left is read inside
the loop that writes it: in the same iteration at the same address (`same_body`), or `loop_reads` goes into such loops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.check.loop_reads import LoopReads, describe
from emu.check.same_body import written_in_the_same_body
from emu.check.verdict import PROVED, Finding, PropertyResult
from emu.check.written_before import AccessedIntervals, written_before
from emu.intervals import EMPTY, Spans, merge
from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView

MAX_EXECUTIONS = 4_000_000  # of one operand, listed one by one


@dataclass(frozen=True, eq=False)
class _TimedAccesses:
    """Accesses with the unit as time. `vague` operands are left out: their bytes are not known here."""

    reads: AccessedIntervals
    writes: AccessedIntervals
    vague: np.ndarray


def check_definedness(core: CoreView) -> PropertyResult:
    """`main` begins with what data, `init` and state define; refuted by the first read that would trap."""
    program = core.program
    data = [(data.address, data.address + len(data.content)) for data in program.data]
    known = _with(EMPTY, data)
    for name, view in core.sections.items():
        if name == "main":
            known = _with(known, [(address, address + size) for address, size in program.state])
        try:
            section = _Section(view, known)
            result = section.check()
        except TooMuch as much:
            return PropertyResult.unproved(f"core {program.core}, {name}: {much}")
        if result is not PROVED:
            return result
        known = section.known
    return PROVED


def _with(known: Spans, ranges: list[tuple[int, int]]) -> Spans:
    pairs = np.array(ranges, np.int64).reshape(-1, 2)
    return known.union(pairs[:, 0], pairs[:, 1])


class _Section:
    """The check of one section that begins with `known` bytes defined."""

    def __init__(self, view: SectionView, known: Spans) -> None:
        self._view, self.known = view, known
        self._timed = _timed_accesses(view)
        writers = np.flatnonzero(view.used & view.accesses.write & ~view.accesses.is_global)
        self._writers, self._writing = writers, self._unit(writers)  # ascending, both
        self._done = -1  # units before this one are part of `known`
        self._reason = ""

    def check(self) -> PropertyResult:
        """The first undefined read, or why it is not known whether there is one."""
        reads, vague, writes = self._timed.reads, self._timed.vague, self._timed.writes
        around, counts = reads.hulls()  # few; where all bytes between an operand's first and last are there, that is it
        reads = reads.where(np.repeat(~written_before(self.known, writes, around), counts))
        left = reads.row[~written_before(self.known, writes, reads)]
        rows = np.unique(np.concatenate((left, vague[self._view.accesses.read[vague]])))
        rows = rows[~written_in_the_same_body(self._view, rows, self._writers)]
        units = self._unit(rows)
        for unit in np.unique(units).tolist():
            self._pass(unit)
            finding = self._look_closer(unit, rows[units == unit])
            if finding is not None:
                return PropertyResult.refuted(finding)
        self._pass(len(self._view.section))
        return PropertyResult.unproved(self._reason) if self._reason else PROVED

    def _unit(self, rows: np.ndarray) -> np.ndarray:
        return self._view.timeline.unit[self._view.accesses.instruction[rows]]

    def _pass(self, unit: int) -> None:
        """Everything that is written before `unit` is known."""
        writes = self._timed.writes
        begin, end = np.searchsorted(writes.time, [self._done, unit]).tolist()
        self.known, self._done = self.known.union(writes.low[begin:end], writes.high[begin:end]), unit

    def _look_closer(self, unit: int, rows: np.ndarray) -> Finding | None:
        """Reads `rows` of one unit, one execution after the other; refuted only if every earlier write is known."""
        view, vague = self._view, self._timed.vague
        begin, end = np.searchsorted(self._writing, [unit, unit + 1]).tolist()
        reads = LoopReads(view, unit, rows, self._writers[begin:end], self.known)
        try:
            fault = reads.first_fault()
        except TooMuch as much:
            self._note(f"{view.text(unit)}: {much}")
            return None
        if reads.unknown >= 0:
            self._note(self._why(reads.unknown))
        lost = vague[view.accesses.write[vague] & (self._unit(vague) <= unit)]
        if fault is not None and not len(lost):
            return describe(view, fault)
        if fault is not None:
            self._note(self._why(int(lost[0])))
        return None

    def _note(self, reason: str) -> None:
        self._reason = self._reason or reason

    def _why(self, row: int) -> str:
        view = self._view
        verb = "writes" if view.accesses.write[row] else "reads"
        why = view.scalars.reason or "its address comes from global memory, or it runs too often"
        return f"{view.text(int(view.accesses.instruction[row]))} {verb} bytes that are not known in advance ({why})"


def _timed_accesses(view: SectionView) -> _TimedAccesses:
    a, timeline = view.accesses, view.timeline
    rows = np.flatnonzero(view.used & ~a.is_global)
    begin, known = view.bases(rows)
    plain = known & ~a.gaps[rows] & (view.section.columns["terms"][rows] == 0)
    simple, start = rows[plain], begin[plain]
    unit = timeline.unit[a.instruction]
    begins, ends, owners, vague = [start + a.low[simple]], [start + a.high[simple]], list[int](), list[int]()
    for row in rows[~plain].tolist():
        touched = view.footprint(row) or _listed(view, row)
        if touched is None:
            vague.append(row)
        else:
            begins.append(touched[0])
            ends.append(touched[1])
            owners.append(row)
    sizes = [len(part) for part in begins[1:]]
    owner = np.concatenate((simple, np.repeat(np.array(owners, np.int64), sizes)))
    joined = AccessedIntervals(np.concatenate(begins), np.concatenate(ends), unit[owner], owner)
    joined = joined.where(np.argsort(joined.time, kind="stable"))
    return _TimedAccesses(
        joined.where(a.read[joined.row]), joined.where(a.write[joined.row]), np.array(vague, np.int64)
    )


def _listed(view: SectionView, row: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The bytes of an operand by listing its executions; None if an address is unknown or they are too many."""
    a, index = view.accesses, int(view.accesses.instruction[row])
    if view.timeline.executions(index) * int(a.pieces[row]) > MAX_EXECUTIONS:
        return None
    _, addresses, known = view.addresses(row)
    if not known.all():
        return None
    spans = merge(*a.runs(row, np.unique(addresses)))
    return spans.begin, spans.end
