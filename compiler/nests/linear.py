"""Affine functions of the counters of loops: which index of a tensor a point of a nest has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant + sum(factor * counter)`, with `factors` as pairs (dimension, factor), ascending, none of them 0."""

    constant: int = 0
    factors: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(constant: int, factors: Mapping[int, int]) -> Linear:
        """From factors by dimension."""
        return Linear(constant, tuple(sorted((dim, factor) for dim, factor in factors.items() if factor)))

    @staticmethod
    def dim(dimension: int) -> Linear:
        """The counter of one dimension."""
        return Linear(0, ((dimension, 1),))

    @property
    def only(self) -> int | None:
        """The dimension whose counter it is; None if it is anything else."""
        return self.factors[0][0] if not self.constant and len(self.factors) == 1 and self.factors[0][1] == 1 else None

    def factor(self, dimension: int) -> int:
        """How much it grows per step of a dimension."""
        return next((factor for dim, factor in self.factors if dim == dimension), 0)

    def range(self, sizes: Sequence[int]) -> tuple[int, int]:
        """The least and the largest value, where counter d goes from 0 to sizes[d] - 1."""
        low = high = self.constant
        for dim, factor in self.factors:
            reach = factor * (sizes[dim] - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high

    def plus(self, constant: int) -> Linear:
        """The same function, `constant` more."""
        return Linear(self.constant + constant, self.factors)

    def substituted(self, dims: Mapping[int, Linear] | Sequence[Linear]) -> Linear:
        """With a function of other counters in the place of each counter."""
        constant, factors = self.constant, dict[int, int]()
        for dim, factor in self.factors:
            inner = dims[dim]
            constant += factor * inner.constant
            for other, size in inner.factors:
                factors[other] = factors.get(other, 0) + factor * size
        return Linear.of(constant, factors)

    def scaled(self, factor: int) -> Linear:
        """`factor` times this."""
        return Linear.of(factor * self.constant, {dim: factor * size for dim, size in self.factors})


Map = tuple[Linear, ...]  # one index per dimension of a tensor


def identity(rank: int) -> Map:
    """Index k is counter k."""
    return tuple(Linear.dim(dim) for dim in range(rank))


def broadcast_map(shape: Sequence[int], rank: int) -> Map:
    """How a tensor of `shape` is read where it broadcasts to `rank` dimensions."""
    ahead = rank - len(shape)
    return tuple(Linear() if size == 1 else Linear.dim(ahead + place) for place, size in enumerate(shape))


def covers(target: Map, shape: Sequence[int], sizes: Sequence[int], parallel: Sequence[bool]) -> bool:
    """Whether the points of the parallel dimensions meet each element of a tensor of `shape` exactly once.

    Each of them must count in one index, and each index be a number whose digits are counters.
    """
    used = [dim for index in target for dim, _ in index.factors if sizes[dim] != 1]
    if len(used) != len(set(used)) or set(used) != {d for d, size in enumerate(sizes) if parallel[d] and size != 1}:
        return False
    for index, size in zip(target, shape, strict=True):
        base = 1
        for factor, dim in sorted((factor, dim) for dim, factor in index.factors if sizes[dim] != 1):
            if factor != base:
                return False
            base *= sizes[dim]
        if index.constant or base != size:
            return False
    return True
