"""The map of weights: array groups of nodes and cores, the contents of their rows and columns, memory of cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from emu.arch import Arch
from emu.census.nodes import NO_NODE, rows_by_node
from emu.errors import InputError, option
from emu.image.cell_table import cells_of
from emu.image.cells import NOTHING, Cells
from emu.image.manifest import Manifest
from emu.image.reader import Image
from emu.program.form import box_text
from emu.program.group import GroupSpec
from emu.wording import nearest
from launch.images.index_ranges import Range, as_range, held_indices, indices_text, row_runs
from launch.images.mapping import owner


@dataclass(frozen=True, slots=True)
class ArrayUse:
    """A crossbar of the grid of a group: its rows and columns [first, end) of the group, and the share in use."""

    row_tile: int
    column_tile: int
    rows: tuple[int, int]
    columns: tuple[int, int]
    holds: str
    filled: float  # of its cells, 0 to 1


@dataclass(frozen=True, slots=True)
class GroupUse:
    """One array group. `indices` are ranges (first, end, step) of each dimension of `tensor`, null where it is none."""

    segment: str
    core: int
    group: int
    node: str
    tensor: str
    shape: tuple[int, ...]
    rows: int
    columns: int
    types: tuple[str, str, str]  # of inputs, weights, outputs
    indices: tuple[Range | None, ...]
    holds: str  # the same for people
    elements: int  # of the tensor, that are held
    slices: int  # physical arrays that a weight is spread over
    filled: float
    arrays: tuple[ArrayUse, ...]


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes [first, end) of local memory: `constants`, `state`, or a `buffer` of a tensor."""

    first: int
    end: int
    kind: str
    holds: str


UNKNOWN = "what the program writes"  # the value of a cell that the image does not know


@dataclass(frozen=True, slots=True)
class CellUse:
    """One cell: its crossbar in the grid, wordline, (first) bitline, index in the tensor (None: no element), value."""

    row: int
    column: int
    array: tuple[int, int]
    wordline: int
    bitline: int
    element: tuple[int, ...] | None
    value: float | str


class WeightsMap:
    """Answers questions about one image of cores; `segment` is its folder in a network with host nodes."""

    def __init__(self, image: Image, segment: str = "") -> None:
        """Raises InputError if the image does not say what its crossbars hold."""
        if image.manifest.crossbars is None and any(files.xbar for files in image.manifest.cores):
            raise InputError(
                f"{image.path} does not say what its crossbars hold: compile the network again (what `emu import`"
                " made says it never)"
            )
        self.image, self.segment = image, segment
        self._nodes = frozenset(origin.node for origin in image.manifest.tensors)
        self._cells: dict[int, list[Cells]] = {}

    def cells(self, core: int) -> list[Cells]:
        """What the groups of a core hold."""
        if core not in self._cells:
            groups, table = self.image.program(core).groups, self.image.manifest.crossbars
            self._cells[core] = [] if table is None else cells_of(table, core, groups, str(self.image.path))
        return self._cells[core]

    def groups_of(self, core: int, name: str = "") -> list[GroupUse]:
        """The groups of a core: all, or those of the node, part of a node or tensor `name`."""
        program, arch = self.image.program(core), self.image.arch
        return [
            _group_use(self.segment, arch, core, index, spec, cells, node)
            for index, (spec, cells) in enumerate(zip(program.groups, self.cells(core), strict=True))
            for node in (owner(cells.node, self._nodes),)
            if not name or name in (node, cells.node, cells.tensor)
        ]

    def group(self, core: int, group: int) -> GroupUse:
        """One group; raises InputError if there is none of these numbers."""
        count = len(self.image.program(core).groups)
        if group >= count:
            has = f"has groups 0 to {count - 1}" if count else "has no array group"
            raise InputError(f"{option('crossbar')} {core}:{group}: core {core} {has}")
        cells = self.cells(core)[group]
        spec = self.image.program(core).groups[group]
        return _group_use(self.segment, self.image.arch, core, group, spec, cells, owner(cells.node, self._nodes))

    def runs(self, core: int, group: int) -> list[tuple[int, int, str]]:
        """Rows [first, end) of a group, and what they hold in all columns, or in those of their block."""
        cells = self.cells(core)[group]
        if cells.rows is None or cells.columns is None:
            return []
        wide = len(cells.columns) // cells.blocks
        return [
            (first, end, indices_text(cells.tensor, held_indices(cells, slice(first, end), slice(at, at + wide))))
            for first, end in row_runs(cells)
            for at in (int(cells.block_of_rows()[first]) * wide,)
        ]

    def cell(self, core: int, group: int, row: int, column: int) -> CellUse:
        """One cell of a group; raises InputError if it is outside."""
        spec, cells = self.image.program(core).groups[group], self.cells(core)[group]
        if row >= spec.rows or column >= spec.cols:
            raise InputError(
                f"{option('cell')} {row},{column}: group {core}:{group} has {spec.rows} rows, {spec.cols} columns"
            )
        (i, wordline), (j, bitline) = _place(spec.row_tiles, row), _place(spec.col_tiles, column)
        found = cells.element(row, column) if cells.known else NOTHING
        element = tuple(int(at) for at in np.unravel_index(found, cells.shape)) if found != NOTHING else None
        held = self.image.multiplied(core)[group]
        value = UNKNOWN if held is None else held[row, column].item()
        value = value if held is None or np.isfinite(value) else str(value)  # JSON has no word for these
        beside = self.image.arch.side_by_side(self.image.arch.weight_slices(spec.weight))
        return CellUse(row, column, (i, j), wordline, bitline * beside, element, value)

    def memory(self, core: int) -> list[MemoryUse]:
        """What stands in the local memory of a core, by address; buffers may follow each other in one place."""
        program = self.image.program(core)
        found = [MemoryUse(d.address, d.address + len(d.content), "constants", "") for d in program.data]
        found += [MemoryUse(address, address + size, "state", "") for address, size in program.state]
        found += [
            MemoryUse(b.address, b.address + b.nbytes, "buffer", f"{b.tensor} {b.dtype.name} {box_text(b.box)}")
            for b in program.buffers
        ]
        return sorted(dict.fromkeys(found), key=lambda use: (use.first, use.end))

    def nodes_of(self, core: int) -> list[str]:
        """The ONNX nodes that a core has a part in."""
        names = (name for name, _ in rows_by_node(self.image.program(core)) if name != NO_NODE)
        return list(dict.fromkeys(owner(name, self._nodes) for name in names))

    def node(self, name: str) -> tuple[list[int], list[GroupUse]]:
        """The cores that have a part in a node, and the groups with its weights; `name` as of `groups_of`."""
        groups, cores = list[GroupUse](), list[int]()
        for core in self.image.cores:
            mine = self.groups_of(core, name)
            groups += mine
            if mine or name in self.nodes_of(core):
                cores.append(core)
        return cores, groups


