"""Tiles of a tensor: boxes of it, each a value of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from compiler.dialects import attributes as attr
from emu.program.form import Box


@dataclass(frozen=True, slots=True)
class Tile:
    """The `box` of a tensor as `value`, which a compute of `cluster` makes (None: no cluster or compute)."""

    box: Box
    value: SSAValue
    cluster: int | None = None

    @property
    def low(self) -> int:
        """The first channel."""
        return self.box[-1][0]

    @property
    def high(self) -> int:
        """The channel after the last."""
        return self.box[-1][1]

    def shifted(self, axis: int, by: int) -> Tile:
        """The same tile in a tensor in which it begins `by` places further on along `axis`."""
        box = list(self.box)
        low, high = box[axis]
        box[axis] = low + by, high + by
        return Tile(tuple(box), self.value, self.cluster)


def whole_tile(value: SSAValue) -> Tile:
    """A tensor that is one tile."""
    return Tile(tuple((0, size) for size in attr.shape_of(value)), value)


def overlap(box: Box, other: Box) -> Box | None:
    """The box that two boxes have in common; None if there is none."""
    common = tuple((max(a[0], b[0]), min(a[1], b[1])) for a, b in zip(box, other, strict=True))
    return common if all(low < high for low, high in common) else None


def overlapping(tiles: Sequence[Tile], box: Box) -> list[tuple[Tile, Box]]:
    """The tiles that make up `box` of their tensor, each with what it has of it, as a box of the tensor."""
    first, end = box[-1]  # tiles mostly differ in their channels: those beside them are passed over at once
    found = [(tile, overlap(tile.box, box)) for tile in tiles if tile.box[-1][0] < end and first < tile.box[-1][1]]
    return [(tile, common) for tile, common in found if common is not None]


def channel_ranges(tiles: Sequence[Tile], box: Box) -> list[tuple[int, int]]:
    """The ranges of channels that tiles have in the middle of `box`: others may be cut in another way."""
    middle = tuple(((low + high - 1) // 2, (low + high - 1) // 2 + 1) for low, high in box[:-1])
    return sorted(common[-1] for _, common in overlapping(tiles, (*middle, box[-1])))
