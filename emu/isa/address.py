"""Addresses: affine in the loop counters, with optional register and modulo terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

Count = TypeVar("Count", int, np.ndarray)  # a loop counter, or many at once (int64)


class Term(NamedTuple):
    """`stride * ((counter[loop] + offset) mod modulus)`; `modulus` 0 means no modulo (and no offset)."""

    loop: int  # depth of the enclosing loop, outermost first
    stride: int  # bytes
    offset: int = 0
    modulus: int = 0

    def at(self, count: Count) -> Count:
        """Bytes that this term adds where its loop counter is `count`."""
        return self.stride * ((count + self.offset) % self.modulus if self.modulus else count)

    def value(self, counters: Sequence[int]) -> int:
        """Bytes that this term adds at the given loop counters."""
        return self.at(counters[self.loop])

    def counts(self, low: int, high: int) -> range | None:
        """What offset and modulus make of the counters [low, high); None if some of its values are left out."""
        first, number = low, high - low
        if self.modulus:
            first = (low + self.offset) % self.modulus
            if first + number > self.modulus:
                return range(self.modulus) if number >= self.modulus else None
        return range(first, first + number)

    def reach(self, low: int, high: int) -> tuple[int, int]:
        """Bounds of what it adds while the counter goes through [low, high), at least one value."""
        counts = self.counts(low, high)
        first, last = (counts[0], counts[-1]) if counts else (0, self.modulus - 1)
        ends = self.stride * first, self.stride * last
        return min(ends), max(ends)


@dataclass(frozen=True, slots=True)
class Address:
    """`base + r[reg] + sum(terms)` bytes; `stride` is the distance of successive elements, in elements.

    Operands of rows have a `pitch` besides: the distance of successive rows, in elements. 0: they follow each other,
    so that the first element of a row is one stride behind the last one of the row before.
    """

    base: int
    terms: tuple[Term, ...] = ()
    reg: int = -1  # -1: no register
    stride: int = 1  # 0 broadcasts one element
    pitch: int = 0

    def value(self, counters: Sequence[int], registers: Sequence[int]) -> int:
        """The byte address at the given loop counters and register values."""
        total = self.base + (registers[self.reg] if self.reg >= 0 else 0)
        for term in self.terms:
            total += term.at(counters[term.loop])
        return total
