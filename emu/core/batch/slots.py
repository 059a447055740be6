"""How the slots of a region lie in the arena: one after the other, or as the elements that they are made of lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emu.core.batch.access import Access
from emu.core.batch.expansion import Region
from emu.core.batch.nest import LoopNest, NestStatement
from emu.core.kernels.table import POINTWISE
from emu.core.operation import Slot

LARGEST_MIXED = 4 << 20  # bytes of slots that are mixed: they are all worked on at once, out of a level-3 cache

Member = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mixed:
    """Slots of `count` elements of `size` bytes each, whose elements are mixed in memory.

    `order` are the axes (slots per expanded loop, then elements) from the slowest to the fastest.
    """

    order: tuple[int, ...]
    count: int
    size: int

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Bytes from one to the next per axis: slots per expanded loop, then elements; `extents` of the loops."""
        counts, step = (*extents, self.count), self.size
        strides = [0] * len(counts)
        for axis in reversed(self.order):
            strides[axis] = step
            step *= counts[axis]
        return tuple(strides)


def mix(nest: LoopNest, region: Region, accesses: Mapping[Member, Access], direct: Sequence[Access]) -> Mixed | None:
    """How to mix the slots of `region`, if what is read or written beside it (`direct`) lies so: elements far apart.

    Then a loop over channels that works on all pixels of each, where channels lie together, goes through memory once.
    All that touches the region has to work element by element, on all of a slot.
    """
    members = [(nest.statements[position], operand) for position, operand in sorted(region.members)]
    first = members[0][0].op.slots[members[0][1]]
    path = members[0][0].path
    if len(path) != region.levels or not _touches(nest, region, path) <= LARGEST_MIXED:
        return None
    if not all(_whole(nest, statement, operand, first) and statement.path == path for statement, operand in members):
        return None
    if any(accesses[member].address != region.low for member in region.members):
        return None
    positions = {position for position, _ in region.members}
    for access in direct:
        if access.position in positions and (order := _order(nest, access, first.count)):
            return None if order[-1] == len(path) else Mixed(order, first.count, first.size)
    return None


def _touches(nest: LoopNest, region: Region, path: Sequence[int]) -> int:
    slots = region.slot
    for loop in path:
        slots *= nest.trips[loop]
    return slots


def _whole(nest: LoopNest, statement: NestStatement, operand: int, like: Slot) -> bool:
    """Whether the operand is one run of elements, as many and as large as in `like`, used element by element."""
    slots, spec = statement.op.slots, statement.op.instr.spec
    form = slots[operand].count, slots[operand].steps, slots[operand].size
    same = form == (like.count, (like.size,), like.size)
    return same and spec.kernel in POINTWISE and all(slot.shape == like.shape for slot in slots)


def _order(nest: LoopNest, access: Access, count: int) -> tuple[int, ...] | None:
    """The axes of an access, slowest first, if it moves in all of them."""
    slot = nest.statements[access.position].op.slots[access.operand]
    strides = (*access.shape.strides, *slot.steps)
    extents = (*[nest.trips[loop] for loop in access.shape.path], count)
    moving = [axis for axis, extent in enumerate(extents) if extent > 1]
    if not all(strides[axis] for axis in moving):
        return None
    still = [axis for axis in range(len(extents)) if axis not in moving]
    return (*still, *sorted(moving, key=lambda axis: -abs(strides[axis])))
