"""How often each product stands on the chip: dynamic programming over cores, as CIM-MLC does (ASPLOS'24, section 3.4).

dp[l][r] = min(dp[l-1][r], min_k dp[l-1][r - k c_l] + L_l / (k + 1) - L_l): layer l with k more copies of c_l cores
each works k + 1 times as fast; its rows of outputs must be divisible by k + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Load(NamedTuple):
    """A product: cores of one copy, its latency, and the rows of outputs that copies divide between them."""

    cores: int
    latency: int
    rows: int


def copies(loads: Sequence[Load], cores: int) -> list[int]:
    """Copies of each product so that the sum of latencies is least on so many cores, which hold each of them once."""
    room = cores - sum(load.cores for load in loads)
    best, chosen = np.zeros(room + 1), list[np.ndarray]()
    for load in loads:
        found, more = best.copy(), np.zeros(room + 1, np.int64)
        for k in range(1, min(load.rows, room // load.cores + 1)):
            if load.rows % (k + 1) or k * load.cores > room:
                continue
            taken = k * load.cores
            gained = best[: room + 1 - taken] + load.latency / (k + 1) - load.latency
            better = gained < found[taken:]
            found[taken:] = np.where(better, gained, found[taken:])
            more[taken:] = np.where(better, k, more[taken:])
        best = found
        chosen.append(more)
    result, left = list[int](), room
    for load, more in zip(reversed(loads), reversed(chosen), strict=True):
        k = int(more[left])
        result.append(k + 1)
        left -= k * load.cores
    return result[::-1]
