"""Property: no destination overlaps a source of its instruction without being exactly it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.check.sections import by_section
from emu.check.verdict import Finding, PropertyResult
from emu.isa.codes import present
from emu.isa.table import BY_CODE
from emu.operands.pattern import Pattern
from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView

MAX_DISTANCES = 4096  # distances of two operands that are looked at
MAX_ELEMENTS = 1 << 22


def check_overlaps(core: CoreView) -> PropertyResult:
    """Refuted by the first execution that would trap; exact in place is legal."""
    return by_section(core, _first_finding)


def _first_finding(view: SectionView, reasons: list[str]) -> Finding | None:
    best: tuple[int, int, int, int, int] | None = None  # step, destination, source, their addresses
    for dst, src in sorted(_suspects(view)):
        index = int(view.accesses.instruction[dst])
        if best is not None and int(view.timeline.start[index]) > best[0]:
            break  # operands lie in the order of instructions, and these in the order of first executions
        try:
            fault = _first(view, dst, src)
        except TooMuch as much:
            reasons.append(f"{view.text(index)}, operand {view.accesses.role(src)}: {much}")
            continue
        if fault is not None and (best is None or (fault[0], dst, src) < best[:3]):
            best = (fault[0], dst, src, *fault[1:])
    if best is None:
        return None
    time, dst, src, to, at = best
    reason, index = "partial overlap of source and destination", int(view.accesses.instruction[dst])
    return Finding.of(view, index, time, reason, view.accesses.role(src), at, to)


def _suspects(view: SectionView) -> Iterator[tuple[int, int]]:
    """Pairs (destination, source) whose extents meet, unless they are always the same elements."""
    a, col = view.accesses, view.section.columns
    low, high, known = view.extents
    for dst, src in _pairs(view):
        chosen = view.used[dst] & view.used[src] & a.write[dst] & (a.read[src] | (a.write[src] & (dst < src)))
        chosen &= ~(known[dst] & known[src]) | ((low[dst] < high[src]) & (low[src] < high[dst]))
        plain = (col["terms"][dst] == 0) & (col["terms"][src] == 0) & (col["reg"][dst] == col["reg"][src])
        same = plain & (col["base"][dst] == col["base"][src])
        for column in (a.rows, a.count, a.pitch, a.step, a.size):
            same &= column[dst] == column[src]
        yield from zip(dst[chosen & ~same].tolist(), src[chosen & ~same].tolist(), strict=True)


def _pairs(view: SectionView) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    col = view.section.columns
    for code in present(col["op"]):
        spec = BY_CODE[code]
        if spec.moves:
            continue
        first = col["operand"][col["op"] == code].astype(np.int64)
        local = [place for place, form in enumerate(spec.operands) if form.space == "l"]
        for d in (place for place in local if spec.operands[place].write):
            yield from ((first + d, first + s) for s in local if s != d)


def _first(view: SectionView, dst: int, src: int) -> tuple[int, int, int] | None:
    """Step and addresses of the first execution in which the two half overlap."""
    col, index = view.section.columns, int(view.accesses.instruction[dst])
    slots = view.accesses.pattern(dst), view.accesses.pattern(src)
    if col["reg"][dst] == col["reg"][src] and view.terms(dst) == view.terms(src):
        distance = int(col["base"][src] - col["base"][dst])
        if not _half(*slots, distance):
            return None
        time = int(view.timeline.start[index])
        registers = [0] * view.arch.core.registers
        if col["reg"][dst] >= 0:
            values, known = view.scalars.at(int(col["reg"][dst]), np.array([time]))
            if not known[0]:
                raise TooMuch("both addresses use a register that is loaded from global memory")
            registers[int(col["reg"][dst])] = int(values[0])
        at = view.section.address(dst).value([0] * 64, registers)
        return time, at, at + distance
    times, to, known_to = view.addresses(dst)
    _, at, known_at = view.addresses(src)
    if not (known_to & known_at).all():
        raise TooMuch(view.scalars.reason or "its address, or the destination's, comes from global memory")
    near = np.flatnonzero((to + slots[0].low < at + slots[1].high) & (at + slots[1].low < to + slots[0].high))
    distances, first = np.unique(at[near] - to[near], return_index=True)
    if len(distances) > MAX_DISTANCES:
        raise TooMuch(f"more than {MAX_DISTANCES} distances from the destination")
    bad = [
        int(near[k]) for k, distance in zip(first.tolist(), distances.tolist(), strict=True) if _half(*slots, distance)
    ]
    return (int(times[min(bad)]), int(to[min(bad)]), int(at[min(bad)])) if bad else None


def _half(dst: Pattern, src: Pattern, distance: int) -> bool:
    """Whether the operands share bytes when the source is `distance` above, but are not the same elements."""
    if not dst.misplaced(0, src, distance):
        return False
    if (dst.axes or src.axes) and max(dst.count, src.count) > MAX_ELEMENTS:
        raise TooMuch(f"more than {MAX_ELEMENTS} elements")
    return dst.meets(0, src, distance)
