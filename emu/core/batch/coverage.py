"""Definedness over a whole nest: which reads need a look, and what is defined afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from emu.core.batch.access import Access
from emu.core.batch.nest import Nest
from emu.core.memory import LocalMemory

MAX_SETS = 64  # strided sets that one write is taken apart into; beyond, the map is written


def bytes_view(array: np.ndarray, access: Access, trips: Sequence[int]) -> np.ndarray:
    """The bytes of `array` (a definedness map) that `access` touches, [*iterations, runs, width]."""
    shape = access.shape
    extents = (*[trips[loop] for loop in shape.path], shape.runs, shape.width)
    return np.ndarray(extents, np.bool_, array, access.first, (*shape.strides, shape.run_step, 1))


def unproved_reads(nest: Nest, accesses: Sequence[Access], memory: LocalMemory) -> list[Access]:
    """Reads of bytes that are neither defined before the nest nor written by the same iteration just before.

    `accesses` are in textual order.
    """
    written: dict[tuple[int, tuple[int, ...], tuple[int, ...], int, int, int], int] = {}  # by which statement first
    found: list[Access] = []
    for access in accesses:
        shape = access.shape
        key = (access.first, shape.path, shape.strides, shape.width, shape.run_step, shape.runs)
        before = written.get(key, access.position) < access.position
        if shape.read and not before and not memory.all_defined(access.low, access.high):
            found.append(access)
        if shape.write:
            written.setdefault(key, access.position)
    return found


def mark(access: Access, trips: Sequence[int], memory: LocalMemory) -> None:
    """All that `access` writes is defined from now on."""
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
    step, count = axes.pop(0) if axes else (0, 1)
    for _, outer in axes:
        if outer > MAX_SETS:
            memory.known.note_map()
            bytes_view(memory.defined, access, trips)[...] = True
            memory.top = max(memory.top, access.high)
            return
    for places in product(*[range(0, outer * far, far) for far, outer in axes]):
        memory.mark_runs(access.low + sum(places), width, step, count)
