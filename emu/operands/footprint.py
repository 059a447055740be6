"""The bytes that an operand accesses over a box of loop counters, as few intervals; exact or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from emu.isa.address import Term
from emu.operands.pattern import Pattern
from emu.operands.runs import coalesce, starts, sums
from emu.operands.terms import level_values

MAX_RUNS = 1 << 16  # intervals of one operand, and values of one counter that are listed
Range = tuple[int, int]


@dataclass(slots=True)
class _Offsets:
    """A set of sums: start + one of each progression (stride > 0, number) + one of each list."""

    start: int
    progressions: list[tuple[int, int]] = field(default_factory=list)
    lists: list[np.ndarray] = field(default_factory=list)


def footprint(
    start: int, terms: Sequence[Term], box: Sequence[Range], pattern: Pattern
) -> tuple[np.ndarray, np.ndarray] | None:
    """(begins, ends) of what the elements of `pattern` touch when counter k runs through box[k].

    `start` is the address without terms. None if there are too many.
    """
    offsets = _Offsets(start + pattern.low)
    by_level: dict[int, list[Term]] = {}
    for term in terms:
        by_level.setdefault(term.loop, []).append(term)
    for level, used in by_level.items():
        if not _add_level(offsets, used, *box[level]):
            return None
    offsets.progressions.extend(pattern.axes)
    return _runs(offsets, pattern.width)


def _add_level(offsets: _Offsets, terms: list[Term], low: int, high: int) -> bool:
    """Add the terms of one counter; False if its values are too many to list."""
    if len(terms) == 1 and _add_progression(offsets, terms[0], low, high):
        return True
    if high - low > MAX_RUNS:
        return False
    offsets.lists.append(np.unique(level_values(terms, low, high)))
    return True


def _add_progression(offsets: _Offsets, term: Term, low: int, high: int) -> bool:
    counts = term.counts(low, high)
    if counts is None:
        return False
    offsets.start += min(term.stride * counts[0], term.stride * counts[-1])
    if len(counts) > 1 and term.stride:
        offsets.progressions.append((abs(term.stride), len(counts)))
    return True


def _runs(offsets: _Offsets, size: int) -> tuple[np.ndarray, np.ndarray] | None:
    width, axes = coalesce(size, offsets.progressions)
    if prod([*(count for _, count in axes), *map(len, offsets.lists)]) > MAX_RUNS:
        return None
    begins = sums(starts(offsets.start, axes), offsets.lists)
    return begins, begins + width
