"""Dependences between accesses of a nest, and what becomes of them when loops are iterated or vectorised.

A program executes statements in the order of their loop counters, then of the text. A plan iterates only some loops (in
a given order, outermost first) and executes each statement for all iterations of its other loops at once: it reads all
its sources, then writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from emu.core.batch.access import Access, AccessShape
from emu.core.batch.conflict import Variable, feasible

SAME, LATER, EARLIER, ANY = "=", "<", ">", "*"  # how the second instance's counter relates to the first's
Pair = tuple[Access, Access]


@dataclass(frozen=True, slots=True)
class Relation:
    """What must stay in order: executions of one access before later ones of another.

    `carried` are the loops of which an iteration depends on an earlier one, although some loops are iterated.
    `independent`: there is a dependence within one iteration of all loops around both. `broken` is a loop with a
    dependence that iterating the given loops would reverse, or -1 if there is none.
    """

    carried: tuple[int, ...]
    independent: bool
    broken: int


NONE = Relation((), False, -1)


def overlapping(accesses: Sequence[Access]) -> Iterator[Pair]:
    """Pairs (an access with itself included) whose extents overlap and of which at least one writes."""
    active: list[Access] = []
    for access in sorted(accesses, key=lambda a: a.low):
        low, write = access.low, access.shape.write
        active = [other for other in active if other.high > low]
        active.append(access)
        for other in active:
            if write or other.shape.write:
                yield other, access


def relation(first: Access, second: Access, trips: tuple[int, ...], iterated: tuple[int, ...] = ()) -> Relation:
    """Dependences from `first` to instances of `second` that run later in the original order."""
    order = second.position - first.position
    sign = (order > 0) - (order < 0)
    return _relation(first.shape, second.shape, second.first - first.first, sign, trips, iterated)


@lru_cache(maxsize=1 << 14)
def _relation(
    first: AccessShape,
    second: AccessShape,
    distance: int,
    order: int,
    trips: tuple[int, ...],
    iterated: tuple[int, ...],
) -> Relation:
    common = shared_levels(first.path, second.path)
    low, high = 1 - second.width, first.width - 1

    def exists(how: list[str] | None) -> bool:
        return how is not None and feasible(distance, _variables(first, second, how, trips), low, high)

    carried: list[int] = []
    broken = -1
    places = [first.path.index(loop) for loop in iterated if loop in first.path[:common]]
    for level in range(common):
        if trips[first.path[level]] == 1:
            continue
        base = [SAME] * level + [LATER] + [ANY] * (common - level - 1)
        if exists(_with(base, places, SAME)):
            carried.append(first.path[level])
        if broken < 0 and any(exists(_with(base, places[:k], EARLIER, at)) for k, at in enumerate(places)):
            broken = first.path[level]
    return Relation(tuple(carried), order > 0 and exists([SAME] * common), broken)


def _with(base: list[str], same: Sequence[int], how: str, at: int = -1) -> list[str] | None:
    """`base` narrowed: the same counter at places `same`, and at `at` one that relates as `how`; None if empty."""
    narrowed = list(base)
    for place, wanted in [*[(place, SAME) for place in same], *([(at, how)] if at >= 0 else [])]:
        if narrowed[place] not in (ANY, wanted):
            return None
        narrowed[place] = wanted
    return narrowed


def shared_levels(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many loops two paths have in common."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _variables(first: AccessShape, second: AccessShape, how: list[str], trips: tuple[int, ...]) -> list[Variable]:
    """Address of `second` minus address of `first`, as variables within bounds."""
    variables: list[Variable] = []
    for level, wanted in enumerate(how):
        last = trips[first.path[level]] - 1
        variables.extend(_pair(first.strides[level], second.strides[level], wanted, last))
    for shape, sign in ((first, -1), (second, 1)):
        for level in range(len(how), len(shape.path)):
            variables.append((sign * shape.strides[level], 0, trips[shape.path[level]] - 1))
        variables.extend((sign * step, 0, count - 1) for step, count in shape.axes)
    return variables


def _pair(p: int, q: int, how: str, last: int) -> list[Variable]:
    """q * j - p * i for counters i, j in [0, last] with j related to i as `how` says."""
    if p == q:
        bounds = {SAME: (0, 0), LATER: (1, last), EARLIER: (-last, -1), ANY: (-last, last)}
        return [(q, *bounds[how])]
    if how == SAME:
        return [(q - p, 0, last)]
    later, earlier = int(how == LATER), int(how == EARLIER)
    return [(q, later, last - earlier), (-p, earlier, last - later)]
