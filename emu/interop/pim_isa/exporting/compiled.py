"""Writes compiled programs as PIM-ISA: lowered, unrolled while they are written, with crossbars and constants."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import format as npy

from emu.errors import ProgramError
from emu.image.reader import Image
from emu.interop.pim_isa.exporting.chip import NETWORK_FILE, chip_config, network_table
from emu.interop.pim_isa.exporting.core import LoweredCore, lower_core
from emu.interop.pim_isa.exporting.crossbars import CrossbarFormat, cells_of, core_crossbars, write_weights
from emu.interop.pim_isa.exporting.forms import FORMS, WrittenSize
from emu.interop.pim_isa.exporting.global_memory import write_memory
from emu.interop.pim_isa.exporting.memory import Constants
from emu.interop.pim_isa.exporting.names import CHIP_FILE, MEMORY_FILE, changes_file
from emu.interop.pim_isa.exporting.source_map import StatementStarts, core_map, network_map
from emu.interop.pim_isa.exporting.template import UNTYPED
from emu.interop.pim_isa.exporting.unroll import UnrolledPiece
from emu.interop.pim_isa.format.extension import KEY, Extension
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.format.source_map import FILE, CoreMap
from emu.isa.dtypes import DType
from emu.output.whole_folder import WholeFolder
from emu.program.group import GroupSpec
from emu.wording import counted


def write_compiled(image: Image, folder: WholeFolder, form: str, weights: str) -> WrittenSize:
    """Write the programs of an image into `folder`; raises ProgramError for what PIM-ISA cannot express."""
    return _Export(image, folder, form, weights).run()


class _Export:
    def __init__(self, image: Image, folder: WholeFolder, form: str, weights: str) -> None:
        self._image, self._folder, self._form, self._weights = image, folder, form, weights
        self._constants = Constants(image.manifest.global_size)

    def run(self) -> WrittenSize:
        image, path = self._image, str(self._image.path)
        if (last := max(image.cores, default=0)) >= image.arch.cores:
            raise ProgramError(
                f"{path}: core {last} stands on chip {last // image.arch.cores}, counted from 0, but a configuration of"
                f" pimsim-nn describes one chip, here of {counted(image.arch.cores, 'core')}: compile for one that"
                " holds the network"
            )
        groups = {core: image.program(core).groups for core in image.cores}
        cells = cells_of(image.arch, [group for each in groups.values() for group in each])
        cores = [lower_core(image.program(core), image.arch, cells, self._constants, path) for core in image.cores]
        if self._constants.contents and self._constants.end > image.arch.global_memory.size:
            raise ProgramError(
                f"{path}: constants take global memory up to byte {self._constants.end},"
                f" it has {image.arch.global_memory.size}: compile for a chip with more"
            )
        memory = self._write_surroundings(groups, cells)
        usual = _usual_types(cores)
        mixed = {core.core for core in cores if any(kinds != {usual[w]} for w, kinds in core.kinds.items())}
        config = self._config(cores, usual, mixed, memory, cells)
        instructions, maps = 0, dict[int, CoreMap]()
        with FORMS[self._form](self._folder, config) as program:
            for core in cores:
                changes, places = _TypeChanges(), StatementStarts(core.statements)
                instructions += program.core(core.core, changes.watched(core.pieces(places)))
                maps[core.core] = core_map(image.program(core.core), places.by_index)
                if core.core in mixed:
                    with self._folder.file(changes_file(core.core)) as file:
                        npy.write_array(file, changes.array(), allow_pickle=False)
        with self._folder.file(FILE) as file:
            file.write(network_map(image.manifest, maps).encode())
        return WrittenSize(len(cores), instructions, sum(sum(core.groups) for core in cores), memory)

    def _write_surroundings(self, groups: dict[int, tuple[GroupSpec, ...]], cells: CrossbarFormat) -> int:
        """Memory, chip, network, crossbars; returns the bytes of global memory."""
        image, folder = self._image, self._folder
        with folder.file(MEMORY_FILE) as file:
            memory = write_memory(file, image, self._constants)
        for name, record in (
            (CHIP_FILE, chip_config(image.arch, cells, max(image.cores) + 1)),
            (NETWORK_FILE, network_table(image.arch, range(max(image.cores) + 1))),
        ):
            with folder.file(name) as file:
                file.write(json.dumps(record, indent=1).encode() + b"\n")
        for core in image.cores:
            if groups[core]:
                crossbars = core_crossbars(groups[core], cells, str(image.path))
                write_weights(folder, core, crossbars, image.weights(core), self._weights)
        return memory

    def _config(
        self, cores: list[LoweredCore], usual: dict[int, DType], mixed: set[int], memory: int, cells: CrossbarFormat
    ) -> dict[str, Any]:
        manifest = self._image.manifest
        extension = Extension(
            types=usual,
            changes={core: changes_file(core) for core in sorted(mixed)},
            weights={core.core: core.weights for core in cores if core.weights},
            inputs=manifest.inputs,
            outputs=manifest.outputs,
            memory=MEMORY_FILE,
            global_size=memory,
            source_map=FILE,
        )
        return {
            "core_cnt": max(core.core for core in cores) + 1,
            "xbar_array_count": self._image.arch.core.crossbars,
            "xbar_size": [cells.rows, cells.cols],
            "cell_precision": cells.bits,
            "array_group_map": {f"core{core.core}": list(core.groups) for core in cores},
            KEY: extension.record(),
        }


def _usual_types(cores: list[LoweredCore]) -> dict[int, DType]:
    """The type that a width has where a core does not say otherwise: the one that most cores use."""
    uses: dict[int, dict[DType, int]] = {}
    for core in cores:
        for width, kinds in core.kinds.items():
            for kind in kinds:
                uses.setdefault(width, {})[kind] = uses.get(width, {}).get(kind, 0) + 1
    return {width: max(sorted(kinds), key=lambda kind: kinds[kind]) for width, kinds in uses.items()}


class _TypeChanges:
    """From which instruction on elements have which types, collected while a core passes."""

    def __init__(self) -> None:
        self._parts: list[np.ndarray] = []
        self._count, self._last = 0, np.zeros((1, 2), np.int64) - 1

    def watched(self, pieces: Iterator[UnrolledPiece]) -> Iterator[CoreColumns]:
        """The columns of the pieces."""
        for piece in pieces:
            typed = np.flatnonzero(piece.types[:, 0] != UNTYPED)
            if len(typed):
                types = piece.types[typed].astype(np.int64)
                new = (np.diff(types, axis=0, prepend=self._last) != 0).any(axis=1)
                self._parts.append(np.column_stack([self._count + typed[new], types[new]]).astype("<i4"))
                self._last = types[-1:]
            self._count += piece.columns.count
            yield piece.columns

    def array(self) -> np.ndarray:
        """int32 [changes, 3]: the instruction, types of inputs and of outputs."""
        return np.concatenate([np.zeros((0, 3), "<i4"), *self._parts])
