"""Ranges of converters from the currents that data gives: the whole of them, a percentage, or the least error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from emu.analog.converters import codes
from launch.analog.histogram import GrowingHistogram
from launch.analog.options import PERCENTILE

_STEPS = 64  # ranges that are tried for the least error
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ConverterFacts:
    """What converters of a slice get: of both signs or not, at most `most` in magnitude, in currents of one cell.

    `unit` is the smallest difference of currents, of which all are whole multiples; None if they may be anything.
    `bits` of the converter, None: it is ideal; `odd`: from below 0 it has a code less than 2^bits, the middle one is 0.
    """

    signed: bool
    most: float
    unit: float | None
    bits: int | None
    odd: bool

    def steps(self, low: float) -> int:
        """From the lowest code, which stands for `low`, to the highest one; 0 of an ideal converter."""
        return 0 if self.bits is None else codes(self.bits, self.odd, low < 0) - 1

    @property
    def lossless_bits(self) -> int | None:
        """Bits that lose nothing whatever the data is: ceil(log2(2 Y + 1)), or Y + 1 without signs, for Y units."""
        return None if self.unit is None else self._bits(round(self.most / self.unit) * (1 + self.signed), self.signed)

    def bits_for(self, lowest: float, highest: float) -> int | None:
        """Bits that lose nothing of currents between these; None where they may be anything."""
        return None if self.unit is None else self._bits(round((highest - lowest) / self.unit), lowest < 0)

    def _bits(self, steps: int, negative: bool) -> int:
        odd = self.odd and negative
        return max(1 + odd, ceil(log2(steps + 1 + odd)))


def _whole(found: GrowingHistogram, facts: ConverterFacts, percentile: float) -> Span:
    return found.lowest, found.highest


def _percentile(found: GrowingHistogram, facts: ConverterFacts, percentile: float) -> Span:
    beyond = (100 - percentile) / 200
    return found.below(beyond), found.below(1 - beyond)


def _least_error(found: GrowingHistogram, facts: ConverterFacts, percentile: float) -> Span:
    """The range whose codes are off least, by the mean square.

    Ends are drawn towards the mean: first both, then each by itself.
    """
    if facts.bits is None:
        return found.lowest, found.highest
    values, counts = found.centres()
    mean = float(np.average(values, weights=counts))

    def error(parts: tuple[int, int]) -> float:
        low, high = span(parts)
        steps = facts.steps(low)
        step = (high - low) / steps if steps else 0.0
        if not step:
            return np.inf
        made = low + step * np.clip(np.rint((values - low) / step), 0, steps)
        return float((made - values) ** 2 @ counts)

    def span(parts: tuple[int, int]) -> Span:
        low, high = (end + (mean - end) * (1 - part / _STEPS) for end, part in zip(ends, parts, strict=True))
        return low, high

    ends, parts = (found.lowest, found.highest), range(_STEPS, 0, -1)
    low, high = min(((part, part) for part in parts), key=error)
    low, high = min(((low, part) for part in parts), key=error)
    return span(min(((part, high) for part in parts), key=error))


METHODS: Mapping[str, Callable[[GrowingHistogram, ConverterFacts, float], Span]] = {
    "min-max": _whole,
    "percentile": _percentile,
    "mse": _least_error,
}


_CLOSE = 1e-6  # units: what rounding of sums leaves of them


def chosen_range(found: GrowingHistogram, facts: ConverterFacts, method: str, percentile: float = PERCENTILE) -> Span:
    """The lowest and the highest current that codes stand for, by a row of METHODS.

    Where codes suffice for the currents one by one, or for those that the method keeps, a step is their unit, and codes
    that are left are on both sides. What had no current at all gets all that it could.
    """
    if found.empty:
        return (-facts.most if facts.signed else 0.0), facts.most
    kept = (found.lowest, found.highest)
    if not _fits(kept, facts):
        kept = METHODS[method](found, facts, percentile)
    low, high = kept
    if facts.unit is None or facts.bits is None:
        return (low, high) if high > low else (low, low + (facts.unit or facts.most or 1.0))
    first, last = np.floor(low / facts.unit + _CLOSE), np.ceil(high / facts.unit - _CLOSE)
    spare = facts.steps(first) - int(last - first)
    if spare < 0:
        return low, high
    before = spare // 2 if first < 0 else min(spare // 2, int(first))  # a range from 0 on has all codes
    return float((first - before) * facts.unit), float((last + spare - before) * facts.unit)


def _fits(kept: Span, facts: ConverterFacts) -> bool:
    """Whether every current has a code of its own."""
    if facts.unit is None or facts.bits is None:
        return False
    return round((kept[1] - kept[0]) / facts.unit) <= facts.steps(kept[0])
