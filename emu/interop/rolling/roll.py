"""Roll straight-line code into loops."""

from __future__ import annotations

from collections.abc import Sequence as Columns

import numpy as np

from emu.interop.rolling.choice import chosen_repeats
from emu.interop.rolling.periods import likely_periods
from emu.interop.rolling.repeats import repeats_of
from emu.interop.rolling.rolled import Rolled
from emu.interop.rolling.sequence import Sequence

# Every pass looks at all rows that are left; code that hardly shrinks may not take passes without end.
_PASSES = 12  # over the length of the code as it was
_FREE = 200_000  # rows looked at beside them: short code is rolled to the end


def roll(matrix: np.ndarray, fixed: Columns[int]) -> Rolled:
    """Loops that unroll to exactly this code: int64 [instructions, fields].

    Fields in `fixed` (columns) are equal in all iterations of a loop, and so is what lies beyond `MAX_ADDRESS`; all
    others go in equal steps, a step per row and enclosing loop. Loops are found from the inside and from the outside,
    whichever saves more rows, until none is left to be found. Memory beside the matrix: less than once as much for code
    that is loops, up to three times for code that repeats in pairs without end.
    """
    sequence = Sequence.straight(matrix, fixed)
    work = _PASSES * len(matrix) + _FREE
    while work > 0:
        work -= len(sequence)
        shorter = _shortened(sequence)
        if shorter is None:
            break
        sequence = shorter
    return sequence.rolled()


def _shortened(sequence: Sequence) -> Sequence | None:
    """One pass; None if nothing repeats."""
    shape, value, depth = sequence.shape, sequence.value, sequence.depth
    periods = likely_periods(shape, value)
    repeats = chosen_repeats(repeats_of(period, shape, value, depth) for period in periods)
    steps = [
        sequence.steps_of(start, period, trips)
        for start, period, trips in zip(
            repeats.start.tolist(), repeats.period.tolist(), repeats.trips.tolist(), strict=True
        )
    ]
    true = np.array([step is not None for step in steps], np.bool_)
    if not true.any():
        return None
    return sequence.wrapped(repeats.chosen(true), [step for step in steps if step is not None])
