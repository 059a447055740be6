"""A plan without addresses: reused wherever the operands of a nest overlap in the same way and the same order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from emu.core.batch.access import Access, Unplannable
from emu.core.batch.coverage import Marks, marks_of, reads_to_check
from emu.core.batch.distribution import Iterate, Node
from emu.core.batch.expansion import Region
from emu.core.batch.fusion import fuse
from emu.core.batch.legality import Member, NestSchedule, make_schedule, refuse_half_overlaps
from emu.core.batch.nest import LoopNest, NestStatement
from emu.core.batch.slots import Mixed, mix
from emu.core.batch.views import StepSpec, ViewSpec
from emu.core.operation import RAW
from emu.intervals import Intervals
from emu.operands.runs import Axis

BUDGET = 1 << 21  # bytes that a chunk of iterations touches: near a level-2 cache; a BLAS packs weights for each chunk
LARGEST_ITERATION = 8 << 20  # bytes of slots for one root iteration; a nest that needs more is stepped

Accesses = Mapping[Member, Access]
Copy = tuple[ViewSpec, ViewSpec]  # target, source


@dataclass(frozen=True, slots=True)
class Blueprint:
    """What `plan.Plan` is made from. Accesses are numbered in textual order."""

    steps: Sequence[StepSpec]
    nodes: tuple[Node, ...]
    order: tuple[Node, ...]  # the same by statement
    chunk: int
    arena: int  # bytes
    copies: Sequence[Copy]
    direct: frozenset[int]  # accesses to local memory
    reads: Sequence[int]  # accesses whose definedness is not established by the nest itself
    marks: Sequence[tuple[int, Marks]]  # what is defined afterwards, relative to the address of an access
    may_trap: bool
    regions: int
    sequential: int


def make_blueprint(nest: LoopNest, accesses: Sequence[Access]) -> Blueprint:
    """Analyse `nest` with these accesses; raises Unplannable."""
    by_member = {(a.position, a.operand): a for a in accesses}
    for statement in nest.statements:
        if statement.op.pairs:
            own = {k: by_member[statement.position, k] for pair in statement.op.pairs for k in pair}
            refuse_half_overlaps(nest, statement, own)
    schedule = make_schedule(nest, accesses)
    beside = [a for a in accesses if schedule.region_of(a) < 0]
    mixed = [mix(nest, region, by_member, beside) for region in schedule.regions]
    # Mixed slots are used all at once: a part of them would again lie far apart.
    chunk = nest.trips[0] if mixed and all(mixed) else _chunk(nest, by_member, schedule)
    sizes = [region.slot * chunk * _inner(nest, region, by_member) for region in schedule.regions]
    layout = _Layout(nest, schedule, by_member, {key: k for k, key in enumerate(by_member)}, sizes, mixed, chunk)
    direct = frozenset(k for k, a in enumerate(accesses) if schedule.region_of(a) < 0)
    steps, nodes = fuse(nest, by_member, schedule.nodes, [layout.step(statement) for statement in nest.statements])
    return Blueprint(
        steps,
        nodes,
        schedule.nodes,
        chunk,
        sum(sizes),
        layout.copies([a for a in accesses if a.shape.write and schedule.region_of(a) >= 0]),
        direct,
        reads_to_check(accesses, direct),
        marks_of(nest, accesses),
        any(statement.op.may_trap for statement in nest.statements),
        len(schedule.regions),
        len(_iterated(schedule.nodes)),
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where accesses go: to local memory, or to the slots of a region in the arena."""

    nest: LoopNest
    schedule: NestSchedule
    accesses: Accesses
    numbers: Mapping[Member, int]
    sizes: Sequence[int]  # of the regions, one after the other in the arena
    mixed: Sequence[Mixed | None]  # by region
    chunk: int

    def step(self, statement: NestStatement) -> StepSpec:
        """The views of a statement over all iterations (over one chunk of them, if they are expanded)."""
        own = [self.accesses.get((statement.position, k)) for k in range(len(statement.op.slots))]
        views = tuple([self._view(statement, k, access) for k, access in enumerate(own)])
        expanded = tuple([access is not None and self.schedule.region_of(access) >= 0 for access in own])
        kernel = self.schedule.sums.kernel(statement)
        return StepSpec(statement.position, kernel, statement.path, views, expanded)

    def _view(self, statement: NestStatement, operand: int, access: Access | None) -> ViewSpec:
        slot, path = statement.op.slots[operand], statement.path
        trips = tuple([self.nest.trips[loop] for loop in path])
        if access is None:
            return ViewSpec(slot.dtype, (*trips, *slot.shape), (0,) * (len(trips) + len(slot.shape)), 0, 0)
        number = self.schedule.region_of(access)
        if number < 0:
            strides = (*access.shape.strides, *slot.steps)
            return ViewSpec(slot.dtype, (*trips, *slot.shape), strides, self._number(access), 0)
        region, mixed = self.schedule.regions[number], self.mixed[number]
        if mixed:
            extents = (self.chunk, *trips[1:])
            return ViewSpec(slot.dtype, (*extents, *slot.shape), mixed.strides(extents), -1, sum(self.sizes[:number]))
        moves = [count * region.slot for count in region.slots(path, self.nest.trips)]
        strides = (*moves, *access.shape.strides[region.levels :], *slot.steps)
        start = sum(self.sizes[:number]) + region.offset(access.address)
        return ViewSpec(slot.dtype, (self.chunk, *trips[1:], *slot.shape), strides, -1, start)

    def _number(self, access: Access) -> int:
        return self.numbers[access.position, access.operand]

    def copies(self, hidden: Sequence[Access]) -> list[Copy]:
        """Copies from the slots of the last iteration back to local memory; adjacent writes share one copy."""
        copies: list[Copy] = []
        dense: dict[int, Intervals] = {}  # by region
        by_start: dict[tuple[int, int], Copy] = {}
        for access in hidden:
            copy = self._copy_back(access)
            if copy[0].shape[1:] or any(part.strides[0] != part.dtype.itemsize for part in copy):
                copies.append(copy)
                continue
            number, end = self.schedule.region_of(access), access.address + copy[0].shape[0] * copy[0].strides[0]
            dense.setdefault(number, Intervals()).add(access.address, end)
            by_start[number, access.address] = copy
        for number, spans in sorted(dense.items()):
            for low, high in spans:
                target, last = by_start[number, low]
                whole = {"dtype": RAW, "shape": (high - low,), "strides": (1,)}
                copies.append((replace(target, **whole), replace(last, **whole)))
        return copies

    def _copy_back(self, access: Access) -> Copy:
        """For a write to a region: (local memory, slot of the last iteration)."""
        statement = self.nest.statements[access.position]
        levels = self.schedule.regions[self.schedule.region_of(access)].levels
        slots = self._view(statement, access.operand, access)
        shape, strides = slots.shape[levels:], slots.strides[levels:]
        final = [(self.nest.trips[0] - 1) % self.chunk, *[extent - 1 for extent in slots.shape[1:levels]]]
        offset = slots.offset + sum(k * stride for k, stride in zip(final, slots.strides[:levels], strict=True))
        last = ViewSpec(slots.dtype, shape, strides, -1, offset)
        own = (*access.shape.strides[levels:], *statement.op.slots[access.operand].steps)
        return ViewSpec(slots.dtype, shape, own, self._number(access), 0), last


