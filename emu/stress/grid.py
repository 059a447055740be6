"""The mesh that patterns are laid on: all cores, in rows and columns as square as their number allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt


@dataclass(frozen=True, slots=True)
class CoreGrid:
    """`rows` x `cols` cores, numbered row by row, like `emu.noc.traffic.topology.Mesh`."""

    rows: int
    cols: int

    @property
    def square(self) -> bool:
        """Whether it has as many rows as columns."""
        return self.rows == self.cols

    def cells(self) -> Iterator[tuple[int, int]]:
        """(row, column) of every core, in order."""
        return ((core // self.cols, core % self.cols) for core in range(self.rows * self.cols))

    def core(self, row: int, col: int) -> int:
        """The core at (row, column), both taken modulo the grid's size."""
        return row % self.rows * self.cols + col % self.cols

    def inside(self, row: int, col: int) -> bool:
        """Whether (row, column) is on the grid."""
        return 0 <= row < self.rows and 0 <= col < self.cols


def grid_of(cores: int) -> CoreGrid:
    """The grid of `cores` cores whose sides differ least; a prime number of cores is one row."""
    rows = next(side for side in range(isqrt(cores), 0, -1) if cores % side == 0)
    return CoreGrid(rows, cores // rows)
