"""Reads of what the same iteration of the same loop body has written just before, at the same address.

Most loops over pixels are so: a product, then its bias and its function on the place of the product. That such a read
is defined shows in the operands alone, however often the loop runs.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from emu.isa.address import Term
from emu.replay.core_view import SectionView

_Way = tuple[int, tuple[Term, ...]]  # the loop whose body it is, and how the address moves with the counters


def written_in_the_same_body(view: SectionView, reads: np.ndarray, writers: np.ndarray) -> np.ndarray:
    """Per operand of `reads`: whether one of `writers` defines its bytes earlier in every iteration, [reads] bool."""
    a, base = view.accesses, view.section.columns["base"]
    ways = {way: rows for way, rows in _by_way(view, reads).items() if way is not None}
    before: dict[_Way, list[int]] = defaultdict(list)
    if ways:
        for way, rows in _by_way(view, writers[~a.gaps[writers]]).items():
            if way in ways:
                before[way] = rows
    low, high = base + a.low, base + a.high
    done: list[int] = []
    for way, rows in ways.items():
        there = np.array(before[way], np.int64)
        for row in rows:
            earlier = there[a.instruction[there] < a.instruction[row]]
            done.extend([row] * bool(((low[earlier] <= low[row]) & (high[earlier] >= high[row])).any()))
    return np.isin(reads, done)


def _by_way(view: SectionView, rows: np.ndarray) -> dict[_Way | None, list[int]]:
    """Operands by their loop and the terms of their addresses; None for those outside of loops or with registers."""
    found: dict[_Way | None, list[int]] = defaultdict(list)
    parents = view.timeline.parent[view.accesses.instruction[rows]].tolist()
    registers = view.section.columns["reg"][rows].tolist()
    for row, parent, register in zip(rows.tolist(), parents, registers, strict=True):
        known = parent >= 0 and register < 0
        terms = tuple(sorted(view.terms(row))) if known else ()
        found[(parent, terms) if known else None].append(row)
    return found
