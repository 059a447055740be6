"""Finds a legal schedule for a nest: the order of its statements, the loops to iterate, the regions to expand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from emu.core.batch.access import Access, Unplannable, group_accesses
from emu.core.batch.conflict import feasible
from emu.core.batch.dependence import overlapping
from emu.core.batch.distribution import Node, distribute
from emu.core.batch.expansion import Region, expand, find_region
from emu.core.batch.nest import LoopNest, NestStatement
from emu.core.batch.sums import Sums

MAX_PAIRS = 1 << 17  # of overlapping accesses; a nest with more is stepped

Member = tuple[int, int]  # position and operand of an access


@dataclass(frozen=True, slots=True)
class NestSchedule:
    """Statements in order, with loops to iterate; expanded regions, and which of them holds an access."""

    nodes: tuple[Node, ...]
    regions: tuple[Region, ...]
    members: dict[Member, int]
    sums: Sums

    def region_of(self, access: Access) -> int:
        """The number of the region that holds `access`, or -1."""
        return self.members.get((access.position, access.operand), -1)


def make_schedule(nest: LoopNest, accesses: Sequence[Access]) -> NestSchedule:
    """A legal schedule; raises Unplannable if the nest is too entangled to look for one.

    A dependence that the order of the text would reverse is answered by expanding the region that it is about; where
    that is impossible, by another order of the statements, and by iterating the loops of those in a cycle.
    """
    sums, regions = Sums(nest, accesses), list[Region]()
    members: dict[Member, int] = {}
    held = group_accesses(nest)
    refused: set[Member] = {(a.position, a.operand) for a in held}  # a group exists once
    current = [*accesses, *held]
    while True:
        pairs = list(islice(overlapping(current), MAX_PAIRS + 1))
        if len(pairs) > MAX_PAIRS:
            raise Unplannable
        offended = False
        region = None
        for a, b in pairs:
            if _in_textual_order(a, b, sums):
                continue
            offended = True
            region = _region(a, accesses, nest, members, refused)
            if region is not None:
                break
        if region is None:
            order = range(len(nest.statements))
            return NestSchedule(
                distribute(order, pairs, sums) if offended else tuple(order), tuple(regions), members, sums
            )
        members.update(dict.fromkeys(region.members, len(regions)))
        current = [
            expand(a, region, len(regions), nest.trips) if (a.position, a.operand) in region.members else a
            for a in current
        ]
        regions.append(region)


def _in_textual_order(a: Access, b: Access, sums: Sums) -> bool:
    """Whether every statement may run over all its iterations before the next one, as far as `a` and `b` go."""
    for first, second in ((a, b), (b, a)):
        if first.position > second.position and sums.relation(first, second).carried:
            return False
        if first.position == second.position and first.shape.write and sums.relation(first, second).carried:
            return False
        if a is b:
            break
    return True


def _region(
    access: Access, accesses: Sequence[Access], nest: LoopNest, members: dict[Member, int], refused: set[Member]
) -> Region | None:
    key = (access.position, access.operand)
    if key in refused or key in members:
        return None
    seed = next(a for a in accesses if (a.position, a.operand) == key)
    region = find_region(seed, accesses, nest.trips)
    if region is None:
        refused.add(key)
    return region


def refuse_half_overlaps(nest: LoopNest, statement: NestStatement, accesses: dict[int, Access]) -> None:
    """Raise Unplannable unless no iteration of `statement` has a source that half overlaps its destination."""
    slots = statement.op.slots
    for d, s in statement.op.pairs:
        dst, src = accesses[d], accesses[s]
        if dst.high <= src.low or src.high <= dst.low:
            continue
        if dst.shape.strides == src.shape.strides:
            if slots[d].half_overlaps(dst.address, slots[s], src.address):
                raise Unplannable
        elif _meet(nest, dst, src):
            raise Unplannable


def _meet(nest: LoopNest, dst: Access, src: Access) -> bool:
    variables = [
        (q - p, 0, nest.trips[loop] - 1)
        for p, q, loop in zip(dst.shape.strides, src.shape.strides, dst.shape.path, strict=True)
    ]
    variables.extend((-step, 0, count - 1) for step, count in dst.shape.axes)
    variables.extend((step, 0, count - 1) for step, count in src.shape.axes)
    return feasible(src.first - dst.first, variables, 1 - src.shape.width, dst.shape.width - 1)
