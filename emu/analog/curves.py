"""Cells that are not ohmic: the voltage, as a share of the whole, at which an ohmic cell would give their current."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Curve = Callable[[np.ndarray, float], np.ndarray]  # of shares of the whole voltage, and that in V


def _cubic(share: np.ndarray, read_v: float) -> np.ndarray:
    """I = G (V - V^3 / 4)."""
    return share - share**3 * read_v**2 / 4


CURVES: Mapping[str, Curve] = {"cubic": _cubic}  # by the values of device.iv
