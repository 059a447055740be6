"""Array groups: the crossbars of one core that one `mvmul` drives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from emu.arch import Arch
from emu.isa.dtypes import NUMBERS, DType
from emu.isa.instruction import CrossbarUse

COLUMN_MULTIPLE = 16  # images pad columns with zeros, so that a BLAS rounds rows alike at every height


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """A grid of row tiles x column tiles; heights and widths in use, element types, place in the image.

    `row_tiles` are the rows in use of each row tile (each at most the crossbar's rows), `col_tiles` likewise the
    columns of weights (`Arch.columns`). The image holds rows x padded columns of `weight` elements, row major, at byte
    `offset` of the core's `.xbar` file.
    """

    input: DType
    weight: DType
    output: DType
    row_tiles: tuple[int, ...]
    col_tiles: tuple[int, ...]
    offset: int = 0

    def types_for(self, use: CrossbarUse) -> tuple[DType, ...]:
        """The types that an instruction must have to use the group so."""
        return tuple(getattr(self, name) for name in use.value)

    @property
    def rows(self) -> int:
        """Rows in use: the input length."""
        return sum(self.row_tiles)

    @property
    def cols(self) -> int:
        """Columns in use: the output length."""
        return sum(self.col_tiles)

    @property
    def padded_cols(self) -> int:
        """Columns stored per row of the image."""
        return -(-self.cols // COLUMN_MULTIPLE) * COLUMN_MULTIPLE

    @property
    def crossbars(self) -> int:
        """Logical crossbars of the grid."""
        return len(self.row_tiles) * len(self.col_tiles)

    @property
    def nbytes(self) -> int:
        """Bytes of the image."""
        return self.rows * self.padded_cols * self.weight.size


def physical_crossbars(groups: Iterable[GroupSpec], arch: Arch) -> int:
    """Crossbars of the chip that groups take: each logical crossbar as many as the bit slices of its weights need."""
    return sum(group.crossbars * arch.cells(group.weight) for group in groups)


def cells_of(groups: Iterable[GroupSpec], arch: Arch) -> tuple[int, int]:
    """Cells that hold weights, and cells of the crossbars that hold them, bit slices not counted."""
    used = size = 0
    for group in groups:
        used += group.rows * group.cols
        size += group.crossbars * arch.crossbar.rows * arch.columns(group.weight)
    return used, size


def cell_share(groups: Iterable[GroupSpec], arch: Arch) -> float:
    """The share of the cells of the crossbars of `groups` that hold weights."""
    used, size = cells_of(groups, arch)
    return used / size if size else 0.0


def group_types_fit(input_type: DType, weight: DType, output: DType) -> bool:
    """Whether a crossbar group may have these types: numbers, and float products only into floats."""
    kinds = (input_type, weight, output)
    return all(kind in NUMBERS for kind in kinds) and (output.is_float or not (input_type.is_float or weight.is_float))
