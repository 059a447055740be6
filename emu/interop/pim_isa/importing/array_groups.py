"""Array groups of a foreign program as groups of this machine, one per types with which a group is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.format.array_groups import MAX_CROSSBARS
from emu.interop.pim_isa.format.program import CoreColumns, PimProgram
from emu.interop.pim_isa.importing.element_types import ElementTypes
from emu.interop.pim_isa.importing.geometry import Geometry
from emu.interop.pim_isa.importing.refusal import refuse
from emu.interop.pim_isa.isa import CODES
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec, group_types_fit

MAX_CELLS = 1 << 28  # bytes of the weights of a core


@dataclass(frozen=True, slots=True)
class Use:
    """A group `number` of the foreign program, with bits and types; `output` is what the product is made as."""

    number: int
    bits: int
    weight: DType
    input: DType
    output: DType


@dataclass(frozen=True, eq=False)
class CoreGroups:
    """The groups of one core: `uses` and their `specs`; `index` is per instruction the place of its use, or -1."""

    uses: tuple[Use, ...]
    specs: tuple[GroupSpec, ...]
    index: np.ndarray

    def extents(self, rows: np.ndarray, place: int) -> np.ndarray:
        """Elements that the products `rows` write (place 0) or read (place 1)."""
        sizes = np.array([spec.rows if place else spec.cols for spec in self.specs], np.int64)
        return sizes[self.index[rows]]


def with_groups(program: PimProgram) -> tuple[PimProgram, list[str]]:
    """The program with a map of array groups where its file has none, and what to tell about that.

    PIMCOMP-NN writes no map and the number of crossbars into `group`: groups are numbered in order of first use.
    """
    cores: dict[int, CoreColumns] = dict(program.cores)
    groups: dict[int, tuple[int, ...]] = dict(program.groups)
    derived: list[int] = []
    for core, columns in program.cores.items():
        rows = np.flatnonzero(columns.op == CODES["mvmul"])
        if groups[core] or not len(rows):
            continue
        sizes, first, place = np.unique(columns.group[rows], return_index=True, return_inverse=True)
        if sizes[0] < 1 or sizes[-1] > MAX_CROSSBARS:
            wrong = rows[first[0] if sizes[0] < 1 else first[-1]]
            refuse(
                program.where, core, columns, int(wrong), "group", f"no number of crossbars from 1 to {MAX_CROSSBARS}"
            )
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        numbers = columns.group.copy()
        numbers[rows] = rank[place]
        cores[core], groups[core] = replace(columns, group=numbers), tuple(sizes[order].tolist())
        derived.append(core)
    if not derived:
        return program, []
    told = (
        f"config.array_group_map has no groups of core {derived[0]}"
        f"{f' and {len(derived) - 1} more' if derived[1:] else ''}: 'group' is taken as a number of crossbars, groups"
        " are numbered in the order of their first use"
    )
    return replace(program, cores=cores, groups=groups), [told]


def core_groups(
    where: str, core: int, columns: CoreColumns, types: ElementTypes, sizes: tuple[int, ...], geometry: Geometry
) -> CoreGroups:
    """The groups that the products of a core use; raises ProgramError naming core, instruction and field."""
    index = np.full(columns.count, -1, np.int64)
    rows = np.flatnonzero(columns.op == CODES["mvmul"])
    keys = np.stack(
        [columns.group[rows], columns.mbiw[rows], types.weights[rows], types.inputs[rows], types.outputs[rows]], axis=1
    ).astype(np.int64)
    if not len(rows):
        return CoreGroups((), (), index)
    found, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    index[rows] = place.reshape(-1)
    uses: list[Use] = []
    specs: list[GroupSpec] = []
    for (number, bits, *kinds), row in zip(found.tolist(), rows[first].tolist(), strict=True):
        weight, given, output = map(DType, kinds)
        outputs = geometry.outputs(bits)
        if outputs < 1:
            refuse(where, core, columns, row, "mbiw", f"no weight of {bits} bits fits into a row of a crossbar")
        made = output if group_types_fit(given, weight, output) else DType.f32
        uses.append(Use(number, bits, weight, given, made))
        specs.append(GroupSpec(given, weight, made, (geometry.rows,), (outputs,) * sizes[number]))
    if sum(spec.nbytes for spec in specs) > MAX_CELLS:
        raise ProgramError(f"{where}: core {core}: its array groups have more than {MAX_CELLS} bytes of weights")
    return CoreGroups(tuple(uses), tuple(specs), index)


def largest_tile(groups: Mapping[int, CoreGroups]) -> int:
    """The most columns that a crossbar of the program has."""
    return max((tile for core in groups.values() for spec in core.specs for tile in spec.col_tiles), default=1)
