"""The record of work: what a matrix, a part of one, a compute or a core takes, wherever a network is mapped."""

from __future__ import annotations

from dataclasses import dataclass

WORD = 4  # bytes of an element and of a partial sum


@dataclass(frozen=True, slots=True)
class Work:
    """Logical `crossbars`; `products` of one with a pixel, per sample; `nbytes` of the results of a sample.

    An element of a result has `WORD` bytes.
    """

    crossbars: int = 0
    products: int = 0
    nbytes: int = 0

    def __add__(self, other: Work) -> Work:
        """What takes both."""
        return Work(self.crossbars + other.crossbars, self.products + other.products, self.nbytes + other.nbytes)

    def within(self, most: Work) -> bool:
        """Whether it takes no more of anything."""
        return self.crossbars <= most.crossbars and self.products <= most.products and self.nbytes <= most.nbytes


class Grid:
    """What is cut into rectangles and placed: row tiles x column tiles, each a crossbar that multiplies every pixel."""

    pixels: int  # per sample

    @property
    def grid(self) -> tuple[int, int]:
        """Row tiles, column tiles."""
        raise NotImplementedError

    def group_sizes(self) -> list[tuple[int, int]]:
        """The ranges of row tiles that better stay together, as half-open indices."""
        return [(0, self.grid[0])]

    @property
    def work(self) -> Work:
        """That of all crossbars, without results."""
        rows, columns = self.grid
        return Work(rows * columns, rows * columns * self.pixels)
