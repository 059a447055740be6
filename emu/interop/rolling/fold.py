"""Where rows go when repeats become loops."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.interop.rolling.repeats import Repeats


@dataclass(frozen=True, eq=False)
class Fold:
    """The first body of each repeat stays, behind a new row for its loop; the others go."""

    kept: np.ndarray  # the rows that stay
    new: np.ndarray  # [repeats] how many of them stand before the new row of each
    boundary: np.ndarray  # [rows + 1] how many of them stand before each row
    start: np.ndarray  # [repeats]
    owner: np.ndarray  # per row, new ones as well: the repeat whose body it is in; -1: none

    @staticmethod
    def of(repeats: Repeats, rows: int) -> Fold:
        """Of so many rows; repeats do not overlap and ascend."""
        stays, owner = np.ones(rows, np.bool_), np.full(rows, -1)
        bodies = zip(repeats.start.tolist(), repeats.period.tolist(), repeats.end.tolist(), strict=True)
        for loop, (start, period, end) in enumerate(bodies):
            stays[start + period : end] = False
            owner[start : start + period] = loop
        boundary = np.concatenate(([0], np.cumsum(stays)))
        kept, new = np.flatnonzero(stays), boundary[repeats.start]
        return Fold(kept, new, boundary, repeats.start, np.insert(owner[kept], new, -1))

    def column(self, old: np.ndarray, new: np.ndarray | int) -> np.ndarray:
        """A column [rows, ...] as it is afterwards, with the values of the new rows."""
        return np.insert(old[self.kept], self.new, new, axis=0)

    def moved(self, end: np.ndarray) -> np.ndarray:
        """Where bodies end afterwards that ended before these rows."""
        return self.boundary[end] + np.searchsorted(self.start, end, "left")
