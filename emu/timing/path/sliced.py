"""A core that also tells when its units work for which instructions: what a picture of the sample is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Code, Counters, Item, Loop
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
        for item in cut(items, self._sources):
            if isinstance(item, Loop) and item.asks:
                yield from super()._run([item], counters)
                continue
            self._first = {}
            yield from super()._run([item], counters)
            first, last = place_of(item)
            if isinstance(item, Code) and item.asks:
                asked = self.requests[-1]
                self.spans.append(Span(TRANSFER, first, last, asked.record.start, asked.end))
                self.issues.append(Issue(first, last, asked.record.start))
            elif self._first:
                free = self._free
                self.spans += [Span(unit, first, last, begin, free[unit]) for unit, begin in self._first.items()]
                self.issues.append(Issue(first, last, min(self._first.values())))


def cut(items: Sequence[Item], sources: Sequence[int]) -> Iterator[Item]:
    """The items, with requests apart, and code cut where its source changes; `sources` by instruction, or none."""
    for item in items:
        if isinstance(item, Loop):
            yield item
            continue
        at = item.first
        for asks in item.asks:
            yield from _pieces(at, asks, sources)
            yield Code(asks, asks + 1, (asks,))
            at = asks + 1
        yield from _pieces(at, item.last, sources)


def _pieces(first: int, last: int, sources: Sequence[int]) -> Iterator[Code]:
    for _, group in groupby(range(first, last), lambda index: sources[index] if sources else 0):
        places = list(group)
        yield Code(places[0], places[-1] + 1)


def place_of(item: Item) -> tuple[int, int]:
    """The first and the last instruction of an item."""
    return (item.index, item.end - 1) if isinstance(item, Loop) else (item.first, item.last - 1)
