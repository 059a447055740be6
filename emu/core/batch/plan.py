"""A plan: a loop nest, at given counters of the loops around it, as array operations repeated for every sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.blueprint import Blueprint
from emu.core.batch.coverage import bytes_view
from emu.core.batch.distribution import Iterate, Node
from emu.core.batch.nest import LoopNest
from emu.core.batch.settled import Noted
from emu.core.batch.span import Span
from emu.core.batch.units import KernelAt
from emu.core.crossbars.fault import Fault
from emu.core.kernels.spec import Call, Kernel, bound
from emu.core.memory import LocalMemory, Range
from emu.core.statistics import Statistics

_READ, _WRITE = attrgetter("read"), attrgetter("write")
MAX_CALLS = 1 << 14  # of one plan, kept with their views; longer plans cut their views every time


@dataclass(frozen=True, slots=True)
class KernelStep:
    """A kernel over views [*trips of `path`, elements]; `expanded`: the first extent is one chunk of iterations.

    `kernel_at`, if there is one, makes the kernel for the iterations at hand.
    """

    kernel: Kernel
    kernel_at: KernelAt | None
    path: tuple[int, ...]
    views: tuple[np.ndarray, ...]
    expanded: tuple[bool, ...]


@dataclass(slots=True)
class NestPlan:
    """`steps` by the numbers in the nodes of the blueprint; `spans` at `addresses` are the accesses.

    `copies` put last slots of expanded regions into local memory; `registers` are set at the end. `epoch` is the
    sample in which definedness was last established.
    """

    nest: LoopNest
    blueprint: Blueprint
    steps: Sequence[KernelStep]
    spans: Sequence[Span]
    addresses: Sequence[int]
    copies: Sequence[Call]
    registers: Sequence[tuple[int, int]]
    epoch: int = -1
    _calls: Sequence[Call] | None = None

    def run(self, memory: LocalMemory, statistics: Statistics, epoch: int) -> bool:
        """Execute; False, with nothing changed, if an instruction would trap. Equal `epoch`s need no new check."""
        known: list[tuple[Range, np.ndarray]] = []
        if epoch != self.epoch and not self._reads_defined(memory):
            known = save(memory.defined, self._written())
            if not self._establish(memory):
                restore(memory.defined, known)
                return False
        data = save(memory.data, self._written()) if self.blueprint.may_trap else []
        try:
            statistics.kernels += self._execute()
        except Fault:
            restore(memory.data, data)
            restore(memory.defined, known)
            return False
        for copy in self.copies:
            copy()
        if epoch != self.epoch:
            self._mark(memory)
        self.epoch = epoch
        statistics.units += 1
        return True

    @property
    def noted(self) -> Noted:
        """All that it has done; with calls if they are the same every time: none can trap, and they are kept."""
        accesses = self._accesses(range(len(self.spans)))
        reads, writes = ([(a.low, a.high) for a in accesses if wanted(a.shape)] for wanted in (_READ, _WRITE))
        pure = all(statement.op.instr.spec.crossbar is None for statement in self.nest.statements)
        if self.blueprint.may_trap or self.nest.scalar or self._calls is None:
            return Noted(None, reads, writes, pure)
        return Noted([*self._calls, *self.copies], reads, writes, pure)

    def _reads_defined(self, memory: LocalMemory) -> bool:
        for number in self.blueprint.reads:
            address, span = self.addresses[number], self.spans[number]
            if not memory.all_defined(address + span.low, address + span.high):
                return False
        return True

    def _mark(self, memory: LocalMemory) -> None:
        for number, marks in self.blueprint.marks:
            address = self.addresses[number]
            if marks is None:
                (access,) = self._accesses([number])
                memory.mark_map(bytes_view(memory.defined, access, self.nest.trips), access.high)
                continue
            for offset, width, step, count in marks:
                memory.mark_runs(address + offset, width, step, count)

    def _accesses(self, numbers: Iterable[int]) -> list[Access]:
        return [self.spans[k].at(self.addresses[k]) for k in numbers]

    def _written(self) -> list[Range]:
        writes = [(self.addresses[k], self.spans[k]) for k in self.blueprint.direct if self.spans[k].shape.write]
        return [(address + span.low, address + span.high) for address, span in writes]

    def _execute(self) -> int:
        if self._calls is not None:
            for call in self._calls:
                call()
            return len(self._calls)
        calls: list[Call] = []
        count = 0
        for call in self._cut():
            call()
            count += 1
            if count <= MAX_CALLS:
                calls.append(call)
        if count <= MAX_CALLS:
            self._calls = calls
        return count

    def _cut(self) -> Iterator[Call]:
        """Kernels with their views, in the order of execution."""
        trips, whole = self.nest.trips[0], slice(None)
        for start in range(0, trips, self.blueprint.chunk):
            stop = min(start + self.blueprint.chunk, trips)
            chunk = range(start, stop)
            for number, at in _walk(self.blueprint.nodes, {}, self.nest.trips, chunk):
                step = self.steps[number]
                kernel = step.kernel if step.kernel_at is None else step.kernel_at(at, chunk)
                if not at and stop - start == trips:
                    yield bound(kernel, step.views)
                    continue
                root, inner = at.get(0), [at.get(loop, whole) for loop in step.path[1:]]
                direct = (slice(start, stop) if root is None else root, *inner)
                if True not in step.expanded:
                    yield bound(kernel, [view[direct] for view in step.views])
                    continue
                local = (slice(0, stop - start) if root is None else root - start, *inner)
                views = [view[local if e else direct] for view, e in zip(step.views, step.expanded, strict=True)]
                yield bound(kernel, views)

    def _establish(self, memory: LocalMemory) -> bool:
        """Mark written bytes as defined, in order of execution; False once a read finds a byte that is not defined."""
        trips, known = self.nest.trips, memory.defined
        reads: dict[int, list[np.ndarray]] = {}
        writes: dict[int, list[np.ndarray]] = {}
        for access in self._accesses(self.blueprint.direct):
            view = bytes_view(known, access, trips)
            if access.shape.read and not memory.all_defined(access.low, access.high):
                reads.setdefault(access.position, []).append(view)
            if access.shape.write:
                writes.setdefault(access.position, []).append(view)
        for position, at in _walk(self.blueprint.order, {}, trips, range(trips[0])):
            index = tuple([at.get(loop, slice(None)) for loop in self.nest.statements[position].path])
            if not all(view[index].all() for view in reads.get(position, ())):
                return False
            for view in writes.get(position, ()):
                view[index] = True
        return True


def _walk(
    nodes: Sequence[Node], at: Mapping[int, int], trips: Sequence[int], root: range
) -> Iterator[tuple[int, Mapping[int, int]]]:
    """Steps in the order of execution, with the counters of the iterated loops; the root runs over `root`."""
    for node in nodes:
        if not isinstance(node, Iterate):
            yield node, at
            continue
        steps = [inner for inner in node.body if not isinstance(inner, Iterate)]
        for counter in root if node.loop == 0 else range(trips[node.loop]):
            inside = {**at, node.loop: counter}
            if len(steps) < len(node.body):
                yield from _walk(node.body, inside, trips, root)
                continue
            for inner in steps:  # without a generator of their own: this is where long recurrences spend their time
                yield inner, inside


def save(array: np.ndarray, ranges: Sequence[Range]) -> list[tuple[Range, np.ndarray]]:
    """Copies of the byte `ranges` [low, high) of `array`, one byte per element: (range, uint8 or bool [high - low])."""
    return [((low, high), array[low:high].copy()) for low, high in ranges]


def restore(array: np.ndarray, saved: Sequence[tuple[Range, np.ndarray]]) -> None:
    """Put ranges that `save` copied back into `array`, one byte per element."""
    for (low, high), content in saved:
        array[low:high] = content
