"""Properties: groups and events exist; scalar registers are written before they are read."""

from __future__ import annotations

import numpy as np

from emu.check.verdict import PROVED, Finding, PropertyResult
from emu.isa.codes import ON_GROUP, WRITES_GROUP, having, present
from emu.isa.table import BY_CODE
from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView


def check_references(core: CoreView) -> PropertyResult:
    """Array groups (with their types and rows) and event registers that instructions name exist."""
    for view in core.sections.values():
        for find in (_group, _event):
            try:
                finding = find(view)
            except TooMuch as much:
                return PropertyResult.unproved(f"core {core.program.core}, {view.name}: {much}")
            if finding is not None:
                return PropertyResult.refuted(finding)
    return PROVED


def _group(view: SectionView) -> Finding | None:
    col, groups = view.section.columns, view.program.groups
    index = np.flatnonzero(ON_GROUP[col["op"]] & view.timeline.runs)
    number = col["arg0"][index]
    absent = (number < 0) | (number >= len(groups))
    if absent.any():
        at = int(index[np.argmax(absent)])
        value = int(col["arg0"][at])
        return Finding.of(view, at, int(view.timeline.start[at]), "unknown group", "group", value, len(groups))
    rows = np.array([group.rows for group in groups], np.int64)
    last = col["arg1"][index] + col["n"][index]
    beyond = WRITES_GROUP[col["op"][index]] & (last > rows[number])
    if not beyond.any():
        return None
    at, limit = int(index[np.argmax(beyond)]), int(rows[number[np.argmax(beyond)]])
    value = int(last[np.argmax(beyond)])
    return Finding.of(view, at, int(view.timeline.start[at]), "rows outside the group", "row", value, limit)


def _event(view: SectionView) -> Finding | None:
    col, limit = view.section.columns, view.arch.core.events
    bad = having(col["op"], "event") & view.timeline.runs & ((col["arg1"] < 0) | (col["arg1"] >= limit))
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    value, time = int(col["arg1"][at]), int(view.timeline.start[at])
    return Finding.of(view, at, time, "unknown event register", "event", value, limit)


def check_registers(core: CoreView) -> PropertyResult:
    """A register is written by an instruction of the same section before another one uses it.

    The first execution of an instruction is at its start, so comparing first reads with first writes is exact.
    """
    for view in core.sections.values():
        try:
            finding = _unwritten(view)
        except TooMuch as much:
            return PropertyResult.unproved(f"core {core.program.core}, {view.name}: {much}")
        if finding is not None:
            return PropertyResult.refuted(finding)
    return PROVED


def _unwritten(view: SectionView) -> Finding | None:
    never, col = view.timeline.total + 1, view.section.columns
    written = np.full(view.arch.core.registers, never)
    unset: list[tuple[int, int, int]] = []
    reads: list[tuple[np.ndarray, np.ndarray]] = []  # (instruction, register)
    for code in present(col["op"]):
        fields = BY_CODE[code].fields
        index = np.flatnonzero((col["op"] == code) & view.timeline.runs)
        if "rd" in fields:
            np.minimum.at(written, col["arg0"][index], view.timeline.start[index])
        reads += [(index, col[column][index]) for name, column in (("rs1", "arg1"), ("rs2", "arg2")) if name in fields]
    rows = np.flatnonzero((col["reg"] >= 0) & view.timeline.runs[view.accesses.instruction])
    reads.append((view.accesses.instruction[rows], col["reg"][rows].astype(np.int64)))
    for index, register in reads:
        early = written[register] >= view.timeline.start[index]
        if early.any():
            at = int(np.argmin(np.where(early, view.timeline.start[index], never)))
            unset.append((int(view.timeline.start[index[at]]), int(index[at]), int(register[at])))
    if not unset:
        return None
    time, at, register = min(unset)
    return Finding.of(view, at, time, f"register r{register} is read before it is written")
