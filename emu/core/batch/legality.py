"""From accesses to a schedule: which loops are sequential and which regions are expanded, or no proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from emu.core.batch.access import Access, Unplannable
from emu.core.batch.conflict import feasible
from emu.core.batch.dependence import offending_loop, overlapping
from emu.core.batch.expansion import Region, expand, find_region
from emu.core.batch.nest import Nest, Statement
from emu.core.checks import half_overlap

ROOT = 0


@dataclass(slots=True)
class Schedule:
    """Loops that execution iterates, and regions that it expands (with the accesses that go to each)."""

    sequential: frozenset[int] = frozenset()
    regions: list[Region] = field(default_factory=list)

    def region_of(self, access: Access) -> int:
        """The number of the region that holds `access`, or -1."""
        key = (access.position, access.operand)
        return next((number for number, region in enumerate(self.regions) if key in region.members), -1)


def make_schedule(nest: Nest, accesses: Sequence[Access]) -> Schedule:
    """A legal schedule in which the root is vectorised; raises Unplannable if none is found.

    Each conflict is answered by expanding the region that it is about, else by iterating the loop that carries it.
    """
    schedule, refused = Schedule(), set[tuple[int, int]]()
    current = list(accesses)
    while True:
        offence = _first_offence(nest, current, schedule.sequential)
        if offence is None:
            return schedule
        access, loop = offence
        region = _region(nest, access, accesses, schedule, refused)
        if region is not None:
            number = len(schedule.regions)
            schedule.regions.append(region)
            current = [
                expand(a, region, number, nest.trips) if (a.position, a.operand) in region.members else a
                for a in current
            ]
        elif loop == ROOT:
            raise Unplannable
        else:
            schedule.sequential |= {loop}


def _first_offence(nest: Nest, accesses: Sequence[Access], sequential: frozenset[int]) -> tuple[Access, int] | None:
    for a, b in overlapping(accesses):
        loop = offending_loop(a, b, nest.trips, sequential)
        if loop is not None:
            return a, loop
    return None


def _region(
    nest: Nest, access: Access, accesses: Sequence[Access], schedule: Schedule, refused: set[tuple[int, int]]
) -> Region | None:
    key = (access.position, access.operand)
    if key in refused or schedule.region_of(access) >= 0:
        return None
    seed = next(a for a in accesses if (a.position, a.operand) == key)
    region = find_region(seed, accesses, nest.trips)
    if region is None:
        refused.add(key)
    return region


def refuse_half_overlaps(nest: Nest, statement: Statement, accesses: dict[int, Access]) -> None:
    """Raise Unplannable unless no iteration of `statement` has a source that half overlaps its destination."""
    slots = statement.op.slots
    for d, s in statement.op.pairs:
        dst, src = accesses[d], accesses[s]
        if dst.high <= src.low or src.high <= dst.low:
            continue
        if dst.shape.strides == src.shape.strides:
            if half_overlap(slots[d], dst.address, slots[s], src.address):
                raise Unplannable
        elif _meet(nest, dst, src):
            raise Unplannable


def _meet(nest: Nest, dst: Access, src: Access) -> bool:
    variables = [
        (q - p, 0, nest.trips[loop] - 1)
        for p, q, loop in zip(dst.shape.strides, src.shape.strides, dst.shape.path, strict=True)
    ]
    variables.append((-dst.shape.run_step, 0, dst.shape.runs - 1))
    variables.append((src.shape.run_step, 0, src.shape.runs - 1))
    return feasible(src.first - dst.first, variables, 1 - src.shape.width, dst.shape.width - 1)
