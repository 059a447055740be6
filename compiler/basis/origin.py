"""Which element of which tensor of the network stands where in an array of the weight store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.image.cells import Indices, numbers_from_text, numbers_text

Array = NDArray[Any]
LOOKED_AT = 1 << 13  # elements of a view that are compared with their sum: all, or so many that are spread over it


@dataclass(frozen=True, slots=True, eq=False)
class ElementOrigin:
    """Element [i, j, ...] of an array is, or is computed from, element `start + moves[0][i] + moves[1][j] + ...`.

    That is counted in C order in `tensor` [*shape].
    """

    tensor: str
    shape: tuple[int, ...]
    start: int
    moves: tuple[Indices, ...]

    @staticmethod
    def of(tensor: str, array: Array) -> ElementOrigin:
        """The origin of the tensor itself."""
        steps = [prod(array.shape[axis + 1 :]) for axis in range(array.ndim)]
        moves = (np.arange(size, dtype=np.int64) * step for size, step in zip(array.shape, steps, strict=True))
        return ElementOrigin(tensor, array.shape, 0, tuple(moves))

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether it can be that of an array [*shape]."""
        return tuple(map(len, self.moves)) == tuple(shape)

    def of_view(self, array: Array, view: Array, shape: Sequence[int]) -> ElementOrigin | None:
        """The origin of an array [*shape] that holds, in C order, the elements of `view`, a view of `array`.

        `self` is the origin of `array`. None if no such sum says it, or `view` shares no memory with `array`.
        """
        if not view.size or not np.may_share_memory(array, view) or not _places_differ(array):
            return None
        view = np.atleast_1d(view)
        steps = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
        moves = [self._found(array, view, np.arange(size) * step) for size, step in zip(shape, steps, strict=True)]
        start = int(self._found(array, view, np.zeros(1, np.int64))[0])
        moves = [move - start for move in moves]
        places = np.linspace(0, view.size - 1, min(view.size, LOOKED_AT)).astype(np.int64)
        sums = np.full(places.shape, start, np.int64)
        for move, at in zip(moves, np.unravel_index(places, shape) if shape else (), strict=True):
            sums += move[at]
        if not np.array_equal(sums, self._found(array, view, places)):
            return None
        return ElementOrigin(self.tensor, self.shape, start, tuple(moves))

    def _found(self, array: Array, view: Array, at: Indices) -> Indices:
        """The elements of the tensor that stand at the places `at`, in C order, of a view."""
        offset = _address(view) - _address(array)
        for place, step in zip(np.unravel_index(at, view.shape), view.strides, strict=True):
            offset = offset + place * step
        found = np.full(at.shape, self.start, np.int64)
        axes = [(axis, *both) for axis, both in enumerate(zip(array.shape, array.strides, strict=True))]
        # Bytes from the element that stands first in memory: those of axes that go backwards count from their end.
        offset = offset - sum((size - 1) * step for _, size, step in axes if step < 0)
        for axis, size, step in sorted(axes, key=lambda row: -abs(row[2])):
            if size > 1:
                place, offset = np.divmod(offset, abs(step))
                found += self.moves[axis][place if step > 0 else size - 1 - place]
        return found

    def texts(self) -> tuple[str, ...]:
        """All of it as texts, in the form of `from_texts`."""
        shape = ",".join(map(str, self.shape))
        return self.tensor, shape, str(self.start), *map(numbers_text, self.moves)

    @staticmethod
    def from_texts(tensor: str, shape: str, start: str, *moves: str) -> ElementOrigin:
        """The origin that `texts` gave; raises ValueError for others."""
        sizes = tuple(int(size) for text in shape.split(",") if shape for size in numbers_from_text(text))
        first, *more = numbers_from_text(start).tolist()
        if more or min(sizes, default=0) < 0:
            raise ValueError(f"{shape!r} from {start!r} on is no tensor")
        return ElementOrigin(tensor, sizes, first, tuple(map(numbers_from_text, moves)))

    @property
    def taps(self) -> Indices:
        """What the axes after the first two add, in C order: of filters, the positions of the kernel."""
        none = np.zeros(1, np.int64)
        return reduce(lambda so_far, move: np.add.outer(so_far, move).reshape(-1), self.moves[2:], none)


def _address(array: Array) -> int:
    """Where the first element stands."""
    return int(array.__array_interface__["data"][0])


def _places_differ(array: Array) -> bool:
    """Whether each element has a place of its own, so that the place tells which it is."""
    return all(step for size, step in zip(array.shape, array.strides, strict=True) if size > 1)
