"""Array groups: the crossbars of one core that one `mvmul` drives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from emu.arch import Arch
from emu.isa.dtypes import NUMBERS, DType
from emu.isa.instruction import CrossbarUse

COLUMN_MULTIPLE = 16  # images pad columns with zeros, so that a BLAS rounds rows alike at every height
OWN = -1  # the place of a group that shares its crossbars with no other
NOT_WRITTEN = "the weights of the group are not all on its crossbars"  # the trap, and what `check` says


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """A grid of row tiles x column tiles; heights and widths in use, element types, place in the image.

    `row_tiles` are the rows in use of each row tile (each at most the crossbar's rows), `col_tiles` likewise the
    columns of weights (`Arch.columns`). The image holds rows x padded columns of `weight` elements, row major, at byte
    `offset` of the core's `.xbar` file.

    With a `bank`, the group stands on the logical crossbars from that number on of the core's bank. Groups of which
    crossbars of the bank overlap are there one after the other: the image holds nothing of them, `xbwrite` puts their
    weights there, and destroys those of all that share a crossbar with them.
    """

    input: DType
    weight: DType
    output: DType
    row_tiles: tuple[int, ...]
    col_tiles: tuple[int, ...]
    offset: int = 0
    bank: int = OWN

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
        """Bytes of the image: none in a bank."""
        return 0 if self.shares else self.rows * self.padded_cols * self.weight.size

    @property
    def shares(self) -> bool:
        """Whether it stands in the bank, where other groups may take its crossbars."""
        return self.bank != OWN


def physical_crossbars(groups: Iterable[GroupSpec], arch: Arch) -> int:
    """Crossbars of the chip that all groups of a core take together: see `crossbars_with`."""
    return crossbars_with(groups, arch.cells)


def crossbars_with(groups: Iterable[GroupSpec], arrays: Callable[[DType], int]) -> int:
    """Physical crossbars of all groups of a core: each logical one takes `arrays` for the slices of its weights.

    Those of the bank count once, whatever is on them: as many as reach to its end, each with the most arrays that
    weights of the bank take.
    """
    own = places = most = 0
    for group in groups:
        if group.shares:
            places, most = max(places, group.bank + group.crossbars), max(most, arrays(group.weight))
        else:
            own += group.crossbars * arrays(group.weight)
    return own + places * most


def holding_crossbars(groups: Iterable[GroupSpec], arch: Arch) -> int:
    """Physical crossbars that hold the weights of some groups, of any cores: one in a bank counts for each of them."""
    return sum(group.crossbars * arch.cells(group.weight) for group in groups)


def rivals(groups: Sequence[GroupSpec]) -> list[tuple[int, ...]]:
    """Per group of a core, the others that writing it destroys."""
    begin = np.array([group.bank for group in groups], np.int64)
    end = begin + np.array([group.crossbars if group.shares else 0 for group in groups], np.int64)
    found: list[tuple[int, ...]] = []
    for number, group in enumerate(groups):
        meet = np.flatnonzero((begin < end[number]) & (end > begin[number])) if group.shares else ()
        found.append(tuple(int(other) for other in meet if other != number))
    return found


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
