"""The error function for f32 arrays."""

from __future__ import annotations

import numpy as np

# erf(x) ~ x P(x^2) / Q(x^2) on [-4, 4], the minimax rational of Eigen's `generic_fast_erf` (erf(4) = 1 - 1.5e-8
# rounds to 1). Evaluated in f32 the absolute error stays below 5e-7 everywhere (a test sweeps it).
_P = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_Q = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


def _polynomial(square: np.ndarray, coefficients: tuple[float, ...]) -> np.ndarray:
    total = np.full_like(square, coefficients[0])
    for coefficient in coefficients[1:]:
        np.multiply(total, square, out=total)
        np.add(total, np.float32(coefficient), out=total)
    return total


def erf(x: np.ndarray) -> np.ndarray:
    """erf of an f32 array, absolute error below 5e-7, odd, within [-1, 1]; NaN stays NaN."""
    clipped = np.clip(x, np.float32(-4), np.float32(4))
    square = clipped * clipped
    ratio = clipped * _polynomial(square, _P) / _polynomial(square, _Q)
    return np.clip(ratio, np.float32(-1), np.float32(1))
