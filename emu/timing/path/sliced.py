"""A core that also tells when its units work for which instructions: what a picture of the sample is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Block, Counters, Item, Request, Row
from emu.timing.fast.effort import Effort
from emu.timing.fast.pipeline import Known, Process, Walk
from emu.timing.path.core import TracedCore


@dataclass(frozen=True, slots=True)
class Span:
    """A unit works for the instructions [first, last] of `main` from `begin` to `end` (ps), or is kept by them."""

    unit: int
    first: int
    last: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Issue:
    """From `begin` on (ps) the core starts operations of the instructions [first, last], until the next `Issue`."""

    first: int
    last: int
    begin: int


class SlicedCore(TracedCore):
    """As `TracedCore`. After a sample `spans` are those of its units, in order of each, and `issues` cover the sample.

    Straight code is cut where the source of its instructions changes, loops without requests are told as a whole.
    """

    def __init__(self, known: Known, units: int, window: int, effort: Effort, sources: Sequence[int] = ()) -> None:
        super().__init__(known, units, window, effort)
        self.spans: list[Span] = []
        self.issues: list[Issue] = []
        self._sources = sources  # by instruction

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.spans, self.issues = [], []
        return (yield from super().sample(begin, fill))

    def _run(self, items: Sequence[Item], counters: Counters) -> Walk:
        for item in self._cut(items):
            if not isinstance(item, Block | Request) and item.asks:
                yield from super()._run([item], counters)
                continue
            self._first = {}
            yield from super()._run([item], counters)
            first, last = _range(item)
            if isinstance(item, Request):
                asked = self.requests[-1]
                self.spans.append(Span(TRANSFER, first, last, asked.record.start, asked.end))
                self.issues.append(Issue(first, last, asked.record.start))
            elif self._first:
                free = self._free
                self.spans += [Span(unit, first, last, begin, free[unit]) for unit, begin in self._first.items()]
                self.issues.append(Issue(first, last, min(self._first.values())))

    def _cut(self, items: Sequence[Item]) -> Iterator[Item]:
        for item in items:
            if isinstance(item, Block) and self._sources:
                yield from (Block(list(rows)) for _, rows in groupby(item.rows, self._source))
            else:
                yield item

    def _source(self, row: Row) -> int:
        return self._sources[row[0]]


def _range(item: Item) -> tuple[int, int]:
    """The first and the last instruction of an item."""
    if isinstance(item, Block):
        return item.rows[0][0], item.rows[-1][0]
    if isinstance(item, Request):
        return item.row[0], item.row[0]
    return item.index, item.end - 1
