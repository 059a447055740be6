"""The steady state of samples back to back: the time per sample once it repeats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def time_per_sample(ends: Sequence[int]) -> tuple[int, int]:
    """ps per sample at the end of the run, and after how many samples their times come again (0: they did not yet).

    `ends` [samples] are ps, the beginning of the first sample put in front. Times that come again in turn are averaged.
    """
    times = [late - early for early, late in pairwise(ends)]
    for turn in range(1, (len(times) - 1) // 2 + 1):  # the first sample fills the pipeline
        if times[-turn:] == times[-2 * turn : -turn]:
            return sum(times[-turn:]) // turn, turn
    return times[-1], 0
