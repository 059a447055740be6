"""Which repeats to roll, where repeats of different periods overlap."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from emu.interop.rolling.repeats import Repeats

_DOUBT = 2  # two bodies always have equal steps: a pair must save so many times what it displaces of longer loops


def chosen_repeats(by_period: Iterable[Repeats]) -> Repeats:
    """Repeats that do not overlap and save most, ascending; `by_period` holds one period each, the shortest first.

    A longer repeat displaces the shorter ones that it overlaps if it saves more than they do together. If not, it may
    still be found around them, as an outer loop, once they are rolled.
    """
    best = Repeats.of([], 1)
    for repeats in by_period:
        repeats = repeats.chosen(repeats.saving > 0)
        first = np.searchsorted(best.end, repeats.start, "right")
        last = np.searchsorted(best.start, repeats.end, "left")
        lost = _between(first, last, best.saving)
        lost_by_pair = _between(first, last, np.where(best.trips > 2, _DOUBT, 1) * best.saving)
        better = repeats.saving > np.where(repeats.trips > 2, lost, lost_by_pair)
        change = np.zeros(len(best) + 1, np.int64)
        np.add.at(change, first[better], 1)
        np.subtract.at(change, last[better], 1)
        best = best.chosen(np.cumsum(change[:-1]) == 0).with_others(repeats.chosen(better))
    return best


def _between(first: np.ndarray, last: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The sums of the values in each [first, last)."""
    total = np.concatenate(([0], np.cumsum(values)))
    return total[last] - total[first]
