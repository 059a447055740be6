"""A section as the fast executor walks it: a tree of loops, operations with their costs, and requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emu.isa.codes import ASK_OF
from emu.isa.table import LOOP
from emu.operands.loop_tree import Item, Loop, loop_tree, loops_in
from emu.timing.basis.units import NO_UNIT
from emu.timing.model.costs import WHOLE
from emu.timing.setup import TimedSection

# One operation: its instruction and unit; the times of the front end, of all its work, and until the unit is free
# again, if no port has to be waited for; then reading, computing, writing and the interval of the cost model. What a
# request takes after its start is told by others, so its work takes no time here.
Row = tuple[int, int, int, int, int, int, int, int, int]
Counters = tuple[int, ...]  # of the loops around an operation, outermost first


class RequestCosts(NamedTuple):
    """What a request asks for: its kind (as `emu.isa` has it), the fields `arg0` and `arg1`, and its costs."""

    kind: int
    first: int
    second: int
    setup: int
    read: int
    write: int
    wire: int
    service: int


@dataclass(frozen=True, eq=False, slots=True)
class SectionTree:
    """The tree of a section, of which the marks are requests, and its operations; `asks` are these by instruction.

    `units` are those in use in each loop, by its instruction; `hold` as in `rows`, int64 [instructions].
    """

    items: tuple[Item, ...]
    rows: Sequence[Row]
    asks: Mapping[int, RequestCosts]
    units: Mapping[int, tuple[int, ...]]
    hold: np.ndarray


def make_body(timed: TimedSection) -> SectionTree:
    """The tree of a section with its costs."""
    work, hold = _own_work(timed)
    if not len(work):
        return SectionTree((), (), {}, {}, hold)
    asks, section = _asks(timed), timed.view.section
    items = loop_tree(section, np.flatnonzero(ASK_OF[section.columns["op"]]))
    return SectionTree(items, _rows(timed, work, hold), asks, _units_in_loops(loops_in(items), timed.costs.unit), hold)


def _units_in_loops(loops: Iterable[Loop], unit: np.ndarray) -> dict[int, tuple[int, ...]]:
    return {loop.index: tuple(sorted({*unit[loop.index + 1 : loop.end].tolist()} - {NO_UNIT})) for loop in loops}


def _asks(timed: TimedSection) -> dict[int, RequestCosts]:
    columns, costs = timed.view.section.columns, timed.costs
    kinds = ASK_OF[columns["op"]]
    places = kinds.nonzero()[0]
    parts = kinds, columns["arg0"], columns["arg1"], costs.compute, costs.read, costs.write, costs.wire, costs.service
    rows = zip(*(part[places].tolist() for part in parts), strict=True)
    return dict(zip(places.tolist(), map(RequestCosts._make, rows), strict=True))


def _rows(timed: TimedSection, work: np.ndarray, hold: np.ndarray) -> list[Row]:
    costs = timed.costs
    columns = costs.unit, costs.issue, work, hold, costs.read, costs.compute, costs.write, costs.interval
    return list(zip(range(len(work)), *(column.tolist() for column in columns), strict=True))


def _own_work(timed: TimedSection) -> tuple[np.ndarray, np.ndarray]:
    """How long instructions take, and how long they keep their units, if no port has to be waited for.

    int64 [instructions] each; 0 of requests, and of loops.
    """
    costs, op = timed.costs, timed.view.section.columns["op"]
    own = (ASK_OF[op] == 0) & (op != LOOP)
    work = (costs.read + costs.compute + costs.write) * own
    return work, np.where(costs.interval == WHOLE, work, (costs.read + costs.interval) * own)
