"""What an analog array group counts while it works: a row of numbers that may lie in shared memory."""

from __future__ import annotations

import numpy as np

BINS = 64  # of the histogram of codes, over the range of converters
NAMES = (
    "vectors",  # products with one vector
    "conversions",  # of all converters, as executed
    "clipped",  # conversions of currents outside of the range of codes
    "pulses",  # voltages of word lines that were not 0
    "charge",  # sum of V^2 G over cells and pulses, in units of the whole voltage and the highest conductance
    "written",  # cells programmed since power-on
    "verified",  # pulses that programming them took
    "rewritten",  # of these cells those that programs wrote
    "reverified",  # pulses that took
    "rows",  # that programs wrote, each as often as the cell that took most
    "clipped_weights",  # weights beyond the range of cells
    "clipped_inputs",  # inputs beyond the range of voltages
    "lowest",  # current converted so far, in currents of one cell of the highest conductance
    "highest",
)
PLACE = {name: place for place, name in enumerate(NAMES)}
COUNTS = len(NAMES) + BINS


def new_counts() -> np.ndarray:
    """Counts of nothing, float64 [COUNTS]: those of NAMES, then the histogram."""
    counts = np.zeros(COUNTS)
    counts[PLACE["lowest"]], counts[PLACE["highest"]] = np.inf, -np.inf
    return counts


def added(counts: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Counts [..., COUNTS] of two runs, or groups, together."""
    total = counts + more
    for name, of in (("lowest", np.minimum), ("highest", np.maximum)):
        place = PLACE[name]
        total[..., place] = of(counts[..., place], more[..., place])
    return total
