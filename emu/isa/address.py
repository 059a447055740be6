"""Addresses: affine in the loop counters, with optional register and modulo terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """`stride * ((counter[loop] + offset) mod modulus)`; `modulus` 0 means no modulo (and no offset)."""

    loop: int  # depth of the enclosing loop, outermost first
    stride: int  # bytes
    offset: int = 0
    modulus: int = 0

    def value(self, counters: Sequence[int]) -> int:
        """Bytes that this term adds at the given loop counters."""
        count = counters[self.loop]
        if self.modulus:
            count = (count + self.offset) % self.modulus
        return self.stride * count


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
            total += term.value(counters)
        return total
