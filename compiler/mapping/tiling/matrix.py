"""Weight matrices cut into crossbars: row tiles of kernel positions and channels, column tiles of filters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Literal

from compiler.mapping.work import Grid
from emu.arch import Arch
from emu.isa.dtypes import DType

Packing = Literal["dense", "kernel"]


@dataclass(frozen=True, slots=True)
class RowTile:
    """Rows [start, stop) of one channel tile, in (..., kernel y, kernel x, channel) order: wordlines of a crossbar."""

    tile: int  # index of the channel tile
    start: int
    stop: int


def ranges(total: int, size: int) -> tuple[tuple[int, int], ...]:
    """[0, total) cut into half-open ranges of `size`, the last one the rest."""
    return tuple((low, min(low + size, total)) for low in range(0, total, size))


def cut_ranges(total: int, size: int, cuts: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """[0, total) cut at `cuts`, and every part into half-open ranges of at most `size`."""
    return tuple(
        (begin + low, begin + high)
        for begin, end in pairwise((0, *cuts, total))
        for low, high in ranges(end - begin, size)
    )


@dataclass(frozen=True)
class FilterMatrix(Grid):
    """The crossbars of one convolution or matrix product without groups: a grid of row tiles x column tiles.

    The matrix has the taps of the `kernel` x `channels` rows and `filters` columns; crossbars hold `rows` x `cols`
    weights. `pixels` is the number of matrix-vector products per sample: the work of each crossbar. A *tile group* is
    one channel tile x one column tile. No tile crosses a channel of `channel_cuts` or a filter of `filter_cuts`.
    """

    node: str
    channels: int
    filters: int
    kernel: tuple[int, ...]
    pixels: int
    rows: int  # of a crossbar
    cols: int
    packing: Packing
    channel_cuts: tuple[int, ...] = ()
    filter_cuts: tuple[int, ...] = ()
    source: int | None = None  # pixels of a sample of what is multiplied; None: as many as of the result

    @property
    def source_pixels(self) -> int:
        """Pixels of a sample of what is multiplied."""
        return self.pixels if self.source is None else self.source

    @property
    def elements(self) -> int:
        """Of a sample of what is multiplied."""
        return self.channels * self.source_pixels

    @cached_property
    def channel_tiles(self) -> tuple[tuple[int, int], ...]:
        """Channel ranges of at most one crossbar's rows."""
        return cut_ranges(self.channels, self.rows, self.channel_cuts)

    @cached_property
    def row_tiles(self) -> tuple[RowTile, ...]:
        """Row tiles in the order in which partial sums are added.

        `kernel` packing gives every kernel position of a channel tile its own crossbar; `dense` packing cuts the
        rows of all positions of a channel tile into full crossbars.
        """
        positions, tiles = prod(self.kernel), list[RowTile]()
        for tile, (low, high) in enumerate(self.channel_tiles):
            width = high - low
            step = width if self.packing == "kernel" else self.rows
            tiles += [RowTile(tile, start, stop) for start, stop in ranges(positions * width, step)]
        return tuple(tiles)

    @cached_property
    def col_tiles(self) -> tuple[tuple[int, int], ...]:
        """Filter ranges of at most one crossbar's columns."""
        return cut_ranges(self.filters, self.cols, self.filter_cuts)

    @property
    def grid(self) -> tuple[int, int]:
        """Row tiles, column tiles."""
        return len(self.row_tiles), len(self.col_tiles)

    @property
    def tile_groups(self) -> int:
        """Channel tiles x column tiles."""
        return len(self.channel_tiles) * len(self.col_tiles)

    def group_sizes(self) -> list[tuple[int, int]]:
        """The ranges of row tiles of the tile groups under one column tile, as half-open indices."""
        bounds, begin = list[tuple[int, int]](), 0
        for index, row in enumerate(self.row_tiles):
            if index + 1 == len(self.row_tiles) or self.row_tiles[index + 1].tile != row.tile:
                bounds.append((begin, index + 1))
                begin = index + 1
        return bounds


@dataclass(frozen=True)
class BlockMatrix(Grid):
    """The crossbars of a convolution of small groups: each holds a range of groups, block-diagonally.

    A group has `group_channels` channels and `group_filters` filters; no range crosses a group of `group_cuts`.
    """

    node: str
    groups: int
    group_channels: int
    group_filters: int
    kernel: tuple[int, ...]
    pixels: int
    rows: int
    cols: int
    group_cuts: tuple[int, ...] = ()
    source: int | None = None  # as of a FilterMatrix

    @property
    def source_pixels(self) -> int:
        """Pixels of a sample of what is multiplied."""
        return self.pixels if self.source is None else self.source

    @property
    def elements(self) -> int:
        """Of a sample of what is multiplied."""
        return self.groups * self.group_channels * self.source_pixels

    @cached_property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """Half-open ranges of groups, one per crossbar."""
        by_rows = self.rows // (self.group_channels * prod(self.kernel))
        return cut_ranges(self.groups, min(by_rows, self.cols // self.group_filters), self.group_cuts)

    @staticmethod
    def fits(channels: int, filters: int, kernel: tuple[int, ...], arch: Arch, kind: DType) -> bool:
        """Whether one group of weights of type `kind` fits one crossbar; if not, each group is a matrix of its own."""
        return channels * prod(kernel) <= arch.crossbar.rows and filters <= arch.columns(kind)

    @property
    def grid(self) -> tuple[int, int]:
        """Row tiles, column tiles: each block is a column tile by itself, of one row tile."""
        return 1, len(self.blocks)


Matrix = FilterMatrix | BlockMatrix


@dataclass(frozen=True)
class WholeMatrix(Grid):
    """The crossbars of a layer that is not cut: all of them stand on one core. Each multiplies every pixel.

    `elements` of tensors go into it per sample.
    """

    node: str
    tiles: tuple[int, int]
    pixels: int
    elements: int

    @property
    def grid(self) -> tuple[int, int]:
        """Row tiles, column tiles."""
        return self.tiles


@dataclass(frozen=True, slots=True)
class Stay:
    """Where weights were decided to be: on the crossbars of `core`, during `segment`, or all the time (RESIDENT)."""

    core: int
    segment: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A rectangle of a matrix's grid on one core: row tiles [rows) x column tiles (or blocks) [cols).

    Without a `stay`, `core` is a number by which pieces of one core know each other, and the core is chosen later.
    """

    matrix: int  # index into the list of matrices
    rows: tuple[int, int]
    cols: tuple[int, int]
    core: int = -1
    stay: Stay | None = None

    @property
    def crossbars(self) -> int:
        """Logical crossbars of the rectangle."""
        return (self.rows[1] - self.rows[0]) * (self.cols[1] - self.cols[0])


def capacity(arch: Arch, kinds: Collection[DType]) -> int:
    """Logical crossbars that one core holds; each takes as many physical ones as the widest weights of `kinds`."""
    return arch.core.crossbars // arch.cells(widest(arch, kinds))


def widest(arch: Arch, kinds: Collection[DType]) -> DType:
    """The type of weights of which a crossbar takes the most physical ones; float32 if there are none."""
    return max(kinds, key=arch.cells, default=DType.f32)
