"""Array groups of PIM-ISA: one per row tile of ours, whole crossbars each, and the files with their contents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np
from numpy.lib import format as npy

from emu.arch import Arch
from emu.errors import ProgramError
from emu.isa.dtypes import DType
from emu.output.whole_folder import WholeFolder
from emu.program.group import GroupSpec

WeightFile = Literal["npy", "json"]


@dataclass(frozen=True, slots=True)
class CrossbarFormat:
    """Crossbars as PIM-ISA sees them: rows, bit lines, and bits of a cell, which together hold whole weights."""

    rows: int
    cols: int
    bits: int

    def outputs(self, weight: DType) -> int:
        """Weights of a type that stand in one row of a crossbar."""
        return self.bits * self.cols // (8 * weight.size)


@dataclass(frozen=True, slots=True)
class GroupRows:
    """An array group: `crossbars` of them hold rows `low` to `high` of our group, and make `outputs` elements."""

    number: int
    low: int
    high: int
    crossbars: int
    outputs: int


@dataclass(frozen=True, slots=True)
class CoreCrossbars:
    """The array groups of a core: of each of ours the row tiles, in order."""

    cells: CrossbarFormat
    specs: tuple[GroupSpec, ...]
    tiles: tuple[tuple[GroupRows, ...], ...]

    @property
    def sizes(self) -> list[int]:
        """Crossbars of each array group."""
        return [tile.crossbars for tiles in self.tiles for tile in tiles]

    @property
    def weights(self) -> tuple[DType, ...]:
        """The type of the cells of each array group."""
        return tuple(spec.weight for spec, tiles in zip(self.specs, self.tiles, strict=True) for _ in tiles)


def cells_of(arch: Arch, groups: Iterable[GroupSpec]) -> CrossbarFormat:
    """Of an ideal chip, whose cells hold whole weights, as many bits as the widest weight of its programs has."""
    crossbar = arch.crossbar
    widest = max((8 * group.weight.size for group in groups), default=8)
    return CrossbarFormat(crossbar.rows, crossbar.cols, crossbar.cell_bits or widest)


def core_crossbars(groups: tuple[GroupSpec, ...], cells: CrossbarFormat, where: str) -> CoreCrossbars:
    """The array groups for `groups`; raises ProgramError for weights that are wider than a row of a crossbar."""
    tiles: list[tuple[GroupRows, ...]] = []
    number = 0
    for index, group in enumerate(groups):
        outputs = cells.outputs(group.weight)
        if not outputs:
            raise ProgramError(f"{where}, group {index}: no weight of type {group.weight.name} fits into a crossbar")
        crossbars = -(-group.cols // outputs)
        ends = list(accumulate(group.row_tiles))
        tiles.append(
            tuple(
                GroupRows(number + k, end - rows, end, crossbars, crossbars * outputs)
                for k, (rows, end) in enumerate(zip(group.row_tiles, ends, strict=True))
            )
        )
        number += len(ends)
    return CoreCrossbars(cells, groups, tuple(tiles))


def write_weights(
    folder: WholeFolder, core: int, crossbars: CoreCrossbars, weights: Sequence[np.ndarray], form: str
) -> None:
    """The contents of all array groups of a core: one `.npy` file each, or all in one of JSON."""
    write_contents(folder, core, _contents(crossbars, weights), form)


def write_contents(folder: WholeFolder, core: int, contents: Iterable[tuple[int, np.ndarray]], form: str) -> None:
    """Numbers, ascending, and contents of array groups; in JSON those that are left out are empty.

    Raises ProgramError for numbers that JSON does not have.
    """
    if form == "npy":
        for number, content in contents:
            with folder.file(f"core_{core}_{number}.npy") as file:
                npy.write_array(file, content, allow_pickle=False)
        return
    with folder.file(f"core_{core}_weights.json") as file:
        behind = 0
        for number, content in contents:
            if not np.isfinite(content).all():
                raise ProgramError(f"weights of core {core} are not finite, which JSON cannot say: write them as npy")
            for left_out in range(behind, number):
                file.write(_separator(left_out) + b"[]")
            file.write(_separator(number) + b"[")
            for row, values in enumerate(content):
                file.write((",\n" if row else "\n").encode() + json.dumps(values.tolist()).encode())
            file.write(b"]")
            behind = number + 1
        file.write(b"\n]\n")


def _separator(place: int) -> bytes:
    """What stands before a member of the list."""
    return b",\n" if place else b"[\n"


def _contents(crossbars: CoreCrossbars, weights: Sequence[np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """Number and content [rows in use, columns in use] of each array group."""
    for spec, tiles, matrix in zip(crossbars.specs, crossbars.tiles, weights, strict=True):
        for tile in tiles:
            yield tile.number, np.ascontiguousarray(matrix[tile.low : tile.high, : spec.cols])
