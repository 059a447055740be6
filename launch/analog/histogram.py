"""A histogram whose range grows with what it gets: of currents that nobody has bounded."""

from __future__ import annotations

import numpy as np

BINS = 1 << 13
SMALLEST = 2.0**-10  # half of the range at first, in currents of one cell


class GrowingHistogram:
    """Counts of values in bins of one width, around 0, and the lowest and the highest value.

    The range is a power of two and twice as large as soon as a value is beyond it: what is counted does not depend on
    the order of the values.
    """

    def __init__(self) -> None:
        self.counts = np.zeros(BINS, np.int64)
        self.half = SMALLEST  # the range is from -half on, below half
        self.lowest, self.highest = np.inf, -np.inf

    def add(self, values: np.ndarray) -> None:
        """Count values of any shape."""
        if not values.size:
            return
        low, high = float(values.min()), float(values.max())
        self.lowest, self.highest = min(self.lowest, low), max(self.highest, high)
        while max(-low, high) >= self.half:
            self._grow()
        places = np.floor(np.asarray(values, np.float64).reshape(-1) * (BINS / (2 * self.half))).astype(np.int64)
        self.counts += np.bincount(places + BINS // 2, minlength=BINS)

    def _grow(self) -> None:
        pairs = self.counts.reshape(-1, 2).sum(axis=1)
        self.counts = np.zeros(BINS, np.int64)
        self.counts[BINS // 4 : 3 * BINS // 4] = pairs
        self.half *= 2

    @property
    def empty(self) -> bool:
        """Whether nothing was counted."""
        return self.lowest > self.highest

    def centres(self) -> tuple[np.ndarray, np.ndarray]:
        """The middles of bins that hold something, within what was counted, and how many they hold."""
        held = np.flatnonzero(self.counts)
        middles = (held + 0.5) * (2 * self.half / BINS) - self.half
        return np.clip(middles, self.lowest, self.highest), self.counts[held]

    def below(self, share: float) -> float:
        """A value with that share of all at or below it: within a bin they lie evenly."""
        reached = np.cumsum(self.counts)
        place = int(np.searchsorted(reached, share * reached[-1]))
        within = share * reached[-1] - (reached[place - 1] if place else 0)
        inside = within / self.counts[place] if self.counts[place] else 0.0
        value = (place + inside) * (2 * self.half / BINS) - self.half
        return float(np.clip(value, self.lowest, self.highest))
