"""Where the elements stand that a nest reads and writes, on some rows of its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from compiler.emission.nest_loops import StripAccess
from compiler.emission.strip import Strip
from compiler.nests.linear import Map


@dataclass(frozen=True, slots=True)
class RowPart:
    """Rows of the result `out`, from `row` on, that do not wrap; dimension `counter` of `dimensions` counts them.

    None: there is one row, or several dimensions make up the rows, all of which are made together.
    """

    out: Strip
    row: int
    counter: int | None
    dimensions: int

    def tile(self, strip: Strip, indices: Map, shape: Sequence[int], streams: bool) -> StripAccess:
        """Of a tile of `shape`: its rows advance with those of the result if it `streams`, or it is all there."""
        if not streams:
            return self.whole(strip, (indices[0].plus(-strip.rows.first), *indices[1:]), shape)
        scale = indices[0].factors[0][1] if indices[0].factors else 0
        strides, offset = self._bytes(indices[1:], shape[1:], strip.word)
        if self.counter is not None:
            strides[self.counter] += scale * strip.row
        elif strip is self.out:
            rows, _ = self._bytes(indices[:1], shape[:1], strip.row)
            strides = [a + b for a, b in zip(strides, rows, strict=True)]
        return StripAccess(strip, tuple(strides), scale * self.row, offset)

    def whole(self, strip: Strip, indices: Map, shape: Sequence[int]) -> StripAccess:
        """Of something that is all there: it advances with the number of the row, not with the rows of a ring."""
        strides, offset = self._bytes(indices, shape, strip.word)
        if self.counter is None:
            return StripAccess(strip, tuple(strides), 0, offset)
        rows, step = self.out.rows, strides[self.counter]
        offset += step * (rows.first + self.row)
        return StripAccess(strip, tuple(strides), 0, offset, ((self.out.loop, step * rows.step),))

    def _bytes(self, indices: Map, shape: Sequence[int], word: int) -> tuple[list[int], int]:
        """Bytes per step of each dimension, and of the first point, in a dense tensor of `shape`."""
        strides, offset = [0] * self.dimensions, 0
        for place, index in enumerate(indices):
            step = word * prod(shape[place + 1 :])
            offset += index.constant * step
            for dim, factor in index.factors:
                strides[dim] += factor * step
        return strides, offset
