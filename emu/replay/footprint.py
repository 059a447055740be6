"""The bytes that an operand accesses over a box of loop counters, as few intervals; exact or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from emu.core.runs import coalesce, starts
from emu.isa.address import Term
from emu.program.section import Section

MAX_RUNS = 1 << 16  # intervals of one operand, and values of one counter that are listed
Range = tuple[int, int]


@dataclass(slots=True)
class _Offsets:
    """A set of sums: start + one of each progression (stride > 0, number) + one of each list."""

    start: int
    progressions: list[tuple[int, int]] = field(default_factory=list)
    lists: list[np.ndarray] = field(default_factory=list)


def terms_of(section: Section, row: int) -> list[Term]:
    """The address terms of an operand."""
    col = section.columns
    first, count = int(col["term"][row]), int(col["terms"][row])
    return [
        Term(int(col["loop"][t]), int(col["tstride"][t]), int(col["toffset"][t]), int(col["modulus"][t]))
        for t in range(first, first + count)
    ]


def footprint(
    start: int, terms: Sequence[Term], box: Sequence[Range], low: int, size: int, axes: Sequence[tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray] | None:
    """(begins, ends) of what elements of `size` bytes, along `axes` of step and number, touch when counter k runs
    through box[k].

    `start` is the address without terms, `low` the offset of the lowest element. None if there are too many.
    """
    offsets = _Offsets(start + low)
    by_level: dict[int, list[Term]] = {}
    for term in terms:
        by_level.setdefault(term.loop, []).append(term)
    for level, used in by_level.items():
        if not _add_level(offsets, used, *box[level]):
            return None
    offsets.progressions.extend((abs(step), count) for step, count in axes if step and count > 1)
    return _runs(offsets, size)


def _add_level(offsets: _Offsets, terms: list[Term], low: int, high: int) -> bool:
    """Add the terms of one counter; False if its values are too many to list."""
    if len(terms) == 1 and _add_progression(offsets, terms[0], low, high):
        return True
    if high - low > MAX_RUNS:
        return False
    offsets.lists.append(np.unique(level_values(terms, low, high)))
    return True


def _add_progression(offsets: _Offsets, term: Term, low: int, high: int) -> bool:
    number, first = high - low, low
    if term.modulus:
        first = (low + term.offset) % term.modulus
        if first + number > term.modulus:
            if number < term.modulus:
                return False
            first, number = 0, term.modulus
    offsets.start += term.stride * (first if term.stride >= 0 else first + number - 1)
    if number > 1 and term.stride:
        offsets.progressions.append((abs(term.stride), number))
    return True


def level_values(terms: Sequence[Term], low: int, high: int) -> np.ndarray:
    """What the terms of one counter add at each of its values."""
    count = np.arange(low, high)
    values = np.zeros(high - low, np.int64)
    for term in terms:
        values += term.stride * ((count + term.offset) % term.modulus if term.modulus else count)
    return values


def _runs(offsets: _Offsets, size: int) -> tuple[np.ndarray, np.ndarray] | None:
    width, axes = coalesce(size, offsets.progressions)
    if prod([*(count for _, count in axes), *map(len, offsets.lists)]) > MAX_RUNS:
        return None
    begins = starts(offsets.start, axes)
    for values in offsets.lists:
        begins = (begins[:, None] + values).reshape(-1)
    return begins, begins + width
