"""Keeps when the units of a core work for which instructions: what a picture of the sample is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from emu.operands.loop_tree import Code, Item, Loop
from emu.timing.fast.body import Counters, Row, SectionTree
from emu.timing.fast.observer import UNKNOWN
from emu.timing.path.requests import Requests

Piece = tuple[int, int]  # the first and the last instruction of what is told as a whole


@dataclass(slots=True)
class BusySpan:
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


class Slices(Requests):
    """After a sample `spans` are those of its units, in order of each, and `issues` cover the sample.

    Straight code is cut where the source of its instructions changes, loops without requests are told as a whole.
    """

    def __init__(self, body: SectionTree, sources: Sequence[int] = ()) -> None:
        """`sources` by instruction, or none."""
        super().__init__(body.asks)
        self.spans: list[BusySpan] = []
        self.issues: list[Issue] = []
        self._rows: Sequence[Row] = body.rows
        self._pieces = {
            index: piece for piece in pieces(body.items, sources) for index in range(piece[0], piece[1] + 1)
        }
        self._piece: Piece | None = None  # the present one
        self._first = 0  # of its spans
        self._latest: dict[int, tuple[int, int]] = {}  # by unit, its last span and instruction

    def begin(self) -> None:
        """As in Observer."""
        super().begin()
        self.spans, self.issues, self._piece, self._latest = [], [], None, {}

    def start(self, index: int, start: int, free: int, cause: int, counters: Counters) -> None:
        """As in Observer."""
        super().start(index, start, free, cause, counters)
        piece, unit = self._pieces[index], self._rows[index][1]
        if piece is not self._piece or index in self._asks:
            self._piece, self._first = piece, len(self.spans)
            self.issues.append(Issue(*piece, start))
        place, _ = self._latest.get(unit, (-1, -1))
        if place < self._first:
            place = len(self.spans)
            self.spans.append(BusySpan(unit, *piece, start, free))
        else:
            self.spans[place].end = free
        self._latest[unit] = place, index

    def release(self, unit: int, time: int) -> None:
        """As in Observer."""
        super().release(unit, time)
        self.spans[self._latest[unit][0]].end = time

    def leap(self, loop: Loop, rounds: int, period: int, before: None, now: None) -> None:
        """As in Observer."""
        for place, index in self._latest.values():
            span = self.spans[place]
            if loop.index < index < loop.end and span.end != UNKNOWN:
                span.end += rounds * period


def pieces(items: Sequence[Item], sources: Sequence[int]) -> Iterator[Piece]:
    """What is told as a whole: loops without requests, requests, and code between them as far as its source goes."""
    for item in items:
        if isinstance(item, Loop):
            yield from pieces(item.body, sources) if item.marked else [(item.index, item.end - 1)]
        else:
            yield from _of_code(item, sources)


def _of_code(code: Code, sources: Sequence[int]) -> Iterator[Piece]:
    asks = set(code.marks)
    for _, group in groupby(
        range(code.first, code.last), lambda at: (at if at in asks else -1, sources[at] if sources else 0)
    ):
        places = list(group)
        yield places[0], places[-1]
