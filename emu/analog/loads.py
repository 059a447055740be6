"""What inputs load cells with: the squares of the voltages of their pulses, and the number of these."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emu.analog.inputs import InputDriver, Pulses

TABLE = 12  # bits of the largest magnitudes of which a table is kept


class Loads:
    """The loads of the pulses that a driver makes."""

    def __init__(self, driver: InputDriver) -> None:
        self._driver = driver

    def of(self, codes: np.ndarray) -> tuple[np.ndarray, int]:
        """Of vectors of codes [vectors, rows]: sums of squares of voltages [rows], shares of the whole; and pulses."""
        driver = self._driver
        if not driver.steps or driver.magnitude > TABLE:
            squares, pulses = _loads(driver.pulses(codes), max(driver.steps, 1.0))
            return squares.sum(axis=0), int(pulses.sum())
        squares, pulses = self._table
        places = codes if driver.lowest == 0 else codes - codes.dtype.type(driver.lowest)
        load = np.take(squares, places, mode="clip").sum(axis=0, dtype=np.float64)
        return load, int(load.sum()) if driver.steps == 1 else int(np.take(pulses, places, mode="clip").sum())

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Squares and pulses of each code, from the lowest one on."""
        every = np.arange(self._driver.lowest, (1 << self._driver.magnitude) + 1)
        squares, pulses = _loads(self._driver.pulses(every.astype(np.int64)[:, None]), self._driver.steps)
        return squares[:, 0].astype(np.float32), pulses[:, 0]


def _loads(pulses: Pulses, whole: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each input [vectors, rows]: the sum of squares of its voltages, and how many of them are not 0."""
    squares = np.square(pulses.voltages, dtype=np.float64).sum(axis=0)
    count = np.count_nonzero(pulses.voltages, axis=0)
    if pulses.some is not None and pulses.more is not None:
        squares[pulses.some] += np.square(pulses.more, dtype=np.float64)
        count[pulses.some] += pulses.more != 0
    return squares / whole**2, count
