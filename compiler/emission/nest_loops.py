"""Loops of a nest: neighbouring dimensions become one, the best one the vector, all others loops around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.emission.strip import Strip
from emu.isa.address import Address


@dataclass(frozen=True, slots=True)
class StripAccess:
    """Elements of a strip that a nest reads or writes: `strides` are the bytes per step of each dimension.

    The first one stands `offset` bytes after row `row`; `steps` are further (loop, bytes) of the address.
    """

    strip: Strip
    strides: tuple[int, ...]
    row: int = 0
    offset: int = 0
    steps: tuple[tuple[int, int], ...] = ()

    def matrix(self, loops: Sequence[tuple[int, int]], row: int, column: int) -> Address:
        """The address, in `loops`, of a matrix whose rows and columns are these dimensions (-1: it has one)."""
        pitch = self.strides[row] // self.strip.word if row >= 0 else 0
        return replace(self.at(loops, column), pitch=pitch)

    def at(self, loops: Sequence[tuple[int, int]], vector: int, shift: int = 0) -> Address:
        """The address in `loops`, pairs (loop, dimension), with elements along the dimension `vector` (-1: one).

        `shift`: elements of the vector that are left out at its begin.
        """
        steps = [(loop, self.strides[dim]) for loop, dim in loops]
        step = self.strides[vector] if vector >= 0 else self.strip.word
        return self.strip.at(
            *self.steps,
            *steps,
            row=self.row,
            offset=self.offset + shift * step,
            stride=step // self.strip.word,
        )


@dataclass(frozen=True, slots=True)
class NestSpace:
    """Dimensions of a nest: sizes, which are parallel, and what accesses them."""

    sizes: tuple[int, ...]
    parallel: tuple[bool, ...]
    accesses: tuple[StripAccess, ...]

    def ordered(self, by: int) -> NestSpace:
        """Without dimensions of size 1; parallel ones first, in the order in which access `by` has them in memory."""
        strides = self.accesses[by].strides
        dims = [dim for dim, size in enumerate(self.sizes) if size != 1]
        dims.sort(key=lambda dim: (not self.parallel[dim], -abs(strides[dim]) if self.parallel[dim] else 0))
        return self._of(dims)

    def _of(self, dims: Sequence[int]) -> NestSpace:
        return NestSpace(
            tuple(self.sizes[dim] for dim in dims),
            tuple(self.parallel[dim] for dim in dims),
            tuple(replace(access, strides=tuple(access.strides[dim] for dim in dims)) for access in self.accesses),
        )

    def merged(self) -> NestSpace:
        """With neighbouring dimensions of one kind as one, where every access steps over them evenly."""
        space, dim = self, 0
        while dim + 1 < len(space.sizes):
            inner = space.sizes[dim + 1]
            even = all(access.strides[dim] == inner * access.strides[dim + 1] for access in space.accesses)
            if even and space.parallel[dim] == space.parallel[dim + 1]:
                sizes = list(space.sizes)
                sizes[dim : dim + 2] = [sizes[dim] * inner]
                kept = [place for place in range(len(space.sizes)) if place != dim]
                space = replace(space._of(kept), sizes=tuple(sizes))
            else:
                dim += 1
        return space

    def vector(self, reductions: bool) -> int:
        """The dimension that makes the fewest, longest vectors; of nearly equal ones that which steps by elements.

        One that is parallel unless `reductions` may be vectors, too. -1: there is none, every point is by itself.
        """
        fit = [dim for dim, parallel in enumerate(self.parallel) if parallel or reductions]
        if not fit:
            return -1
        longest = max(self.sizes[dim] for dim in fit)
        near = [dim for dim in fit if 4 * self.sizes[dim] > longest]
        return max(near, key=lambda dim: (self._dense(dim), self.sizes[dim]))

    def _dense(self, dim: int) -> int:
        """Accesses that step from element to element along a dimension."""
        return sum(abs(access.strides[dim]) <= access.strip.word for access in self.accesses)
