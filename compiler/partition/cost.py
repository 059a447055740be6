"""What a way to cut costs: the time of the largest part, and what is sent, in nanoseconds of no chip in particular.

The figures stand between those of published chips, for which programs are compiled, and those of an emulation of them
by processes, where a message costs more and a product less. Only their ratios decide anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from compiler.partition.matrix import BlockMatrix, FilterMatrix, Matrix

Span = tuple[int, int]

PRODUCT_NS = 2000  # of a pixel: ISAAC publishes 1600 ns for a product of 16-bit inputs, PUMA 2304
COLUMN_NS = 1000  # of each further array group: PUMA's core multiplies with one at a time, ISAAC's with all at once
ROW_NS = 60  # of each row tile: its inputs are gathered and read, at 32 bytes in 2 to 3 ns
BYTE_NS = 2  # links of both chips take 4 bytes per ns, processes up to 2 ns for each
MESSAGE_NS = 50_000  # next to nothing on a chip, some 100 us between processes
WORD = 4  # bytes of an element and of a partial sum


@dataclass(frozen=True)
class Cut:
    """A matrix and the ranges of its row tiles and column tiles (or blocks) that make its parts, one core each."""

    matrix: Matrix
    rows: tuple[Span, ...]
    cols: tuple[Span, ...]

    @property
    def parts(self) -> int:
        """How many there are."""
        return len(self.rows) * len(self.cols)

    @property
    def crossbars(self) -> int:
        """Logical crossbars of the largest part."""
        return longest(self.rows) * longest(self.cols)

    @property
    def work(self) -> int:
        """Products per sample of the largest part."""
        return self.crossbars * self.matrix.pixels

    @property
    def nanoseconds(self) -> float:
        """Time of the largest part, and of all that is sent."""
        nbytes, messages = sent(self)
        return part_time(self.matrix, self.rows, self.cols) + BYTE_NS * nbytes + MESSAGE_NS * messages


def longest(spans: Iterable[Span]) -> int:
    """The size of the largest range."""
    return max(high - low for low, high in spans)


def part_time(matrix: Matrix, rows: Iterable[Span], cols: Iterable[Span]) -> float:
    """Nanoseconds per sample of the largest part, by the pixel."""
    wide, high = longest(cols), longest(rows)
    return matrix.pixels * (PRODUCT_NS + COLUMN_NS * (wide - 1) + ROW_NS * high)


def sent(cut: Cut) -> tuple[int, int]:
    """Bytes and messages per sample: inputs that every part is sent, partial sums that meet.

    A part of few rows is sent the channel tiles that it multiplies, as a whole.
    """
    matrix, across = cut.matrix, len(cut.cols)
    if isinstance(matrix, BlockMatrix):
        return WORD * matrix.source_pixels * matrix.groups * matrix.group_channels, across
    channels = sum(_channels(matrix, rows) for rows in cut.rows)
    sums = len(cut.rows) - 1
    inputs, outputs = channels * matrix.source_pixels, matrix.filters * matrix.pixels
    return WORD * (across * inputs + sums * outputs), cut.parts + sums * across


def _channels(matrix: FilterMatrix, rows: Span) -> int:
    tiles = {matrix.row_tiles[row].tile for row in range(*rows)}
    return sum(high - low for low, high in (matrix.channel_tiles[tile] for tile in tiles))
