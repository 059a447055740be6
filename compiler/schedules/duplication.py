"""How many copies of its weights each layer gets within a budget of cores: for latency, for throughput, greedily."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Demand:
    """What a layer asks for: `cores` that hold one copy of its weights, and `rows` that take `steps` each.

    Steps are in any unit, the same for all layers. A copy makes some of the rows; so there are at most `rows` copies.
    With `even`, all copies have to make equally many.
    """

    cores: int
    rows: int
    steps: int
    even: bool = False

    def time(self, copies: int) -> int:
        """Steps of the copy with the most rows."""
        return -(-self.rows // copies) * self.steps

    def useful(self) -> list[int]:
        """The numbers of copies, ascending, each of which takes less time than any smaller one."""
        if self.even:
            return [copies for copies in range(1, self.rows + 1) if self.rows % copies == 0]
        found, rows = [1], self.rows
        while rows > 1:
            copies = -(-self.rows // (rows - 1))  # the fewest of which none makes `rows` rows
            found.append(copies)
            rows = -(-self.rows // copies)
        return found


Choice = Callable[[Sequence[Demand], int], list[int]]


def for_latency(demands: Sequence[Demand], cores: int) -> list[int]:
    """The copies for the least sum of the times of all layers, which run one after another.

    Dynamic programming over layers and cores in use, as in CIM-MLC (ASPLOS 2024, section 3.3.2), with any times:
    dp[l][r] = min(dp[l-1][r], min_k dp[l-1][r - k c_l] + L_l / (k + 1) - L_l) for k more copies of c_l cores each.
    """
    best = np.zeros(cores + 1, np.int64)  # by cores that may be used, the least time of the layers so far
    chosen = np.ones((len(demands), cores + 1), np.int64)
    for number, demand in enumerate(demands):
        before, best = best, np.full(cores + 1, _NEVER)
        for copies in demand.useful():
            need = copies * demand.cores
            if need > cores:
                break
            time = before[: cores + 1 - need] + demand.time(copies)
            better = np.flatnonzero(time < best[need:])
            best[need + better], chosen[number, need + better] = time[better], copies
    found, left = list[int](), cores
    for number, demand in reversed(list(enumerate(demands))):
        found.append(int(chosen[number, left]))
        left = max(0, left - found[-1] * demand.cores)
    return _alone(demands) if best[cores] >= _NEVER else found[::-1]


def for_throughput(demands: Sequence[Demand], cores: int) -> list[int]:
    """The fewest copies with which no layer takes longer than the least bound that so many cores allow.

    Layers share the pace: one with a quarter of the pixels of another one, behind a stride of 2, gets a quarter of its
    copies where both make their pixels in the same time. This is the balance of PIMCOMP's batch mode (HT).
    """
    low, high = 1, max((demand.time(1) for demand in demands), default=1)
    found = _alone(demands)
    while low < high:
        bound = (low + high) // 2
        copies = [_within(demand, bound) for demand in demands]
        fits = all(copies) and sum(n * demand.cores for n, demand in zip(copies, demands, strict=True)) <= cores
        if fits:
            found, high = copies, bound
        else:
            low = bound + 1
    return found


def greedily(demands: Sequence[Demand], cores: int) -> list[int]:
    """One more step of copies at a time for the layer that saves most, as long as cores are left.

    This is how Poly-Schedule (Han et al., 2021) shares out crossbars; it may miss what `for_latency` finds.
    """
    found, left = _alone(demands), cores - sum(demand.cores for demand in demands)
    ladders = [demand.useful() for demand in demands]
    places = [0] * len(demands)
    while True:
        best, saved = -1, 0
        for number, (demand, ladder, place) in enumerate(zip(demands, ladders, places, strict=True)):
            if place + 1 < len(ladder) and (ladder[place + 1] - ladder[place]) * demand.cores <= left:
                saving = demand.time(ladder[place]) - demand.time(ladder[place + 1])
                best, saved = (number, saving) if saving > saved else (best, saved)
        if best < 0:
            return found
        places[best] += 1
        more = ladders[best][places[best]]
        left -= (more - found[best]) * demands[best].cores
        found[best] = more


def for_writing(demands: Sequence[Demand], cores: int, steps: int) -> list[int]:
    """The copies for the least time of each layer by itself, if writing the weights of a core takes so many `steps`.

    This is for networks that are larger than the cores, whose weights are written for every run: a layer may have all
    the cores, and pays for the writes of its copies.
    """
    return [
        min(
            (copies for copies in demand.useful() if copies == 1 or copies * demand.cores <= cores),
            key=lambda copies: (demand.time(copies) + copies * demand.cores * steps, copies),
        )
        for demand in demands
    ]


def least_cores(demands: Sequence[Demand]) -> dict[str, int]:
    """With how many cores at least the goals `throughput` and `latency` give a layer a copy; not those that never do.

    In a pipeline every layer that takes as long as the slowest one needs copies, for latency any one.
    """
    found, slowest = dict[str, int](), max((demand.time(1) for demand in demands), default=1)
    faster = [_within(demand, slowest - 1) for demand in demands] if slowest > 1 else [0]
    if all(faster):
        found["throughput"] = sum(copies * demand.cores for copies, demand in zip(faster, demands, strict=True))
    alone = sum(demand.cores for demand in demands)
    steps = [(ladder[1] - 1) * demand.cores for demand in demands if len(ladder := demand.useful()) > 1]
    if steps:
        found["latency"] = alone + min(steps)
    return found


CHOICES: Mapping[str, Choice] = {"latency": for_latency, "throughput": for_throughput, "greedy": greedily}
_NEVER = 1 << 60


def _alone(demands: Sequence[Demand]) -> list[int]:
    return [1] * len(demands)


def _within(demand: Demand, bound: int) -> int:
    """The fewest copies that take at most `bound` steps; 0 if none does."""
    rows = bound // demand.steps
    if not rows or not demand.even:
        return -(-demand.rows // rows) if rows else 0
    return next(copies for copies in demand.useful() if demand.rows <= rows * copies)
