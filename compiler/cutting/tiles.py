"""Channel tiles of a tensor: ranges of its channels, each a value of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue


@dataclass(frozen=True, slots=True)
class Tile:
    """Channels [low, high) of a tensor as `value`, which a compute of `cluster` makes (None: no cluster or compute)."""

    low: int
    high: int
    value: SSAValue
    cluster: int | None = None

    def shifted(self, by: int) -> Tile:
        """The same tile in a tensor in which it begins `by` channels further on."""
        return Tile(self.low + by, self.high + by, self.value, self.cluster)


def slices(tiles: Sequence[Tile], low: int, high: int) -> list[tuple[Tile, int, int]]:
    """(tile, first channel within it, number of channels) that make up channels [low, high)."""
    parts: list[tuple[Tile, int, int]] = []
    for tile in tiles:
        begin, end = max(low, tile.low), min(high, tile.high)
        if begin < end:
            parts.append((tile, begin - tile.low, end - begin))
    return parts
