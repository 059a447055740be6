"""Whether two samples are of one distribution, of which the second is known by its moments and quantiles."""

from math import sqrt

import numpy as np


def assert_same(ours: np.ndarray, mean: float, std: float, quantiles: np.ndarray, shares: np.ndarray) -> None:
    """Two samples of as many numbers as `ours` [n]: their moments, and Kolmogorov and Smirnov at quantiles [k].

    Where many numbers are at a bound, their share is on both sides of it. Chance fails one of some 10,000.
    """
    error = sqrt(2 / len(ours))  # of the difference of two samples
    assert abs(ours.mean() - mean) <= 4.5 * error * std + 1e-9
    kurtosis = ((ours - ours.mean()) ** 4).mean() / max(ours.var() ** 2, 1e-30)
    assert abs(ours.std() - std) <= 4.5 * error * std * sqrt(max(kurtosis - 1, 0)) / 2 + 1e-9
    if std > 1e-9:
        ordered, near = np.sort(ours), np.abs(quantiles) * 1e-6
        below = np.searchsorted(ordered, quantiles - near, "left") / len(ours)
        upto = np.searchsorted(ordered, quantiles + near, "right") / len(ours)
        assert np.maximum(below - shares, shares - upto).max() < 2.2 * error
