"""Pieces of a matrix on crossbars, for modes XBM and WLM: what stands where, and when it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.mop.mapping import CrossbarGrid, Mapped
from emu.interop.mop.chip import MopChip


@dataclass(frozen=True, slots=True)
class CrossbarUnit:
    """Rows and columns of the matrix of copy `copy`, from row `at` of a crossbar on; units of one `turn` at once."""

    copy: int
    crossbar: int
    at: int
    rows: tuple[int, int]
    columns: tuple[int, int]
    turn: int = 0


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """The units of a product, in the order of their rows, and how many copies of the matrix they make."""

    units: tuple[CrossbarUnit, ...]
    copies: int
    turns: int


def crossbar_units(mapped: Mapped, grid: CrossbarGrid, chip: MopChip, bits: int) -> UnitLayout:
    """Mode XBM: as many copies as the crossbars of the product's cores hold: D' = floor(cores D crossbars / tiles)."""
    copies = min(_copies(mapped, grid), mapped.product.window.count)
    units = [
        CrossbarUnit(copy, chip.crossbar(mapped.first, copy * grid.tiles + tile, bits), 0, rows, columns)
        for copy in range(copies)
        for tile, rows, columns in _tiles(mapped, grid)
    ]
    return UnitLayout(tuple(units), copies, 1)


def row_units(mapped: Mapped, grid: CrossbarGrid, chip: MopChip, bits: int) -> UnitLayout:
    """Mode WLM: groups of `parallel_rows` rows of a tile on crossbars of their own, of fewer copies, as far as it goes.

    So groups of one result are read at once; those that share a crossbar are read in turns.
    """
    groups = -(-min(mapped.product.rows, chip.rows) // chip.parallel_rows)
    available = _copies(mapped, grid)
    spread = min(groups, available)
    copies, units = min(available // spread, mapped.product.window.count), list[CrossbarUnit]()
    for copy in range(copies):
        for tile, (low, high), columns in _tiles(mapped, grid):
            for group, row in enumerate(range(low, high, chip.parallel_rows)):
                turn, place = divmod(group, spread)
                crossbar = chip.crossbar(mapped.first, (copy * spread + place) * grid.tiles + tile, bits)
                rows = row, min(row + chip.parallel_rows, high)
                units.append(CrossbarUnit(copy, crossbar, turn * chip.parallel_rows, rows, columns, turn))
    return UnitLayout(tuple(units), copies, 1 + max(unit.turn for unit in units))


def _copies(mapped: Mapped, grid: CrossbarGrid) -> int:
    """Copies that the cores hold."""
    return mapped.cores * mapped.copies * grid.per_core // grid.tiles


def _tiles(mapped: Mapped, grid: CrossbarGrid) -> Iterator[tuple[int, tuple[int, int], tuple[int, int]]]:
    """Number, rows and columns of each tile, row tile by row tile."""
    product, (height, width) = mapped.product, grid.tile
    for tile in range(grid.rows * grid.columns):
        row, column = divmod(tile, grid.columns)
        rows = row * height, min((row + 1) * height, product.rows)
        yield tile, rows, (column * width, min((column + 1) * width, product.columns))
