"""The same for cores whose operations queue for ports: when a unit is free again may be known only later."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from emu.timing.basis.units import TRANSFER
from emu.timing.fast.body import Code, Counters, Item, Loop, Row
from emu.timing.fast.effort import Effort
from emu.timing.fast.pipeline import Access, Asked, Known, Process, Walk
from emu.timing.fast.ported import UNKNOWN, Operation, PortedCore
from emu.timing.path.core import Asked as Request
from emu.timing.path.record import Started, Via
from emu.timing.path.sliced import Issue, Span, cut, place_of


class SlicedPortedCore(PortedCore):
    """As `PortedCore`, with `requests`, `spans` and `issues` as in `SlicedCore`; what decided a start is not kept."""

    def __init__(
        self, known: Known, units: int, window: int, effort: Effort, ports: int, sources: Sequence[int] = ()
    ) -> None:
        super().__init__(known, units, window, effort, ports)
        self.requests: list[Request] = []
        self.spans: list[Span] = []
        self.issues: list[Issue] = []
        self._sources = sources  # by instruction
        self._whole = False  # in a loop that is told as a whole
        self._begun: dict[int, int] = {}  # by unit, the first start in the present item
        self._latest: dict[int, Operation] = {}  # by unit, the last operation of the present item
        self._open: list[tuple[int, Operation, Request | None]] = []  # spans without an end, and what ends them

    def sample(self, begin: int, fill: int) -> Process:
        """As in Pipeline."""
        self.requests, self.spans, self.issues, self._open = [], [], [], []
        end = yield from super().sample(begin, fill)
        self._tell()
        return end

    def _run(self, items: Sequence[Item], counters: Counters) -> Walk:
        if self._whole:
            yield from super()._run(items, counters)
            return
        for item in cut(items, self._sources):
            if isinstance(item, Loop) and item.asks:
                yield from super()._run([item], counters)
                continue
            self._begun, self._latest = {}, {}
            self._whole = isinstance(item, Loop)
            yield from super()._run([item], counters)
            self._whole = False
            if self._begun:
                self._note(item)

    def _note(self, item: Item) -> None:
        first, last = place_of(item)
        asked = None
        if isinstance(item, Code) and item.asks:
            started = Started(first, self._begun[TRANSFER], None, Via.FRONT, len(self.requests))
            asked = Request(started, UNKNOWN, UNKNOWN, frozenset())
            self.requests.append(asked)
        self._tell()
        for unit, operation in self._latest.items():
            self._open.append((len(self.spans), operation, asked))
            self.spans.append(Span(unit, first, last, self._begun[unit], UNKNOWN))
        self.issues.append(Issue(first, last, min(self._begun.values())))

    def _begin(self, row: Row, counters: Counters) -> Generator[Asked | int, int | Access | None, Operation]:
        operation = yield from super()._begin(row, counters)
        self._begun.setdefault(operation.unit, operation.start)
        self._latest[operation.unit] = operation
        return operation

    def shift(self, loop: Loop, time: int, turns: int) -> None:
        """As in Pipeline."""
        self._tell()  # before what has ended in an earlier visit is taken for one of this visit
        super().shift(loop, time, turns)
        for operation in self._latest.values():
            if loop.index < operation.index < loop.end and operation not in self._window:
                operation.free += time

    def _tell(self) -> None:
        """Tell the ends that are known by now."""
        unknown: list[tuple[int, Operation, Request | None]] = []
        for place, operation, asked in self._open:
            if operation.free == UNKNOWN:
                unknown.append((place, operation, asked))
                continue
            self.spans[place] = replace(self.spans[place], end=operation.free)
            if asked is not None:
                asked.read, asked.end = operation.read, operation.end
        self._open = unknown
