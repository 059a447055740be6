"""What is done about drift: outputs are scaled by what a reading of known inputs gives, and gave before."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def _response(cells: np.ndarray) -> np.ndarray:
    """What each column gives if one row after the other is driven, without signs: [cols]."""
    return np.abs(cells).sum(axis=0)


RESPONSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "global": lambda cells: _response(cells).sum(keepdims=True),
    "column": _response,
}


def factors(programmed: np.ndarray, aged: np.ndarray, how: str | None) -> np.ndarray | float:
    """Factors on outputs of an array: float64 [cols] for `column`, [1] for `global`, 1.0 for `none`.

    `programmed` and `aged` [rows, cols] are conductances that were read after programming, and are read now; of pairs
    one cell above the other, or their differences. A column without any response keeps its outputs. Source: Joshi et
    al., Nature Communications 11:2473, 2020 (arXiv:1906.03138), as aihwkit's GlobalDriftCompensation and
    PerColumnDriftCompensation drive rows one by one.
    """
    if how in (None, "none"):
        return 1.0
    before, now = RESPONSES[how](programmed), RESPONSES[how](aged)
    usable = (before > 0) & (now > 0)
    return np.divide(before, now, out=np.ones_like(before), where=usable)
