"""The operands of a section as the search for hazards needs them: where all executions lie, and where each one lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from emu.isa.address import Term
from emu.replay.core_view import SectionView

EVERYWHERE = 1 << 62
Reach = tuple[int, int]  # bytes of local memory, half open


class Hull(NamedTuple):
    """The bytes [low, high) that all executions of an operand touch; `same`: each execution touches all of them."""

    low: int
    high: int
    write: bool
    same: bool
    row: int  # of the section's operands


class Hulls(NamedTuple):
    """Those of all operands, by place, as columns; those of instruction i are at `first[i]` to `first[i + 1]`."""

    first: Sequence[int]
    low: Sequence[int]
    high: Sequence[int]
    write: Sequence[bool]
    same: Sequence[bool]
    row: Sequence[int]


@dataclass(frozen=True, eq=False, slots=True)
class TimedOperand:
    """What each execution touches: `reach`, before terms and register are added."""

    hull: Hull
    reach: Reach
    terms: tuple[Term, ...]
    register: int


@dataclass(frozen=True, eq=False)
class Operands:
    """Those of one section that touch any byte of local memory."""

    view: SectionView
    _known: dict[int, TimedOperand] = field(default_factory=dict[int, TimedOperand])

    def of(self, index: int) -> Sequence[TimedOperand]:
        """The operands of an instruction."""
        first, last = self.hulls.first[index : index + 2]
        return [self.operand(place) for place in range(first, last)]

    def operand(self, place: int) -> TimedOperand:
        """All about the one at a place of `hulls`."""
        known = self._known.get(place)
        if known is None:
            accesses, (_, lows, highs, writes, sames, rows) = self.view.accesses, self.hulls
            row = rows[place]
            hull = Hull(lows[place], highs[place], writes[place], sames[place], row)
            address = self.view.section.address(row)
            reach = address.base + int(accesses.low[row]), address.base + int(accesses.high[row])
            known = self._known[place] = TimedOperand(hull, reach, address.terms, address.reg)
        return known

    @cached_property
    def hulls(self) -> Hulls:
        """The hulls of all of them."""
        view, accesses, columns = self.view, self.view.accesses, self.view.section.columns
        rows = np.flatnonzero(view.used & ~accesses.is_global)
        first = np.searchsorted(rows, np.append(columns["operand"], len(columns["base"])))
        low, high, known = (part[rows] for part in view.extents)
        same = known & (high - low == accesses.high[rows] - accesses.low[rows])
        low, high = np.where(known, low, -EVERYWHERE), np.where(known, high, EVERYWHERE)
        write = accesses.write[rows]
        return Hulls(first.tolist(), low.tolist(), high.tolist(), write.tolist(), same.tolist(), rows.tolist())
