"""Bytes that an operand touches as few runs: the elements of a regular pattern, joined where they meet."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import prod

import numpy as np

Axis = tuple[int, int]  # distance in bytes, positive, and number
MAX_SETS = 256  # strided sets that one pattern is taken apart into

StridedSet = tuple[int, int, int, int]  # offset of the first run, width, and the distance and number of runs


def reach(moves: Iterable[Axis]) -> tuple[int, int]:
    """The lowest and the highest sum of one multiple each of all distances, which may be negative here."""
    low = high = 0
    for step, count in moves:
        far = step * (count - 1)
        if far < 0:
            low += far
        else:
            high += far
    return low, high


def coalesce(width: int, moves: Iterable[Axis]) -> tuple[int, tuple[Axis, ...]]:
    """Width of the runs, and their axes by rising distance, that cover runs of `width` bytes repeated by `moves`.

    Distances may be negative here: the first byte of the result is the lowest of all.
    """
    axes: list[Axis] = []
    for step, count in sorted([(abs(step), count) for step, count in moves]):
        if count == 1:
            continue
        if not axes and step <= width:
            width += step * (count - 1)
        elif axes and step == axes[-1][0] * axes[-1][1]:
            axes[-1] = (axes[-1][0], axes[-1][1] * count)
        else:
            axes.append((step, count))
    return width, tuple(axes)


def strided_sets(width: int, axes: Iterable[Axis]) -> list[StridedSet] | None:
    """The runs of such a pattern as strided sets, relative to its lowest byte; None if they are more than MAX_SETS."""
    ordered = sorted(axes, key=lambda axis: axis[1])
    step, count = ordered.pop() if ordered else (0, 1)
    if prod(outer for _, outer in ordered) > MAX_SETS:
        return None
    places = product(*[range(0, outer * far, far) for far, outer in ordered])
    return [(sum(place), width, step, count) for place in places]


def starts(first: int, axes: Iterable[Axis]) -> np.ndarray:
    """The first bytes of all runs in ascending order, the lowest at `first`, int64 [runs]."""
    parts = [step * np.arange(count) for step, count in axes]
    begins = sums(np.array([first], np.int64), reversed(parts))
    return np.sort(begins) if len(parts) > 1 else begins


def sums(first: np.ndarray, parts: Iterable[np.ndarray]) -> np.ndarray:
    """One of `first` and of each part added up, in every way there is: what the last part is of changes fastest."""
    for part in parts:
        first = (first[:, None] + part).reshape(-1)
    return first