def _group_use(segment: str, arch: Arch, core: int, group: int, spec: GroupSpec, cells: Cells, node: str) -> GroupUse:
    rows, columns = (list(pairwise(accumulate(tiles, initial=0))) for tiles in (spec.row_tiles, spec.col_tiles))
    size = arch.crossbar.rows * arch.columns(spec.weight)
    arrays = tuple(
        ArrayUse(i, j, high, wide, _holds(cells, high, wide), (high[1] - high[0]) * (wide[1] - wide[0]) / size)
        for i, high in enumerate(rows)
        for j, wide in enumerate(columns)
    )
    whole = (0, spec.rows), (0, spec.cols)
    return GroupUse(
        segment,
        core,
        group,
        node,
        cells.tensor,
        cells.shape,
        spec.rows,
        spec.cols,
        (spec.input.name, spec.weight.name, spec.output.name),
        tuple(map(as_range, held_indices(cells))) if cells.known else (),
        _holds(cells, *whole),
        spec.rows * spec.cols // cells.blocks if cells.known else 0,
        arch.cells(spec.weight),
        spec.rows * spec.cols / (len(arrays) * size),
        arrays,
    )


def _holds(cells: Cells, rows: tuple[int, int], columns: tuple[int, int]) -> str:
    """The index ranges of a part of a group; how many elements, where it does not hold all of these."""
    if not cells.known:
        return "numbers of the compiler"
    indices = held_indices(cells, slice(*rows), slice(*columns))
    most, held = prod(map(len, indices)), (rows[1] - rows[0]) * (columns[1] - columns[0]) // cells.blocks
    return indices_text(cells.tensor, indices) + (f", {held} of {most}" if held != most else "")


def _place(tiles: Sequence[int], at: int) -> tuple[int, int]:
    """The tile of a row or column, and which one of the tile it is."""
    for tile, size in enumerate(tiles):
        if at < size:
            return tile, at
        at -= size
    raise IndexError(at)


def node_of(name: str, maps: Sequence[WeightsMap], manifest: Manifest) -> str:
    """`name` if a node or a tensor of weights is called so; raises InputError, with the nearest name."""
    nodes = list(dict.fromkeys(origin.node for origin in manifest.tensors))
    tables = [part.image.manifest.crossbars for part in maps]
    tensors = [tensor for table in tables if table is not None for tensor, _ in table.tensors]
    parts = [node for table in tables if table is not None for node in table.nodes]
    known = [*nodes, *parts, *tensors]
    if name not in known:
        raise InputError(f"{option('node')} {name!r}: no node or tensor of weights is called so{nearest(name, known)}")
    return name


def plain(use: Any) -> dict[str, Any]:
    """A dataclass as plain values."""
    return asdict(use)
