"""A plan: a loop nest at given outer counters as array operations over prepared views, replayed for every sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.core.batch.expansion import Region
from emu.core.batch.nest import Loop, Nest
from emu.core.fault import Fault
from emu.core.kernels.spec import Kernel
from emu.core.memory import LocalMemory, Range
from emu.core.statistics import Statistics

Index = tuple[slice | int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A statement over views [*trips, elements]; `expanded` views have one chunk of iterations as first extent."""

    kernel: Kernel
    views: tuple[np.ndarray, ...]
    expanded: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """Definedness of a statement's operands in local memory: reads to check, with their extents; writes to mark."""

    reads: tuple[tuple[Range, np.ndarray], ...]
    writes: tuple[np.ndarray, ...]


@dataclass(slots=True)
class Plan:
    """`steps` by statement; `chunk` root iterations at a time; `sequential` loops are iterated.

    `copies` are (local memory, last slot) views of expanded regions, `marks` the definedness of the former;
    `written` are the extents of all other writes. `epoch` is the sample in which definedness was last established.
    """

    nest: Nest
    steps: Sequence[Step]
    known: Sequence[Known]
    sequential: frozenset[int]
    regions: Sequence[Region]
    chunk: int
    copies: Sequence[tuple[np.ndarray, np.ndarray]]
    marks: Sequence[np.ndarray]
    written: Sequence[Range]
    may_trap: bool
    top: int
    epoch: int = -1
    _flat: list[tuple[Kernel, tuple[np.ndarray, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.chunk >= self.nest.trips[0] and not self.sequential:
            self._flat = [(step.kernel, step.views) for step in self.steps]

    def run(self, memory: LocalMemory, statistics: Statistics, epoch: int) -> bool:
        """Execute; False, with nothing changed, if an instruction would trap. Equal `epoch`s need no new check."""
        known: list[tuple[Range, np.ndarray]] = []
        if epoch != self.epoch:
            pending = self._pending(memory)
            known = save(memory.defined, self.written) if pending or self.may_trap else []
            if not self._establish(pending):
                restore(memory.defined, known)
                return False
        data = save(memory.data, self.written) if self.may_trap else []
        try:
            statistics.kernels += self._execute()
        except Fault:
            restore(memory.data, data)
            restore(memory.defined, known)
            return False
        for target, source in self.copies:
            target[...] = source
        if epoch != self.epoch:
            for mark in self.marks:
                mark[...] = True
            memory.top = max(memory.top, self.top)
        self.epoch = epoch
        statistics.units += 1
        return True

    def _execute(self) -> int:
        if self._flat:
            for kernel, views in self._flat:
                kernel(*views)
            return len(self._flat)
        count = 0
        for start in range(0, self.nest.trips[0], self.chunk):
            stop = min(start + self.chunk, self.nest.trips[0])
            for position, index in self._order(slice(start, stop)):
                step = self.steps[position]
                local = (slice(0, stop - start), *index[1:])
                step.kernel(*[view[local if e else index] for view, e in zip(step.views, step.expanded, strict=True)])
                count += 1
        return count

    def _order(self, root: slice) -> Iterator[tuple[int, Index]]:
        """Statements in the order of execution, each with the index of its views."""
        return self._walk(self.nest.root, (root,))

    def _walk(self, loop: Loop, index: Index) -> Iterator[tuple[int, Index]]:
        for child in loop.body:
            if not isinstance(child, Loop):
                yield child.position, index
            elif child.ident in self.sequential:
                for counter in range(self.nest.trips[child.ident]):
                    yield from self._walk(child, (*index, counter))
            else:
                yield from self._walk(child, (*index, slice(None)))

    def _pending(self, memory: LocalMemory) -> dict[int, list[np.ndarray]]:
        """By statement, the reads of bytes that are not all defined yet."""
        found: dict[int, list[np.ndarray]] = {}
        for position, known in enumerate(self.known):
            views = [view for (low, high), view in known.reads if not memory.all_defined(low, high)]
            if views:
                found[position] = views
        return found

    def _establish(self, pending: dict[int, list[np.ndarray]]) -> bool:
        """Mark the writes; whether the `pending` reads, in the order of execution, find their bytes defined."""
        if not pending:
            for known in self.known:
                for view in known.writes:
                    view[...] = True
            return True
        for position, index in self._order(slice(None)):
            if not all(view[index].all() for view in pending.get(position, ())):
                return False
            for view in self.known[position].writes:
                view[index] = True
        return True


def save(array: np.ndarray, ranges: Sequence[Range]) -> list[tuple[Range, np.ndarray]]:
    """Copies of the given byte ranges."""
    return [((low, high), array[low:high].copy()) for low, high in ranges]


def restore(array: np.ndarray, saved: Sequence[tuple[Range, np.ndarray]]) -> None:
    """Put saved ranges back."""
    for (low, high), content in saved:
        array[low:high] = content
