"""Charge-trapping memory by its currents: errors of programming, drift over five days, noise of readings."""

from __future__ import annotations

import numpy as np

from emu.analog.cells.model import DRIFT, Conditions, Spread, Widening, polynomial
from emu.arch.analog import DAY

_HIGHEST, _HIGHEST_AGED = 3200.0, 1800.0  # nA
# By days: spread A (1 - exp(-I / B)) in nA, and what is added to the current, by rising powers of it in nA.
_SPREADS = (
    (19.88665, 176.3115),
    (25.59102, 186.85544),
    (28.72753, 193.56834),
    (31.04318, 198.90332),
    (33.76214, 204.77023),
    (34.57909, 207.34309),
)
_READING = (12.58037, 215.36557)
# fmt: off
_SHIFTS = (
    (0.0,) * 11,
    (1.72684e-1, 5.72552e-2, -6.85715e-4, 3.50271e-6, -9.37682e-9, 1.40575e-11, -1.19803e-14, 5.41293e-18,
     -8.85448e-22, -1.66869e-25, 5.95180e-29),
    (2.50712e-1, 6.62195e-2, -6.83218e-4, 2.99442e-6, -6.78255e-9, 7.70482e-12, -3.04983e-15, -2.15919e-18,
     2.94617e-21, -1.23359e-24, 1.85329e-28),
    (-1.75300e-2, 9.76883e-2, -9.63791e-4, 4.55551e-6, -1.22391e-8, 1.93786e-11, -1.85899e-14, 1.07659e-17,
     -3.58211e-21, 5.96785e-25, -3.30410e-29),
    (4.03338e-2, 1.03111e-1, -1.04740e-3, 4.83961e-6, -1.28132e-8, 1.99484e-11, -1.85139e-14, 1.00008e-17,
     -2.84944e-21, 3.01008e-25, 1.18747e-29),
    (3.19927e-1, 1.06596e-1, -1.04054e-3, 4.50290e-6, -1.10352e-8, 1.56477e-11, -1.27592e-14, 5.45513e-18,
     -7.26841e-22, -2.43893e-25, 7.14608e-29),
)
# fmt: on
_LAST = len(_SPREADS) - 1  # day


class Sonos(Widening):
    """Currents in nA are conductances times the whole voltage; between days coefficients are interpolated."""

    meaning = (
        "SONOS memory by its currents g_max_us x read_v, of at most 3,200 nA, with drift 1,800 nA: errors of"
        " programming, drift over up to 5 days (432,000 s), noise of readings"
    )
    source = "CrossSim 3.2 (SONOS), of Agrawal et al., IEDM 2022, Figs. 10 and 11b"
    keys = ("g_max_us", "read_v", "time_s")

    def spread(self, g: np.ndarray, at: Conditions, time_s: float) -> np.ndarray:
        """Standard deviations of cells around `g` at a time."""
        height, bend = _at(np.array(_SPREADS), time_s)
        return _saturating(g, height, bend, at)

    def moved(self, target: np.ndarray, at: Conditions) -> np.ndarray:
        """The mean of cells at the time of reading."""
        unit = _nanoamperes(at)
        return target + polynomial(tuple(_at(np.array(_SHIFTS), at.time_s)), target * unit) / unit

    def read_noise(self, aged: np.ndarray, programmed: np.ndarray, at: Conditions) -> Spread:
        """Standard deviations of one reading."""
        return _saturating(aged, *_READING, at)

    def refusal(self, role: str, at: Conditions) -> str:
        """A chip or a time outside of what was measured, or errors of another model."""
        most = _HIGHEST_AGED if role == DRIFT and at.time_s else _HIGHEST
        if (current := _nanoamperes(at)) > most * 1.001:
            return (
                f"device.g_max_us x device.read_v is {current:g} nA ({at.g_max_us:g} uS x {at.read_v:g} V), but was"
                f" measured up to {most:g} nA"
            )
        if role == DRIFT and at.time_s > _LAST * DAY:
            return f"device.time_s is {at.time_s:g}, but was measured up to {_LAST * DAY:g} s"
        return super().refusal(role, at)


def _nanoamperes(at: Conditions) -> float:
    """The current of a cell of the highest conductance at the whole voltage."""
    return at.g_max_us * at.read_v * 1e3


def _at(table: np.ndarray, time_s: float) -> np.ndarray:
    """A row of a table by days [days, n], or between two: [n]."""
    day = min(int(time_s / DAY), _LAST - 1)
    share = time_s / DAY - day
    return table[day] * (1 - share) + table[day + 1] * share


def _saturating(g: np.ndarray, height: float, bend: float, at: Conditions) -> np.ndarray:
    unit = _nanoamperes(at)
    return np.maximum(height - height * np.exp(-g * unit / bend), 0.0) / unit
