"""Builds the plan of a nest: checks the whole iteration box, finds a schedule, prepares views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from emu.core.batch.access import Access, Linear, Unplannable, make_access
from emu.core.batch.arena import Arena
from emu.core.batch.distribution import Iterate, Node
from emu.core.batch.expansion import Region
from emu.core.batch.fusion import fuse
from emu.core.batch.induction import Registers, trace
from emu.core.batch.legality import Member, Schedule, make_schedule, refuse_half_overlaps
from emu.core.batch.nest import Nest, Statement
from emu.core.batch.plan import Plan, Step
from emu.core.memory import LocalMemory

BUDGET = 1 << 20  # bytes that a chunk of iterations touches: a level-2 cache
LARGEST_ITERATION = 8 << 20  # bytes of slots for one root iteration; a nest that needs more is stepped

Accesses = Mapping[Member, Access]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where accesses go: to local memory, or to the slots of a region in the arena."""

    nest: Nest
    schedule: Schedule
    memory: LocalMemory
    arena: np.ndarray
    starts: Sequence[int]  # of the regions in the arena
    chunk: int

    def view(self, statement: Statement, operand: int, access: Access | None) -> np.ndarray:
        """The operand over all iterations (over one chunk of them, if it is expanded)."""
        slot, path = statement.op.slots[operand], statement.path
        trips = tuple([self.nest.trips[loop] for loop in path])
        if access is None:
            return np.empty((*trips, 0), slot.dtype)
        number = self.schedule.region_of(access)
        if number < 0:
            strides = (*access.shape.strides, slot.step)
            return np.ndarray((*trips, slot.count), slot.dtype, self.memory.data, access.address, strides)
        region = self.schedule.regions[number]
        moves = [count * region.slot for count in region.slots(path, self.nest.trips)]
        strides = (*moves, *access.shape.strides[region.levels :], slot.step)
        start = self.starts[number] + region.offset(access.address)
        return np.ndarray((self.chunk, *trips[1:], slot.count), slot.dtype, self.arena, start, strides)

    def copy_back(self, access: Access) -> tuple[np.ndarray, np.ndarray]:
        """For a write to a region: (local memory, slot of the last iteration)."""
        statement = self.nest.statements[access.position]
        levels = self.schedule.regions[self.schedule.region_of(access)].levels
        slot = statement.op.slots[access.operand]
        trips = [self.nest.trips[loop] for loop in statement.path[levels:]]
        strides = (*access.shape.strides[levels:], slot.step)
        target = np.ndarray((*trips, slot.count), slot.dtype, self.memory.data, access.address, strides)
        final = (self.nest.trips[0] - 1) % self.chunk
        return target, self.view(statement, access.operand, access)[(final, *[-1] * (levels - 1))]


def make_plan(nest: Nest, counters: Sequence[int], registers: Sequence[int], memory: LocalMemory, arena: Arena) -> Plan:
    """The plan of `nest` at the given outer counters and registers; raises Unplannable."""
    seen = trace(nest, registers) if nest.scalar else None
    accesses = _accesses(nest, counters, registers, seen, memory.size)
    schedule = make_schedule(nest, list(accesses.values()))
    chunk = _chunk(nest, accesses, schedule)
    sizes = [region.slot * chunk * _inner(nest, region, accesses) for region in schedule.regions]
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    layout = Layout(nest, schedule, memory, arena.take(sum(sizes)), starts, chunk)
    hidden = [a for a in accesses.values() if a.shape.write and schedule.region_of(a) >= 0]
    steps, nodes = fuse(nest, schedule.nodes, [_step(layout, statement, accesses) for statement in nest.statements])
    return Plan(
        nest,
        steps,
        nodes,
        schedule.nodes,
        chunk,
        [a for a in accesses.values() if schedule.region_of(a) < 0],
        [layout.copy_back(a) for a in hidden],
        hidden,
        seen.final if seen else (),
        any(statement.op.may_trap for statement in nest.statements),
        len(schedule.regions),
        len(_iterated(schedule.nodes)),
    )


def _iterated(nodes: Sequence[Node]) -> set[int]:
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, Iterate):
            found |= {node.loop} | _iterated(node.body)
    return found


def _accesses(
    nest: Nest, counters: Sequence[int], registers: Sequence[int], seen: Registers | None, size: int
) -> dict[Member, Access]:
    found: dict[Member, Access] = {}
    for statement in nest.statements:
        own: dict[int, Access] = {}
        values = _registers(statement, registers, seen)
        for operand, slot in enumerate(statement.op.slots):
            if slot.count:
                own[operand] = access = make_access(nest, statement, operand, counters, values)
                if access.low < 0 or access.high > size:
                    raise Unplannable
        if statement.op.pairs:
            refuse_half_overlaps(nest, statement, own)
        for operand, access in own.items():
            found[statement.position, operand] = access
    return found


def _registers(statement: Statement, registers: Sequence[int], seen: Registers | None) -> Mapping[int, Linear]:
    if seen is not None:
        return seen.seen.get(statement.position, {})
    still = (0,) * len(statement.path)
    return {a.reg: (registers[a.reg], still) for a in statement.affines if a.reg >= 0}


def _inner(nest: Nest, region: Region, accesses: Accesses) -> int:
    """Slots of a region per root iteration."""
    path = accesses[next(iter(region.members))].shape.path
    return prod(nest.trips[loop] for loop in path[1 : region.levels])


def _chunk(nest: Nest, accesses: Accesses, schedule: Schedule) -> int:
    """Root iterations per chunk: what they touch should stay in cache between statements."""
    slots = sum(region.slot * _inner(nest, region, accesses) for region in schedule.regions)
    if slots > LARGEST_ITERATION:
        raise Unplannable
    if not slots and len(nest.statements) == 1:
        return nest.trips[0]
    touched, counted = slots, set[tuple[int, tuple[int, ...], int, int]]()
    for access in accesses.values():
        shape = access.shape
        key = (access.first, shape.strides, shape.width, shape.runs)
        if schedule.region_of(access) >= 0 or key in counted:
            continue
        counted.add(key)
        moving = zip(shape.path[1:], shape.strides[1:], strict=True)
        touched += shape.width * shape.runs * prod(nest.trips[loop] for loop, step in moving if step)
    return max(1, min(BUDGET // max(touched, 1), nest.trips[0]))


def _step(layout: Layout, statement: Statement, accesses: Accesses) -> Step:
    own = [accesses.get((statement.position, k)) for k in range(len(statement.op.slots))]
    views = tuple([layout.view(statement, k, access) for k, access in enumerate(own)])
    expanded = tuple([access is not None and layout.schedule.region_of(access) >= 0 for access in own])
    kernel = layout.schedule.sums.kernel(statement) or statement.op.kernel
    assert kernel is not None  # a nest has no other instructions
    return Step(kernel, statement.path, views, expanded)
