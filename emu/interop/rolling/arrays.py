"""Rolled code of the arrays of a file, which are checked before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

import numpy as np

from emu.errors import ProgramError
from emu.interop.rolling.rolled import MAX_DEPTH, Rolled, as_section
from emu.operands.timeline import TooMuch, make_timeline
from emu.program.limits import MAX_TRIPS
from emu.program.nesting import misnested

# name -> dtype and number of dimensions; see `Rolled`.
ARRAYS = {
    "trips": (np.dtype("<i8"), 1),
    "end": (np.dtype("<i8"), 1),
    "base": (np.dtype("<i8"), 2),
    "stride": (np.dtype("<i4"), 2),
    "strides": (np.dtype("<i8"), 2),
}
_REACH = 1 << 62  # how far a field may move in one loop: a step more stays within 64 bits
_LIMITS = np.iinfo(np.int64)


def rolled_from_arrays(arrays: Mapping[str, np.ndarray], fields: int, where: str, most: int) -> Rolled:
    """Rolled code of so many fields and at most `most` instructions; raises ProgramError that begins with `where`.

    Every loop ends within the one around it and runs at least once, and no field leaves 64 bits: what is returned can
    be unrolled.
    """
    check = _Check(where)
    columns = {name: check.array(arrays, name) for name in ARRAYS}
    rolled = Rolled(**columns)
    check.shapes(rolled, fields)
    check.loops(rolled, most)
    check.strides(rolled)
    check.reach(rolled)
    return rolled


class _Check:
    """Checks of one code, in the order in which they rely on each other."""

    def __init__(self, where: str) -> None:
        self._where = where

    def fail(self, what: str) -> NoReturn:
        raise ProgramError(f"{self._where}: {what}: the file is damaged, import the program again")

    def array(self, arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
        """An array of the type that it must have."""
        if name not in arrays:
            self.fail(f"array {name!r} is missing")
        array, (dtype, dimensions) = arrays[name], ARRAYS[name]
        if array.dtype != dtype or array.ndim != dimensions:
            self.fail(f"array {name!r} has {array.ndim} dimensions of {array.dtype} instead of {dimensions} of {dtype}")
        return array

    def shapes(self, rolled: Rolled, fields: int) -> None:
        """Lengths agree."""
        items, levels = len(rolled.trips), rolled.stride.shape[1]
        for name, length in (("end", len(rolled.end)), ("base", len(rolled.base)), ("stride", len(rolled.stride))):
            if length != items:
                self.fail(f"array {name!r} has {length} rows, 'trips' has {items}")
        for name, array in (("base", rolled.base), ("strides", rolled.strides)):
            if array.shape[1] != fields:
                self.fail(f"array {name!r} has {array.shape[1]} fields instead of {fields}")
        if levels > MAX_DEPTH:
            self.fail(f"loops are {levels} deep, at most {MAX_DEPTH} are possible")

    def loops(self, rolled: Rolled, most: int) -> None:
        """Loops are well nested, have a body and trips, and unroll to `most` instructions at most."""
        loop, index = rolled.is_loop, np.arange(len(rolled.trips))
        self.refuse((rolled.trips < 0) | (rolled.trips > MAX_TRIPS), f"its trips are not within 0 and {MAX_TRIPS}")
        self.refuse(loop & ((rolled.end <= index + 1) | (rolled.end > len(index))), "the end of its loop is no end")
        self.refuse(~loop & (rolled.end != -1), "it has an end and is no loop")
        section = as_section(rolled.is_loop, rolled.trips, rolled.end)
        wrong = misnested(section)
        if wrong is not None:
            self.fail(f"item {wrong}: its loop ends outside of the loop around it")
        try:
            deepest = make_timeline(section, most).nest.deepest
        except TooMuch:
            self.fail(f"its loops unroll to more than {most} instructions")
        if deepest != rolled.stride.shape[1]:
            self.fail(f"loops are {deepest} deep, array 'stride' has {rolled.stride.shape[1]} columns")

    def strides(self, rolled: Rolled) -> None:
        """Numbers of strides are numbers of strides, and 0 where there is nothing to move."""
        vectors = len(rolled.strides)
        if not vectors or rolled.strides[0].any():
            self.fail("row 0 of array 'strides' is not zero")
        for level, number in enumerate(rolled.stride.T):
            self.refuse((number < 0) | (number >= vectors), f"it has a stride beyond the {vectors} that there are")
            around = (rolled.depth > level) & ~rolled.is_loop
            self.refuse((number != 0) & ~around, "it has a stride for a loop that is not around it")
        self.refuse(rolled.is_loop & np.any(rolled.base, axis=1), "it is a loop and has fields")

    def reach(self, rolled: Rolled) -> None:
        """No field leaves 64 bits, however the counters stand: sums are made level by level, as unrolling does."""
        low, high = rolled.base.copy(), rolled.base.copy()
        for level in range(rolled.stride.shape[1]):
            inside = np.flatnonzero(rolled.stride[:, level])
            loop = rolled.timeline.nest.enclosing(inside, np.full(len(inside), level))
            last = rolled.trips[loop, None] - 1  # value of the counter
            step = rolled.strides[rolled.stride[inside, level]]
            limit = _REACH // np.maximum(last, 1)
            self._moved_too_far(inside, (step > limit) | (step < -limit))
            down, up = np.minimum(step * last, 0), np.maximum(step * last, 0)
            self._moved_too_far(inside, (low[inside] < _LIMITS.min - down) | (high[inside] > _LIMITS.max - up))
            low[inside] += down
            high[inside] += up

    def _moved_too_far(self, items: np.ndarray, bad: np.ndarray) -> None:
        if bad.any():
            self.fail(f"item {items[np.argmax(bad.any(axis=1))]}: a field of it leaves 64 bits in its loops")

    def refuse(self, bad: np.ndarray, what: str) -> None:
        if bad.any():
            self.fail(f"item {np.argmax(bad)}: {what}")
