"""Which bytes a nest must find defined before it runs, and which bytes it leaves defined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.nest import Nest

MAX_SETS = 256  # strided sets that one write is taken apart into; beyond, the map is written

Marks = Sequence[tuple[int, int, int, int]] | None  # offset, width, distance and number of runs; None: too many
Key = tuple[int, tuple[int, ...], tuple[int, ...], int, int, int]


def bytes_view(array: np.ndarray, access: Access, trips: Sequence[int]) -> np.ndarray:
    """The bytes of `array` (bool, [bytes of memory]) that `access` touches: a view [*trips, runs, width]."""
    shape = access.shape
    extents = (*[trips[loop] for loop in shape.path], shape.runs, shape.width)
    return np.ndarray(extents, np.bool_, array, access.first, (*shape.strides, shape.run_step, 1))


def _key(access: Access) -> Key:
    shape = access.shape
    return access.first, shape.path, shape.strides, shape.width, shape.run_step, shape.runs


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


def marks_of(nest: Nest, accesses: Sequence[Access]) -> list[tuple[int, Marks]]:
    """For every write, once: the number of its access, and the bytes it writes as offsets from the access's address."""
    marks: dict[Key, tuple[int, Marks]] = {}
    for number, access in enumerate(accesses):
        if access.shape.write and _key(access) not in marks:
            marks[_key(access)] = number, _marks(access, nest.trips)
    return list(marks.values())


def _marks(access: Access, trips: Sequence[int]) -> Marks:
    shape = access.shape
    moves = [(abs(stride), trips[loop]) for loop, stride in zip(shape.path, shape.strides, strict=True) if stride]
    width, axes = shape.width, list[tuple[int, int]]()
    for step, count in sorted([*moves, (shape.run_step, shape.runs)]):
        if count == 1:
            continue
        if not axes and step <= width:
            width += step * (count - 1)
        elif axes and step == axes[-1][0] * axes[-1][1]:
            axes[-1] = (axes[-1][0], axes[-1][1] * count)
        else:
            axes.append((step, count))
    axes.sort(key=lambda axis: axis[1])
    step, count = axes.pop() if axes else (0, 1)
    if np.prod([outer for _, outer in axes]) > MAX_SETS:
        return None
    offset = access.low - access.address
    places = product(*[range(0, outer * far, far) for far, outer in axes])
    return [(offset + sum(place), width, step, count) for place in places]