def _iterated(nodes: Sequence[Node]) -> set[int]:
    loops: set[int] = set()
    for node in nodes:
        if isinstance(node, Iterate):
            loops |= {node.loop} | _iterated(node.body)
    return loops


def _inner(nest: LoopNest, region: Region, accesses: Accesses) -> int:
    """Slots of a region per root iteration."""
    path = accesses[next(iter(region.members))].shape.path
    return prod(nest.trips[loop] for loop in path[1 : region.levels])


def _chunk(nest: LoopNest, accesses: Accesses, schedule: NestSchedule) -> int:
    """Root iterations per chunk: what they touch should stay in cache between statements."""
    slots = sum(region.slot * _inner(nest, region, accesses) for region in schedule.regions)
    if slots > LARGEST_ITERATION:
        raise Unplannable
    if not slots and len(nest.statements) == 1:
        return nest.trips[0]
    touched, counted = slots, set[tuple[int, tuple[int, ...], int, tuple[Axis, ...]]]()
    for access in accesses.values():
        shape = access.shape
        key = (access.first, shape.strides, shape.width, shape.axes)
        if schedule.region_of(access) >= 0 or key in counted:
            continue
        counted.add(key)
        moving = zip(shape.path[1:], shape.strides[1:], strict=True)
        touched += (
            shape.width
            * prod(count for _, count in shape.axes)
            * prod(nest.trips[loop] for loop, step in moving if step)
        )
    return max(1, min(BUDGET // max(touched, 1), nest.trips[0]))
