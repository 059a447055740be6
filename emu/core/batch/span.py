"""An operand of a nest before its address is known: all offsets are relative to its element 0."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.batch.access import Access, AccessShape


@dataclass(frozen=True, slots=True)
class Span:
    """An access whose `first`, `low` and `high` are byte offsets from the address of its element 0."""

    position: int
    operand: int
    shape: AccessShape
    first: int
    low: int
    high: int

    def at(self, address: int) -> Access:
        """The access at `address`."""
        first, low, high = address + self.first, address + self.low, address + self.high
        return Access(self.position, self.operand, self.shape, address, first, low, high)


def span_of(access: Access) -> Span:
    """The span of `access`, which must be at address 0."""
    return Span(access.position, access.operand, access.shape, access.first, access.low, access.high)
