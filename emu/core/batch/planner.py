"""Builds the plan of a nest: checks the whole iteration box, finds a schedule, prepares views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from emu.core.batch.access import Access, Unplannable, make_access
from emu.core.batch.arena import Arena
from emu.core.batch.expansion import Region
from emu.core.batch.legality import Schedule, make_schedule, refuse_half_overlaps
from emu.core.batch.nest import Nest, Statement
from emu.core.batch.plan import Known, Plan, Step
from emu.core.memory import LocalMemory

BUDGET = 1 << 20  # bytes that a chunk of iterations touches: a level-2 cache
LARGEST_ITERATION = 8 << 20  # bytes of slots for one root iteration; a nest that needs more is stepped


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where accesses go: to local memory, or to the slots of a region in the arena."""

    nest: Nest
    schedule: Schedule
    memory: LocalMemory
    arena: np.ndarray
    starts: Sequence[int]  # of the regions in the arena
    chunk: int

    def trips(self, path: Sequence[int]) -> tuple[int, ...]:
        """Extents of the iteration axes."""
        return tuple(self.nest.trips[loop] for loop in path)

    def direct(self, statement: Statement, access: Access) -> np.ndarray:
        """The view of an operand in local memory."""
        slot = statement.op.slots[access.operand]
        shape, strides = (*self.trips(statement.path), slot.count), (*access.shape.strides, slot.step)
        return self.memory.view(slot.dtype, access.address, shape, strides)

    def known(self, statement: Statement, access: Access) -> np.ndarray:
        """The view of the definedness of the same bytes."""
        shape, trips = access.shape, self.trips(statement.path)
        extents, strides = (*trips, shape.runs, shape.width), (*shape.strides, shape.run_step, 1)
        return np.ndarray(extents, np.bool_, self.memory.defined, access.first, strides)

    def slots(self, statement: Statement, access: Access, number: int) -> np.ndarray:
        """The view of an operand in the slots of region `number`, one chunk long."""
        region = self.schedule.regions[number]
        slot = statement.op.slots[access.operand]
        trips = (self.chunk, *self.trips(statement.path[1:]))
        moves = [count * region.slot for count in region.slots(statement.path, self.nest.trips)]
        strides = (*moves, *access.shape.strides[region.levels :], slot.step)
        start = self.starts[number] + region.offset(access.address)
        return np.ndarray((*trips, slot.count), slot.dtype, self.arena, start, strides)

    def last(self, view: np.ndarray, levels: int) -> np.ndarray:
        """The slot of the last iteration in a view of slots."""
        final = (self.nest.trips[0] - 1) % self.chunk
        return view[(final, *[-1] * (levels - 1))]


def make_plan(nest: Nest, counters: list[int], registers: list[int], memory: LocalMemory, arena: Arena) -> Plan:
    """The plan of `nest` at the given outer counters and registers; raises Unplannable."""
    accesses = _accesses(nest, counters, registers, memory.size)
    schedule = make_schedule(nest, list(accesses.values()))
    chunk = _chunk(nest, accesses, schedule)
    sizes = [region.slot * chunk * _inner(nest, region, accesses) for region in schedule.regions]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    layout = _Layout(nest, schedule, memory, arena.take(sum(sizes)), starts, chunk)
    direct = [a for a in accesses.values() if schedule.region_of(a) < 0]
    hidden = [a for a in accesses.values() if schedule.region_of(a) >= 0 and a.shape.write]
    copies, marks = _copies(layout, hidden)
    return Plan(
        nest,
        [_step(layout, statement, accesses) for statement in nest.statements],
        [_known(layout, statement, direct) for statement in nest.statements],
        schedule.sequential,
        schedule.regions,
        chunk,
        copies,
        marks,
        [(a.low, a.high) for a in direct if a.shape.write],
        any(statement.op.may_trap for statement in nest.statements),
        max((a.high for a in accesses.values() if a.shape.write), default=0),
    )


def _accesses(nest: Nest, counters: list[int], registers: list[int], size: int) -> dict[tuple[int, int], Access]:
    found: dict[tuple[int, int], Access] = {}
    for statement in nest.statements:
        own: dict[int, Access] = {}
        for operand, slot in enumerate(statement.op.slots):
            if slot.count:
                own[operand] = access = make_access(nest, statement, operand, counters, registers)
                if access.low < 0 or access.high > size:
                    raise Unplannable
        refuse_half_overlaps(nest, statement, own)
        found.update({(statement.position, operand): access for operand, access in own.items()})
    return found


def _inner(nest: Nest, region: Region, accesses: dict[tuple[int, int], Access]) -> int:
    """Slots of a region per root iteration."""
    path = accesses[next(iter(region.members))].shape.path
    return prod(nest.trips[loop] for loop in path[1 : region.levels])


def _chunk(nest: Nest, accesses: dict[tuple[int, int], Access], schedule: Schedule) -> int:
    """Root iterations per chunk: what they touch should stay in cache between statements."""
    slots = sum(region.slot * _inner(nest, region, accesses) for region in schedule.regions)
    if slots > LARGEST_ITERATION:
        raise Unplannable
    if not slots and len(nest.statements) == 1:
        return nest.trips[0]
    touched = slots
    for access in accesses.values():
        if schedule.region_of(access) < 0:
            moving = zip(access.shape.path[1:], access.shape.strides[1:], strict=True)
            touched += access.shape.width * access.shape.runs * prod(nest.trips[loop] for loop, step in moving if step)
    return max(1, min(BUDGET // max(touched, 1), nest.trips[0]))


def _step(layout: _Layout, statement: Statement, accesses: dict[tuple[int, int], Access]) -> Step:
    views: list[np.ndarray] = []
    expanded: list[bool] = []
    for operand, slot in enumerate(statement.op.slots):
        access = accesses.get((statement.position, operand))
        number = -1 if access is None else layout.schedule.region_of(access)
        if access is None:
            views.append(np.empty((*layout.trips(statement.path), 0), slot.dtype))
        elif number < 0:
            views.append(layout.direct(statement, access))
        else:
            views.append(layout.slots(statement, access, number))
        expanded.append(number >= 0)
    assert statement.op.kernel is not None  # a nest has no other instructions
    return Step(statement.op.kernel, tuple(views), tuple(expanded))


def _known(layout: _Layout, statement: Statement, direct: Sequence[Access]) -> Known:
    own = [(access, layout.known(statement, access)) for access in direct if access.position == statement.position]
    reads = tuple(((a.low, a.high), view) for a, view in own if a.shape.read)
    return Known(reads, tuple(view for a, view in own if a.shape.write))


def _copies(layout: _Layout, hidden: Sequence[Access]) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[np.ndarray]]:
    """(local memory, last slot) for every write to a region, and the definedness of the former."""
    copies: list[tuple[np.ndarray, np.ndarray]] = []
    marks: list[np.ndarray] = []
    for access in hidden:
        statement = layout.nest.statements[access.position]
        number = layout.schedule.region_of(access)
        levels = layout.schedule.regions[number].levels
        slots = layout.slots(statement, access, number)
        first = (0,) * levels
        copies.append((layout.direct(statement, access)[first], layout.last(slots, levels)))
        marks.append(layout.known(statement, access)[first])
    return copies, marks
