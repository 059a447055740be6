"""The elements of one operand, relative to its address: an array, the bytes it spans, and runs without gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from emu.operands.runs import Axis, coalesce, reach, starts


@dataclass(frozen=True, slots=True)
class Pattern:
    """`count` elements of `size` bytes that span [low, high) from the address, which is that of the first one.

    They are an array of `shape`, [elements] or [rows, elements], whose axes advance by `steps` bytes. The bytes are
    runs of `width`, repeated along `axes`.
    """

    size: int
    count: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    low: int
    high: int
    width: int
    axes: tuple[Axis, ...]

    @property
    def form(self) -> tuple[int, ...]:
        """Element size, then number and distance per axis: equal for equal elements in equal order."""
        axes: list[tuple[int, int]] = []
        for count, step in zip(self.shape, self.steps, strict=True):
            if axes and axes[-1][1] == step * count:
                axes[-1] = (axes[-1][0] * count, step)
            elif count > 1:
                axes.append((count, step))
        return self.size, *[number for axis in axes for number in axis]

    @property
    def folded(self) -> bool:
        """Whether elements may share bytes: rows are not behind each other, nor each in the gaps of the one before."""
        behind = self.size
        for step, count in sorted((abs(step), count) for step, count in zip(self.steps, self.shape, strict=True)):
            if count > 1 and step < behind:
                return True
            behind += step * (count - 1)
        return False

    def runs(self, address: int) -> np.ndarray:
        """The first bytes of all runs in ascending order, int64 [runs]."""
        return starts(address + self.low, self.axes)

    def touches(self, address: int, low: int, high: int) -> bool:
        """Whether it has a byte in [low, high)."""
        if max(low, address + self.low) >= min(high, address + self.high):
            return False
        begins = self.runs(address)
        return bool(((begins < high) & (begins + self.width > low)).any())

    def misplaced(self, address: int, other: Pattern, there: int) -> bool:
        """Whether the bytes that both span intersect, and these are not the same elements in the same order."""
        if address + self.high <= there + other.low or there + other.high <= address + self.low:
            return False
        return address != there or self.form != other.form

    def meets(self, address: int, other: Pattern, there: int) -> bool:
        """Whether any byte belongs to both, exactly."""
        few, many = (self, address), (other, there)
        if prod(count for _, count in self.axes) > prod(count for _, count in other.axes):
            few, many = many, few
        left, right = (pattern.runs(at) for pattern, at in (few, many))
        # The last of many runs that begins before one of few ends reaches furthest.
        last = np.searchsorted(right, left + few[0].width) - 1
        return bool(((last >= 0) & (right[last] + many[0].width > left)).any())

    def half_overlaps(self, address: int, other: Pattern, there: int) -> bool:
        """Whether bytes of both intersect although they are not the same elements in the same order."""
        return self.misplaced(address, other, there) and self.meets(address, other, there)


Fields = tuple[int, int, tuple[int, ...], tuple[int, ...], int, int, int, tuple[Axis, ...]]


def pattern_fields(size: int, shape: tuple[int, ...], steps: tuple[int, ...]) -> Fields:
    """The fields of a pattern, with what follows from its elements."""
    count, moves = prod(shape), tuple(zip(steps, shape, strict=True))
    if not count:
        return size, 0, shape, steps, 0, 0, 0, ()
    low, high = reach(moves)
    return size, count, shape, steps, low, high + size, *coalesce(size, moves)


def make_pattern(size: int, shape: tuple[int, ...], steps: tuple[int, ...]) -> Pattern:
    """The pattern of such elements."""
    return Pattern(*pattern_fields(size, shape, steps))


def distances(stride: Any, pitch: Any, rows: Any, count: Any, size: Any, pick: Callable[[Any, Any, Any], Any]) -> Any:
    """Bytes from row to row and from element to element; where there is only one, as if it were dense.

    `stride` and `pitch` are those of an address. Of numbers or of arrays: `pick` gives the second argument where the
    first is set, else the third.
    """
    pitch = pick(pitch != 0, pitch, stride * count)
    return pick(rows > 1, pitch, 1) * size, pick(count > 1, stride, 1) * size
