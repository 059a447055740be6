"""A core, cycle by cycle: the dispatcher, the reorder buffer and the units, as they are built.

Fetch, decode and dispatch are one rigid pipeline: instruction i is in the dispatcher from cycle D(i) on, leaves it in
cycle I(i), D(i + 1) = I(i) + 1, D(0) = 2. Scalar instructions only pass, but not while the reorder buffer is full.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from emu.interop.pim_isa.isa import PimUnit
from emu.interop.pim_isa.timing.decode import DecodeStage
from emu.interop.pim_isa.timing.kernel import ClockedQueue, Process
from emu.interop.pim_isa.timing.memory import MemoryPort
from emu.interop.pim_isa.timing.network import MessageQueues
from emu.interop.pim_isa.timing.setup import CoreSetup
from emu.interop.pim_isa.timing.units import CostRows, started

FIRST = 2  # the cycle in which instruction 0 is in the dispatcher
NEVER = -1

Range = tuple[int, int]  # first and last byte, both inside


@dataclass(slots=True)
class ReorderEntry:
    """An operation in the reorder buffer."""

    row: int
    reads: list[Range]
    writes: list[Range]
    done: bool = False


class StepCore:
    """One core; `edge` is called at every clock edge that it asked for, and those are all that can change anything."""

    def __init__(self, setup: CoreSetup, kernel: ClockedQueue, network: MessageQueues, window: int) -> None:
        self.number, self.kernel, self.network = setup.number, kernel, network
        self.rows, self.port = CostRows(setup.costs), MemoryPort()
        self.memory_node, self.period = setup.memory_node, setup.period
        self.finish_edge = NEVER
        self._window, self._count = window, setup.columns.count
        self.decode = DecodeStage(setup.columns, setup.name)
        self._rob: deque[ReorderEntry] = deque()
        self._running: dict[int, ReorderEntry] = {}  # by row: those of it that have not ended
        self._entering: ReorderEntry | None = None  # dispatched in the last cycle
        self._retiring: list[int] = []  # rows whose end is seen in this cycle, in order
        self._free = {PimUnit.VECTOR: True, PimUnit.TRANSFER: True}
        self._ended: dict[int, list[int]] = {}  # by edge: rows of these two units
        self._group_free = [0] * setup.groups  # the edge since which it is; NEVER while it works
        self._group_ends: dict[int, list[int]] = {}  # by edge: groups
        self._waiting_product: ReorderEntry | None = None  # the one place in front of the array groups
        self._product_since = 0
        self._products_ended: deque[int] = deque()
        self._product_edges: set[int] = set()
        self._place = -1  # of the instruction in the dispatcher
        self._next_row = 0
        self._since = 1  # D of it
        self._pending: ReorderEntry | None = None
        if self._count:
            self._advance(FIRST, FIRST - 1)

    @property
    def at(self) -> int:
        """The oldest instruction that has not ended."""
        return self.rows.index[self._rob[0].row] if self._rob else self._place

    @property
    def over(self) -> bool:
        """Whether all instructions have passed and ended."""
        return self._place >= self._count - (self._count == 0) and not self._rob and self._entering is None

    def finished(self, row: int, edge: int) -> None:
        """A unit has ended `row`; it counts from `edge` on."""
        if self.rows.unit[row] == PimUnit.MATRIX:
            self._group_ends.setdefault(edge, []).append(self.rows.group[row])
            self._products_ended.append(row)
            self._product_edges.add(edge)
        else:
            self._ended.setdefault(edge, []).append(row)
        self.kernel.at_edge(edge, self.number)

    def edge(self, edge: int) -> Iterator[Process]:
        """The clock edge with this number; the units that it starts."""
        products = list(self._start_product(edge))  # yielded last: units start in the order vector, transfer, groups
        yield from self._insert(edge)
        self._retire(edge)
        self._end(edge)
        self._dispatch(edge)
        yield from products

    def _start_product(self, edge: int) -> Iterator[Process]:
        entry = self._waiting_product
        if entry is None or self._product_since >= edge:
            return
        group = self.rows.group[entry.row]
        if NEVER < self._group_free[group] < edge:
            self._group_free[group] = NEVER
            self._waiting_product = None
            yield started(self, entry.row)

    def _insert(self, edge: int) -> Iterator[Process]:
        entry, self._entering = self._entering, None
        if entry is None:
            return
        self._rob.append(entry)
        self._running[entry.row] = entry
        unit = self.rows.unit[entry.row]
        if unit == PimUnit.MATRIX:
            self._waiting_product, self._product_since = entry, edge
            self.kernel.at_edge(edge + 1, self.number)
        else:
            self._free[PimUnit(unit)] = False
            yield started(self, entry.row)

    def _retire(self, edge: int) -> None:
        for row in self._retiring:
            self._running.pop(row).done = True
        self._retiring = []
        while self._rob and self._rob[0].done:
            row = self._rob.popleft().row
            if self.rows.index[row] == self._count - 1:
                self.finish_edge = edge

    def _end(self, edge: int) -> None:
        """Units that are free again from this edge on; one product per cycle goes on to the reorder buffer."""
        for group in self._group_ends.pop(edge, ()):
            self._group_free[group] = edge
        if edge in self._product_edges:
            self._product_edges.remove(edge)
            if self._products_ended:
                self._retiring.append(self._products_ended.popleft())
                self._product_edges.add(edge + 1)
        rows = sorted(self._ended.pop(edge, ()), key=lambda row: self.rows.unit[row])
        for row in rows:
            self._free[PimUnit(self.rows.unit[row])] = True
        self._retiring += rows
        if self._retiring or (self._waiting_product is not None and self._group_ready(edge)):
            self.kernel.at_edge(edge + 1, self.number)

    def _dispatch(self, cycle: int) -> None:
        """What leaves the dispatcher in this cycle."""
        if self._place >= self._count or cycle < self._since or len(self._rob) >= self._window:
            return
        entry = self._pending
        if entry is None or (self._ready(entry, cycle) and not self._conflicts(entry)):
            self._entering = entry
            if entry is not None:
                self.kernel.at_edge(cycle + 1, self.number)
            self._advance(cycle + 1, cycle)

    def _advance(self, arrival: int, left: int) -> None:
        """The next instruction is in the dispatcher from cycle `arrival` on; the one before it left in cycle `left`."""
        held = left - self._since if self._place >= 0 else 0
        self._place += 1
        self._since = arrival
        if self._place >= self._count:
            self.decode.leave()
            return
        self.decode.enter(self._place, held)
        self._pending = None
        rows = self.rows
        if self._next_row < rows.count and rows.index[self._next_row] == self._place:
            self._pending = self._entry(self._next_row)
            self._next_row += 1
        self.kernel.at_edge(arrival, self.number)

    def _entry(self, row: int) -> ReorderEntry:
        rows = self.rows
        rd, rs1, rs2, _, _ = self.decode.values
        reads, writes = [], []
        for ranges, register, offset, size in (
            (reads, rs1, rows.rs1_offset[row], rows.rs1_bytes[row]),
            (reads, rs2, rows.rs2_offset[row], rows.rs2_bytes[row]),
            (writes, rd, rows.rd_offset[row], rows.rd_bytes[row]),
        ):
            if size >= 0:
                ranges.append((register + offset, register + offset + size))
        return ReorderEntry(row, reads, writes)

    def _ready(self, entry: ReorderEntry, cycle: int) -> bool:
        unit = self.rows.unit[entry.row]
        if unit == PimUnit.MATRIX:
            return self._waiting_product is None or self._group_ready(cycle)
        return self._free[PimUnit(unit)]

    def _group_ready(self, cycle: int) -> bool:
        """Whether the group that the waiting product needs is free in this cycle."""
        assert self._waiting_product is not None
        return NEVER < self._group_free[self.rows.group[self._waiting_product.row]] <= cycle

    def _conflicts(self, entry: ReorderEntry) -> bool:
        """Writes against reads, and reads against writes, of what has not ended; not writes against writes."""
        return any(
            _overlap(entry.writes, other.reads) or _overlap(entry.reads, other.writes)
            for other in self._running.values()
        )


def _overlap(some: list[Range], others: list[Range]) -> bool:
    return any(first <= end and begin <= last for first, last in some for begin, end in others)
