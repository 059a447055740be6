"""Which loop forbids running statements one after the other over their whole iteration boxes.

Loops are *vectorised* or *sequential*. Execution walks the tree of the nest, iterates sequential loops and runs
each statement over all iterations of its vectorised loops at once. That is legal if no two conflicting instances
change their order; a statement that reads what later iterations of itself overwrite is fine (it reads first).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from emu.core.batch.access import Access, Shape
from emu.core.batch.conflict import Variable, feasible

SAME, LATER, EARLIER, ANY = "=", "<", ">", "*"  # how the second instance's counter relates to the first's


def overlapping(accesses: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
    """Pairs (an access with itself included) whose extents overlap and of which at least one writes."""
    active: list[Access] = []
    for access in sorted(accesses, key=lambda a: a.low):
        active = [other for other in active if other.high > access.low]
        active.append(access)
        for other in active:
            if access.shape.write or other.shape.write:
                yield other, access


def offending_loop(a: Access, b: Access, trips: tuple[int, ...], sequential: frozenset[int]) -> int | None:
    """The first vectorised loop that carries a dependence between `a` and `b` which execution would reverse."""
    for first, second in ((a, b), (b, a)):
        order = second.position - first.position
        found = _carrier(
            first.shape, second.shape, second.first - first.first, (order > 0) - (order < 0), trips, sequential
        )
        if found is not None or a is b:
            return found
    return None


@lru_cache(maxsize=1 << 14)
def _carrier(
    first: Shape, second: Shape, distance: int, order: int, trips: tuple[int, ...], sequential: frozenset[int]
) -> int | None:
    """The loop that carries a reversed dependence from an instance of `first` to a later one of `second`."""
    common = shared_levels(first.path, second.path)
    for level in range(common):
        loop = first.path[level]
        if loop in sequential or trips[loop] == 1:
            continue
        for relation in _reversed_relations(first, second, order, level, common, sequential):
            variables = _variables(first, second, relation, trips)
            if feasible(distance, variables, 1 - second.width, first.width - 1):
                return loop
    return None


def _reversed_relations(
    first: Shape, second: Shape, order: int, level: int, common: int, sequential: frozenset[int]
) -> Iterator[list[str]]:
    """Counter relations with `second` later, carried at `level`, that execution runs in the other order or at once."""
    inner = range(level + 1, common)
    base = [SAME] * level + [LATER] + [ANY] * len(inner)
    stepped = [k for k in inner if first.path[k] in sequential]
    reads_first = order == 0 and not first.write
    if order <= 0 and not reads_first:
        yield [SAME if k in stepped else relation for k, relation in enumerate(base)]
    for rank, at in enumerate(stepped):
        relation = list(base)
        for k in stepped[:rank]:
            relation[k] = SAME
        relation[at] = EARLIER
        yield relation


def shared_levels(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many loops two paths have in common."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _variables(first: Shape, second: Shape, relation: list[str], trips: tuple[int, ...]) -> list[Variable]:
    """Address of `second` minus address of `first`, as variables within bounds."""
    found: list[Variable] = []
    for level, how in enumerate(relation):
        last = trips[first.path[level]] - 1
        found.extend(_pair(first.strides[level], second.strides[level], how, last))
    for shape, sign in ((first, -1), (second, 1)):
        for level in range(len(relation), len(shape.path)):
            found.append((sign * shape.strides[level], 0, trips[shape.path[level]] - 1))
        found.append((sign * shape.run_step, 0, shape.runs - 1))
    return found


def _pair(p: int, q: int, how: str, last: int) -> list[Variable]:
    """q * j - p * i for counters i, j in [0, last] with j related to i as `how` says."""
    if p == q:
        bounds = {SAME: (0, 0), LATER: (1, last), EARLIER: (-last, -1), ANY: (-last, last)}
        return [(q, *bounds[how])]
    if how == SAME:
        return [(q - p, 0, last)]
    later, earlier = int(how == LATER), int(how == EARLIER)
    return [(q, later, last - earlier), (-p, earlier, last - later)]
