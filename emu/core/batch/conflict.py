"""Whether a sum of bounded integers times strides can lie in an interval: the question behind every dependence."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

MAX_NODES = 256  # of the search; beyond, a conflict is assumed

Variable = tuple[int, int, int]  # stride, lowest and highest value


def feasible(start: int, variables: Iterable[Variable], low: int, high: int) -> bool:
    """Whether start + sum(stride * v) lies in [low, high] for some v within their bounds.

    False is a proof; True may also mean that the search gave up.
    """
    merged: dict[int, tuple[int, int]] = {}
    for stride, lowest, highest in variables:
        if lowest > highest:
            return False
        if lowest == highest or stride == 0:
            start += stride * lowest
            continue
        if stride < 0:
            stride, lowest, highest = -stride, -highest, -lowest
        known = merged.get(stride, (0, 0))
        merged[stride] = (known[0] + lowest, known[1] + highest)
    return _Search(sorted(((s, lo, hi) for s, (lo, hi) in merged.items()), reverse=True), low, high).from_(0, start)


class _Search:
    """Depth first over the variables by falling stride, pruned by the range and the gcd of the rest."""

    def __init__(self, variables: list[Variable], low: int, high: int) -> None:
        self._variables, self._low, self._high = variables, low, high
        self._rest: list[tuple[int, int, int]] = [(0, 0, 0)]  # lowest sum, highest sum, gcd of variables k, k+1 ...
        for stride, lowest, highest in reversed(variables):
            least, most, divisor = self._rest[-1]
            self._rest.append((least + stride * lowest, most + stride * highest, gcd(divisor, stride)))
        self._rest.reverse()
        self._nodes = 0

    def from_(self, k: int, value: int) -> bool:
        """Whether variables k and on can bring `value` into the interval."""
        least, most, divisor = self._rest[k]
        low, high = max(self._low, value + least), min(self._high, value + most)
        if low > high:
            return False
        if k == len(self._variables):
            return True
        if value - (value - low) // divisor * divisor > high:  # the first value reachable modulo the gcd
            return False
        if k == len(self._variables) - 1:
            return True
        stride, lowest, highest = self._variables[k]
        least, most, _ = self._rest[k + 1]
        first = max(lowest, -((value + most - self._low) // stride))
        last = min(highest, (self._high - least - value) // stride)
        for choice in range(first, last + 1):
            self._nodes += 1
            if self._nodes > MAX_NODES or self.from_(k + 1, value + stride * choice):
                return True
        return False
