"""Which bytes a nest must find defined before it runs, and which bytes it leaves defined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.nest import LoopNest
from emu.operands.runs import Axis, StridedSet, coalesce, strided_sets

Marks = Sequence[StridedSet] | None  # None: too many
Key = tuple[int, tuple[int, ...], tuple[int, ...], int, tuple[Axis, ...]]


def bytes_view(array: np.ndarray, access: Access, trips: Sequence[int]) -> np.ndarray:
    """The bytes of `array` (bool, [bytes of memory]) that `access` touches: a view [*trips, *axes, width]."""
    shape = access.shape
    steps, counts = [step for step, _ in shape.axes], [count for _, count in shape.axes]
    extents = (*[trips[loop] for loop in shape.path], *counts, shape.width)
    return np.ndarray(extents, np.bool_, array, access.first, (*shape.strides, *steps, 1))


def _key(access: Access) -> Key:
    shape = access.shape
    return access.first, shape.path, shape.strides, shape.width, shape.axes


def reads_to_check(accesses: Sequence[Access], direct: frozenset[int]) -> list[int]:
    """Of the `direct` accesses, in textual order, the reads of bytes that no earlier statement of the same iteration
    writes."""
    written: dict[Key, int] = {}  # by which statement first
    checked: set[Key] = set()
    numbers: list[int] = []
    for number, access in enumerate(accesses):
        if number not in direct:
            continue
        key = _key(access)
        before = written.get(key, access.position) < access.position
        if access.shape.read and not before and key not in checked:
            numbers.append(number)
            checked.add(key)
        if access.shape.write:
            written.setdefault(key, access.position)
    return numbers


def marks_of(nest: LoopNest, accesses: Sequence[Access]) -> list[tuple[int, Marks]]:
    """For every write, once: the number of its access, and the bytes it writes as offsets from the access's address."""
    marks: dict[Key, tuple[int, Marks]] = {}
    for number, access in enumerate(accesses):
        if access.shape.write and _key(access) not in marks:
            marks[_key(access)] = number, _marks(access, nest.trips)
    return list(marks.values())


def _marks(access: Access, trips: Sequence[int]) -> Marks:
    shape = access.shape
    moves = [(stride, trips[loop]) for loop, stride in zip(shape.path, shape.strides, strict=True) if stride]
    sets = strided_sets(*coalesce(shape.width, [*moves, *shape.axes]))
    offset = access.low - access.address
    return None if sets is None else [(offset + first, width, step, count) for first, width, step, count in sets]
