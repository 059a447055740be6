"""Cells that are not ohmic: the voltage, as a share of the whole, at which an ohmic cell would give their current."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Curve = Callable[[np.ndarray], np.ndarray]


def _cubic(voltage: np.ndarray) -> np.ndarray:
    """I = G (V - V^3 / 4)."""
    return voltage - voltage**3 / 4


CURVES: Mapping[str, Curve] = {"cubic": _cubic}  # by the values of device.iv
