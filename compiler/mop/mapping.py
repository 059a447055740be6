"""Where products stand: segments of the network that fit on the chip, cores of each product, copies of its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compiler.mapping.schedules.duplication import copies_ladder, copies_of
from compiler.mapping.solver import least_sum
from compiler.mop.steps import ProductStep, Step
from emu.errors import CompileError
from emu.interop.mop.chip import MopChip
from emu.interop.mop.flow import NumberFormats
from emu.wording import counted


@dataclass(frozen=True, slots=True)
class Mapped:
    """A product on the chip: `copies` of `cores` cores each, from core `first` on."""

    product: ProductStep
    first: int
    cores: int
    copies: int


@dataclass(frozen=True, slots=True)
class CrossbarGrid:
    """A matrix cut into tiles of crossbar size: row tiles x column tiles; a core has room for `per_core` of them."""

    rows: int
    columns: int
    tile: tuple[int, int]  # rows and columns of a tile
    per_core: int

    @property
    def tiles(self) -> int:
        """Tiles of one copy."""
        return self.rows * self.columns


def grid_of(product: ProductStep, chip: MopChip, numbers: NumberFormats) -> CrossbarGrid:
    """The tiles of a product's matrix; raises CompileError for a chip that cannot hold a weight."""
    width, per_core = chip.columns(numbers.weight_bits), chip.per_core(numbers.weight_bits)
    if not width:
        cells = counted(chip.slices(numbers.weight_bits), "cell")
        raise CompileError(f"chip {chip.name}: a weight takes {cells}, and a crossbar has {chip.cols} columns")
    if not per_core:
        bound = counted(chip.bound(numbers.weight_bits), "crossbar")
        raise CompileError(f"chip {chip.name}: the bits of a weight take {bound}, and a core has {chip.crossbars}")
    tiles = -(-product.rows // chip.rows), -(-product.columns // width)
    return CrossbarGrid(*tiles, (chip.rows, width), per_core)


def split(grid: CrossbarGrid) -> tuple[int, int]:
    """How many row tiles and column tiles of a matrix a core of a CM chip takes: all rows, if it has room for them."""
    room = grid.per_core
    return (grid.rows, min(grid.columns, room // grid.rows)) if grid.rows <= room else (room, 1)


def cores_of(grid: CrossbarGrid, chip: MopChip) -> int:
    """Cores of one copy."""
    if chip.mode != "cm":
        return -(-grid.tiles // grid.per_core)
    rows, columns = split(grid)
    return -(-grid.rows // rows) * -(-grid.columns // columns)


def segments_of(steps: Sequence[Step], chip: MopChip, numbers: NumberFormats) -> list[dict[int, Mapped]]:
    """The products of each segment, by their place in `steps`; the next segment takes the chip when it is done.

    Raises CompileError for a product that is larger than the chip, and if cores cannot be written again.
    """
    segments: list[list[tuple[int, int]]] = [[]]
    for place, step in enumerate(steps):
        if isinstance(step, ProductStep):
            cores = cores_of(grid_of(step, chip, numbers), chip)
            if cores > chip.cores:
                raise CompileError(
                    f"node '{step.node}': its weights take {counted(cores, 'core')}, chip {chip.name} has {chip.cores}"
                )
            if sum(taken for _, taken in segments[-1]) + cores > chip.cores:
                segments.append([])
            segments[-1].append((place, cores))
    if len(segments) > 1 and chip.mode == "cm":
        needed = sum(taken for segment in segments for _, taken in segment)
        raise CompileError(
            f"chip {chip.name}: the network takes {counted(needed, 'core')} of {chip.cores}, and in mode cm no operator"
            " writes weights: take a larger chip, or one of mode xbm or wlm"
        )
    return [_placed(steps, segment, chip, numbers) for segment in segments]


def _placed(
    steps: Sequence[Step], segment: Sequence[tuple[int, int]], chip: MopChip, numbers: NumberFormats
) -> dict[int, Mapped]:
    """The cores of the products of a segment, copied as dynamic programming says."""
    products = [step for place, _ in segment if isinstance(step := steps[place], ProductStep)]
    bits = numbers.element.size * 8 if numbers.inputs is None else 8  # of an input, one after the other
    turns = [
        -(-min(product.rows, chip.rows) // chip.parallel_rows) if chip.mode == "wlm" else 1 for product in products
    ]
    ladders = [
        copies_ladder(cores, rows, product.window.count // rows * bits * turn, even=True)
        for product, (_, cores), turn in zip(products, segment, turns, strict=True)
        for rows in [_divisible(product)]
    ]
    found, first = dict[int, Mapped](), 0
    copies = copies_of(ladders, least_sum(ladders, chip.cores))
    for product, (place, cores), count in zip(products, segment, copies, strict=True):
        found[place] = Mapped(product, first, cores, count)
        first += cores * count
    return found


def _divisible(product: ProductStep) -> int:
    """Rows of the result that copies may divide between them: 1 where the last ones see nothing but padding."""
    window = product.window
    if not window.sizes or (window.places[0] - 1) * window.stride[0] - window.pad[0] >= window.sizes[0]:
        return 1
    return window.places[0]
