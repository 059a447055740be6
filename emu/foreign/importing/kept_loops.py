"""Loops of rows as a file keeps them: checked before anything is unrolled, whatever the file says."""

from __future__ import annotations

import numpy as np

from emu.foreign.rolling.rolled import MAX_DEPTH, Rolled, as_section
from emu.program.nesting import misnested

_MOST_TRIPS = 1 << 31


def straight(matrix: np.ndarray) -> Rolled:
    """Every row of a matrix [rows, fields] once, in no loop."""
    count, fields = matrix.shape
    none = np.zeros(count, np.int64)
    return Rolled(none, none - 1, matrix, np.zeros((count, 0), np.int32), np.zeros((1, fields), np.int64))


def loops_fault(rolled: Rolled, most: int) -> str:
    """Why these are no loops of at most `most` instructions in all, as the end of a sentence; empty if they are."""
    trips, end, count = rolled.trips, rolled.end, len(rolled.trips)
    is_loop = trips > 0
    if (trips < 0).any() or (trips > _MOST_TRIPS).any():
        return "a loop has no number of trips"
    if (end[~is_loop] != -1).any() or (end[is_loop] > count).any() or (end[is_loop] < 0).any():
        return "a loop has no end"
    if misnested(as_section(trips, end)) is not None:
        return "its loops are not inside each other"
    levels, deepest = rolled.stride.shape[1], int(rolled.depth[~is_loop].max(initial=0))
    if levels > MAX_DEPTH or deepest > levels:
        return "its loops are too deep"
    if rolled.stride.size and (rolled.stride.min() < 0 or rolled.stride.max() >= len(rolled.strides)):
        return "a row names steps that are not there"
    if rolled.instructions > most:
        return f"it has more than {most} instructions"
    return ""
