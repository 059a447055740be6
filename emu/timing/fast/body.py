"""A section as a tree: operations one after the other, and loops around these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from emu.isa.codes import ASK_OF
from emu.isa.table import LOOP
from emu.timing.model.costs import WHOLE
from emu.timing.setup import TimedSection

# One operation: its instruction and unit; the times of the front end, of all its work, and until the unit is free
# again, if no port has to be waited for; then reading, computing, writing and the interval of the cost model. What a
# request takes after its start is told by others, so its work takes no time here.
Row = tuple[int, int, int, int, int, int, int, int, int]
Counters = tuple[int, ...]  # of the loops around an operation, outermost first


class Code(NamedTuple):
    """Operations one after the other, without loops: the rows [first, last). `asks` are those that are requests."""

    first: int
    last: int
    asks: Sequence[int] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """A loop that runs something. `index` is its instruction, `end` is behind its body, `units` are those in use there.

    `asks` tells whether there are requests in it.
    """

    index: int
    end: int
    depth: int
    trips: int
    body: tuple[Code | Loop, ...]
    units: tuple[int, ...]
    asks: bool


Item = Code | Loop


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
    """The tree of a section, and its operations; `asks`, by instruction, are its requests.

    `hold` as in `rows`, int64 [instructions].
    """

    items: tuple[Item, ...]
    rows: Sequence[Row]
    asks: Mapping[int, Ask]
    hold: np.ndarray


def make_body(timed: TimedSection) -> Body:
    """The tree of a section with its costs."""
    work, hold = _own_work(timed)
    if not len(work):
        return Body((), (), {}, hold)
    return Body(tuple(_Tree(timed).items(0, len(work), 0)), _rows(timed, work, hold), _asks(timed), hold)


class _Tree:
    def __init__(self, timed: TimedSection) -> None:
        columns = timed.view.section.columns
        self._units = timed.costs.unit
        self._asks = ASK_OF[columns["op"]].nonzero()[0].tolist()
        places = (columns["op"] == LOOP).nonzero()[0]
        ends, trips = (columns[name][places].tolist() for name in ("end", "n"))
        self._places = places.tolist()
        self._loops = {place: pair for place, *pair in zip(self._places, ends, trips, strict=True)}

    def items(self, begin: int, end: int, depth: int) -> Iterator[Item]:
        """The items of the instructions [begin, end) inside of `depth` loops."""
        at, loops = begin, self._places
        place = bisect_left(loops, begin)
        while at < end:
            stop = min(loops[place], end) if place < len(loops) else end
            if stop > at:
                asks = self._asks
                yield Code(at, stop, tuple(asks[bisect_left(asks, at) : bisect_left(asks, stop)]))
            if stop == end:
                return
            at = self._loops[stop][0]
            place = bisect_left(loops, at, place)
            yield from self._loop(stop, depth)

    def _loop(self, index: int, depth: int) -> Iterator[Loop]:
        end, trips = self._loops[index]
        body = tuple(self.items(index + 1, end, depth + 1))
        if trips and body:
            units = tuple(sorted({unit for unit in self._units[index + 1 : end].tolist() if unit >= 0}))
            yield Loop(index, end, depth, trips, body, units, any(item.asks for item in body))


def _asks(timed: TimedSection) -> dict[int, Ask]:
    columns, costs = timed.view.section.columns, timed.costs
    kinds = ASK_OF[columns["op"]]
    places = kinds.nonzero()[0]
    parts = kinds, columns["arg0"], columns["arg1"], costs.compute, costs.read, costs.write, costs.wire, costs.service
    rows = zip(*(part[places].tolist() for part in parts), strict=True)
    return dict(zip(places.tolist(), map(Ask._make, rows), strict=True))


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
