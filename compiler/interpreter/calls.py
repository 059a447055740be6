"""A kernel on tiles, of which all rows are there or some, as its meaning sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from compiler.basis.weights import Array
from compiler.dialects.types import dtype_of
from compiler.interpreter.world import Undefined, World


@dataclass(frozen=True, slots=True)
class TileRows:
    """Rows of a tile, from `first` on, of `total` that the whole tile has: [row][...][channel]."""

    array: Array
    first: int
    total: int


@dataclass(frozen=True, slots=True)
class KernelCall:
    """A kernel and what it is given; it is to make `count` rows of its outputs, from `first` on.

    `constants` are its buffers of constant data, None on tensors. `kept` are the buffers that hold something from one
    instance of it to the next, which it may write.
    """

    op: Any
    tiles: Sequence[TileRows]
    first: int
    count: int
    world: World
    constants: Sequence[Array] | None = None
    kept: Sequence[Array] = field(default_factory=list[Array])

    def rows(self, index: int, low: int, high: int) -> Array:
        """Rows [low, high) of an input; raises Undefined if it does not hold them."""
        tile = self.tiles[index]
        if low < tile.first or high > tile.first + len(tile.array):
            held = f"[{tile.first}, {tile.first + len(tile.array)})"
            raise Undefined(self.op, f"needs rows [{low}, {high}) of input {index}, of which {held} are there")
        return tile.array[low - tile.first : high - tile.first]

    def same_rows(self, index: int) -> Array:
        """The rows of an input that are those of the outputs; of one with one row only, that."""
        broadcast = self.tiles[index].total == 1 != self.shape(0)[0]
        return self.rows(index, *((0, 1) if broadcast else (self.first, self.first + self.count)))

    def whole(self, index: int) -> Array:
        """All rows of an input."""
        return self.rows(index, 0, self.tiles[index].total)

    def shape(self, index: int) -> tuple[int, ...]:
        """The sizes of a whole output."""
        return self.op.output_shapes[index]

    def made(self, index: int = 0) -> tuple[int, ...]:
        """The sizes of what is to be made of an output."""
        return (self.count, *self.shape(index)[1:])

    def dtype(self, index: int = 0) -> np.dtype[Any]:
        """The element type of an output."""
        return dtype_of(self.op.outputs[index]).numpy

    def weights(self, name: str) -> Array:
        """The array of the weight store that a property names."""
        return self.world.weights.get(self.op.properties[name].data)

    def bias(self, index: int, low: int, high: int) -> Array | None:
        """The biases of channels [low, high), which its constant `index` holds on buffers; None without any."""
        if self.op.properties.get("bias") is None:
            return None
        if self.constants:
            return self.constants[index].reshape(-1)
        return self.weights("bias")[low:high]


KernelMeaning: TypeAlias = Callable[[KernelCall], Sequence[Array]]
