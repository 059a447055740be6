"""A section as a tree: blocks of operations that ask for nothing, requests, and loops around these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emu.isa.codes import ASK_OF
from emu.isa.table import LOOP
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.setup import TimedSection

# One operation: its instruction and unit; the times of the front end, of all its work, and until the unit is free
# again, if no port has to be waited for; then reading, computing, writing and the interval of the cost model.
Row = tuple[int, int, int, int, int, tuple[int, int, int, int]]
Counters = tuple[int, ...]  # of the loops around an operation, outermost first


@dataclass(frozen=True, slots=True)
class Request:
    """An operation that asks another node for something."""

    row: Row


@dataclass(frozen=True, slots=True)
class Block:
    """Operations one after the other."""

    rows: Sequence[Row]


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """A loop that runs something. `index` is its instruction, `end` is behind its body, `units` are those in use there.

    `asks` tells whether there are requests in it.
    """

    index: int
    end: int
    depth: int
    trips: int
    body: tuple[Block | Request | Loop, ...]
    units: tuple[int, ...]
    asks: bool


Item = Block | Request | Loop


class Ask(NamedTuple):
    """What a request asks for: its kind (`emu.isa.instruction.Ask`), the fields `arg0` and `arg1`, and its costs."""

    kind: int
    first: int
    second: int
    setup: int
    read: int
    write: int
    wire: int
    service: int


@dataclass(frozen=True, eq=False, slots=True)
class Body:
    """The tree of a section; `asks`, by instruction, are its requests."""

    items: tuple[Item, ...]
    asks: Mapping[int, Ask]


def make_body(timed: TimedSection) -> Body:
    """The tree of a section with its costs."""
    tree = _Tree(timed)
    return Body(tuple(tree.items(0, len(tree.rows), 0)), _asks(timed))


class _Tree:
    def __init__(self, timed: TimedSection) -> None:
        columns = timed.view.section.columns
        loops, asks = columns["op"] == LOOP, ASK_OF[columns["op"]] != 0
        self.rows = _rows(timed)
        self._units = timed.costs.unit
        self._asks = asks.nonzero()[0].tolist()
        self._stops = (loops | asks).nonzero()[0].tolist()  # where blocks end
        places = loops.nonzero()[0]
        ends, trips = (columns[name][places].tolist() for name in ("end", "n"))
        self._loops = {place: pair for place, *pair in zip(places.tolist(), ends, trips, strict=True)}

    def items(self, begin: int, end: int, depth: int) -> Iterator[Item]:
        """The items of the instructions [begin, end) inside of `depth` loops."""
        at, stops = begin, self._stops
        place = bisect_left(stops, begin)
        while at < end:
            stop = min(stops[place], end) if place < len(stops) else end
            if stop > at:
                yield Block(self.rows[at:stop])
            if stop == end:
                return
            if stop in self._loops:
                at = self._loops[stop][0]
                place = bisect_left(stops, at, place)
                yield from self._loop(stop, depth)
            else:
                at, place = stop + 1, place + 1
                yield Request(self.rows[stop])

    def _loop(self, index: int, depth: int) -> Iterator[Loop]:
        end, trips = self._loops[index]
        body = tuple(self.items(index + 1, end, depth + 1))
        if trips and body:
            units = tuple(sorted({unit for unit in self._units[index + 1 : end].tolist() if unit >= 0}))
            asks = bisect_left(self._asks, end) > bisect_left(self._asks, index)
            yield Loop(index, end, depth, trips, body, units, asks)


def _asks(timed: TimedSection) -> dict[int, Ask]:
    columns, costs = timed.view.section.columns, timed.costs
    places = ASK_OF[columns["op"]].nonzero()[0]
    fields = (ASK_OF[columns["op"]], columns["arg0"], columns["arg1"])
    parts = (*fields, costs.compute, costs.read, costs.write, costs.wire, costs.service)
    rows = zip(*(part[places].tolist() for part in parts), strict=True)
    return {place: Ask(*row) for place, row in zip(places.tolist(), rows, strict=True)}


def _rows(timed: TimedSection) -> list[Row]:
    costs = timed.costs
    work, hold = costs.read + costs.compute + costs.write, holds(costs)
    parts = zip(*(column.tolist() for column in (costs.read, costs.compute, costs.write, costs.interval)), strict=True)
    columns = (column.tolist() for column in (costs.unit, costs.issue, work, hold))
    return list(zip(range(len(work)), *columns, parts, strict=True))


def holds(costs: Costs) -> np.ndarray:
    """How long an instruction that is no request keeps its unit, if no port has to be waited for; int64."""
    work = costs.read + costs.compute + costs.write
    return np.where(costs.interval == WHOLE, work, costs.read + costs.interval)
