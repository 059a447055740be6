"""An operand of a nest wherever it is."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.batch.access import Access, Shape


@dataclass(frozen=True, slots=True)
class Span:
    """An access relative to the address of its first element."""

    position: int
    operand: int
    shape: Shape
    first: int
    low: int
    high: int

    def at(self, address: int) -> Access:
        """The access at `address`."""
        first, low, high = address + self.first, address + self.low, address + self.high
        return Access(self.position, self.operand, self.shape, address, first, low, high)


def span_of(access: Access) -> Span:
    """`access`, which is at address 0, as a span."""
    return Span(access.position, access.operand, access.shape, access.first, access.low, access.high)
