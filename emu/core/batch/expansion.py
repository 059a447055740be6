"""Scratch regions that every iteration writes before it reads: each iteration gets a copy of its own, a slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from emu.core.batch.access import SPACE, Access, access_at
from emu.core.batch.dependence import shared_levels
from emu.intervals import Intervals

ALIGNMENT = 16  # bytes: a slot keeps the alignment that its region has in local memory


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes [low, high) of local memory, expanded over the first `levels` loops of every path that touches them."""

    low: int
    high: int
    levels: int
    members: frozenset[tuple[int, int]]  # (position, operand) of the accesses

    @property
    def slot(self) -> int:
        """Bytes per slot."""
        return -(-(self.high - self.low + self.low % ALIGNMENT) // ALIGNMENT) * ALIGNMENT

    def slots(self, path: Sequence[int], trips: Sequence[int]) -> tuple[int, ...]:
        """Slots to go from one iteration to the next, per expanded loop of `path`."""
        return tuple(prod(trips[loop] for loop in path[k + 1 : self.levels]) for k in range(self.levels))

    def offset(self, address: int) -> int:
        """Where `address` stands in a slot."""
        return address - self.low + self.low % ALIGNMENT


def find_region(seed: Access, accesses: Sequence[Access], trips: Sequence[int]) -> Region | None:
    """The region around `seed` if it may be expanded, else None."""
    members = _connected(seed, accesses)
    levels = _free_levels(members)
    if levels == 0 or not all(_covered(read, members, levels, trips) for read in members if read.shape.read):
        return None
    low, high = min(a.low for a in members), max(a.high for a in members)
    return Region(low, high, levels, frozenset((a.position, a.operand) for a in members))


def expand(access: Access, region: Region, number: int, trips: Sequence[int]) -> Access:
    """`access` moved to the slots of `region`, region `number` of the nest, for tests of dependence."""
    slots = [count * region.slot for count in region.slots(access.shape.path, trips)]
    shape = access.shape._replace(strides=(*slots, *access.shape.strides[region.levels :]))
    first = region.offset(access.first) + (number + 1) * SPACE
    return access_at(access.position, access.operand, shape, access.address, first, trips)


def _connected(seed: Access, accesses: Sequence[Access]) -> list[Access]:
    low, high, size = seed.low, seed.high, 0
    members: list[Access] = []
    while True:
        members = [a for a in accesses if a.low < high and low < a.high]
        if len(members) == size:
            return members
        size = len(members)
        low, high = min(a.low for a in members), max(a.high for a in members)


def _free_levels(members: Sequence[Access]) -> int:
    """How many outer loops all members share and none of them moves in."""
    path = members[0].shape.path
    count = min(shared_levels(path, a.shape.path) for a in members)
    for access in members:
        moving = [k for k, stride in enumerate(access.shape.strides) if stride]
        count = min([count, *moving])
    return count


def _covered(read: Access, members: Sequence[Access], levels: int, trips: Sequence[int]) -> bool:
    """Whether writes that come earlier in the same iteration define every byte of `read`.

    Tried per depth: writes that share exactly the loops above it with the read, and move like it in them.
    """
    for depth in range(len(read.shape.path), levels - 1, -1):
        defined = Intervals()
        for write in members:
            if (
                write.shape.write
                and write.position < read.position
                and shared_levels(write.shape.path, read.shape.path) == depth
                and write.shape.strides[levels:depth] == read.shape.strides[levels:depth]
            ):
                defined.add(*_interval(write, depth, trips, dense=True))
        if defined.covers(*_interval(read, depth, trips)):
            return True
    return False


def _interval(access: Access, depth: int, trips: Sequence[int], dense: bool = False) -> tuple[int, int]:
    """Bytes touched at counter 0 of the loops above `depth`; `dense`: only a part that has no gap."""
    shape = access.shape
    low, high = access.first, access.first + shape.width
    moves = list(shape.axes)
    moves += [(stride, trips[loop]) for loop, stride in zip(shape.path[depth:], shape.strides[depth:], strict=True)]
    for step, count in sorted(moves, key=lambda move: abs(move[0])):
        if dense and abs(step) > high - low:
            break
        low, high = low + min(0, step * (count - 1)), high + max(0, step * (count - 1))
    return low, high
