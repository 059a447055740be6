"""The largest sum of what is at work at one time: one sort of all beginnings and ends, and one running sum."""

from __future__ import annotations

import numpy as np


def largest_sums(starts: np.ndarray, ends: np.ndarray, amounts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each column of `amounts`, int64 [operations, columns], the largest sum over all that is at work at one time.

    An operation is at work from its start on and no more at its end, int64 [operations] each. Also returns the first
    time at which each sum is reached; 0 and 0 for no operations.
    """
    columns = amounts.shape[1]
    if not len(starts):
        return np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    times = np.concatenate((starts, ends))
    order = np.argsort(times, kind="stable")
    times, sums = times[order], np.cumsum(np.concatenate((amounts, -amounts))[order], axis=0)
    last = np.append(times[1:] != times[:-1], True)  # of what changes at one time
    times, sums = times[last], sums[last]
    places = sums.argmax(axis=0)
    return sums[places, np.arange(columns)], times[places]
