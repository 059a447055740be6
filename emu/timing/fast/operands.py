"""The operands of a section as the search for hazards needs them: where all executions lie, and where each one lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from emu.replay.core_view import SectionView
from emu.replay.footprint import terms_of

EVERYWHERE = 1 << 62
Reach = tuple[int, int]  # bytes of local memory, half open


class Hull(NamedTuple):
    """The bytes [low, high) that all executions of an operand touch; `same`: each execution touches all of them."""

    low: int
    high: int
    write: bool
    same: bool
    row: int  # of the section's operands


@dataclass(frozen=True, eq=False, slots=True)
class Operand:
    """What each execution touches: `reach`, before terms (depth, stride, offset, modulus) and register are added."""

    hull: Hull
    reach: Reach
    terms: tuple[tuple[int, int, int, int], ...]
    register: int


@dataclass(frozen=True, eq=False)
class Operands:
    """Those of one section that touch any byte of local memory."""

    view: SectionView
    _known: dict[int, Operand] = field(default_factory=dict[int, Operand])

    def hulls(self, index: int) -> Sequence[Hull]:
        """The hulls of the operands of an instruction."""
        first, last = self._places[index : index + 2]
        return self._hulls[first:last]

    def operand(self, hull: Hull) -> Operand:
        """All about one of them."""
        known = self._known.get(hull.row)
        if known is None:
            view, row = self.view, hull.row
            base, register = (int(view.section.columns[name][row]) for name in ("base", "reg"))
            reach = base + int(view.accesses.low[row]), base + int(view.accesses.high[row])
            terms = tuple((t.loop, t.stride, t.offset, t.modulus) for t in terms_of(view.section, row))
            known = self._known[row] = Operand(hull, reach, terms, register)
        return known

    @cached_property
    def _rows(self) -> np.ndarray:
        return np.flatnonzero(self.view.used & ~self.view.accesses.is_global)

    @cached_property
    def _places(self) -> list[int]:
        """By instruction, its first one among the hulls; and the end."""
        columns = self.view.section.columns
        first = np.append(columns["operand"], len(columns["base"]))
        return np.searchsorted(self._rows, first).tolist()

    @cached_property
    def _hulls(self) -> list[Hull]:
        rows, accesses = self._rows, self.view.accesses
        low, high, known = (part[rows] for part in self.view.extents)
        same = known & (high - low == accesses.high[rows] - accesses.low[rows])
        low, high = np.where(known, low, -EVERYWHERE), np.where(known, high, EVERYWHERE)
        parts = (part.tolist() for part in (low, high, accesses.write[rows], same, rows))
        return list(map(Hull._make, zip(*parts, strict=True)))
