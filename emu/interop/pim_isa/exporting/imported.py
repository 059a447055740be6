"""Writes an imported program again as it was read, instruction for instruction, with what its image holds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib import format as npy

from emu.errors import ProgramError
from emu.files import read_bytes, read_text
from emu.image.json_fields import parse_json
from emu.image.reader import Image
from emu.interop.pim_isa.exporting.chip import NETWORK_FILE, chip_config, network_table
from emu.interop.pim_isa.exporting.crossbars import CrossbarFormat, write_contents
from emu.interop.pim_isa.exporting.forms import FORMS, WrittenSize
from emu.interop.pim_isa.exporting.global_memory import write_memory
from emu.interop.pim_isa.exporting.memory import Constants
from emu.interop.pim_isa.exporting.names import CHIP_FILE, MEMORY_FILE, changes_file
from emu.interop.pim_isa.format.config_keys import MAX_BYTES
from emu.interop.pim_isa.format.extension import KEY, Extension
from emu.interop.pim_isa.format.network import MAX_BYTES as MAX_TABLE
from emu.interop.pim_isa.format.program import PimProgram
from emu.interop.pim_isa.format.source_map import FILE, read_source_map
from emu.interop.pim_isa.importing.kept_meaning import Meaning, kept_meaning
from emu.interop.pim_isa.importing.raw_program import CONFIG, NETWORK, read_raw
from emu.output.whole_folder import WholeFolder


def write_imported(image: Image, folder: WholeFolder, form: str, weights: str) -> WrittenSize:
    """Write the program of an imported image into `folder`."""
    program, meaning = read_raw(image.path), kept_meaning(image.path)
    with folder.file(MEMORY_FILE) as file:
        memory = write_memory(file, image, Constants(image.manifest.global_size))
    _write_chip(image, folder, meaning, program)
    for core in image.cores:
        _write_crossbars(image, folder, core, meaning, weights)
    for core, changes in meaning.types.changes.items():
        with folder.file(changes_file(core)) as file:
            npy.write_array(file, changes, allow_pickle=False)
    if (image.path / FILE).exists():
        with folder.file(FILE) as file:
            file.write(read_source_map(image.path / FILE).encode())
    with FORMS[form](folder, _config(image, program, meaning, memory)) as written:
        for core, columns in program.cores.items():
            written.core(core, [columns])
    return WrittenSize(len(program.cores), program.instructions, sum(map(sum, program.groups.values())), memory)


def _config(image: Image, program: PimProgram, meaning: Meaning, memory: int) -> dict[str, Any]:
    geometry, types = meaning.geometry, meaning.types
    extension = Extension(
        types.by_width,
        {core: changes_file(core) for core in types.changes},
        types.weights,
        image.manifest.inputs,
        image.manifest.outputs,
        MEMORY_FILE,
        memory,
        FILE if (image.path / FILE).exists() else "",
    )
    return {
        "core_cnt": max(program.cores) + 1,
        "xbar_array_count": geometry.crossbars,
        "xbar_size": [geometry.rows, geometry.cols],
        "cell_precision": geometry.cell_precision,
        "array_group_map": {f"core{core}": list(sizes) for core, sizes in program.groups.items()},
        KEY: extension.record(),
    }


def _write_chip(image: Image, folder: WholeFolder, meaning: Meaning, program: PimProgram) -> None:
    """The configuration that the program came with, or what is known of its chip."""
    if (image.path / CONFIG).exists():
        record = parse_json(read_text(image.path / CONFIG, MAX_BYTES, ProgramError), str(image.path / CONFIG)).value
        record["chip_config"]["network_config"]["net_config_file_path"] = NETWORK_FILE
        table = read_bytes(image.path / NETWORK, MAX_TABLE, ProgramError)
    else:
        cores, geometry = max(program.cores) + 1, meaning.geometry
        arch = replace(image.arch, core=replace(image.arch.core, crossbars=geometry.crossbars))
        record = chip_config(arch, CrossbarFormat(geometry.rows, geometry.cols, geometry.cell_precision), cores)
        table = json.dumps(network_table(image.arch, range(cores)), indent=1).encode()
    with folder.file(CHIP_FILE) as file:
        file.write(json.dumps(record, indent=1).encode() + b"\n")
    with folder.file(NETWORK_FILE) as file:
        file.write(table)


def _write_crossbars(image: Image, folder: WholeFolder, core: int, meaning: Meaning, form: str) -> None:
    """Contents by the numbers of the foreign program; of a group that it uses with several types the first."""
    specs, matrices = image.program(core).groups, image.weights(core)
    numbers = meaning.groups.get(core, ())
    if len(numbers) != len(specs):
        raise ProgramError(f"{image.path}: core {core}: {len(specs)} array groups, not {len(numbers)}: import it again")
    contents: dict[int, np.ndarray] = {}
    for number, spec, matrix in zip(numbers, specs, matrices, strict=True):
        contents.setdefault(number, np.ascontiguousarray(matrix[: spec.rows, : spec.cols]))
    if contents:
        write_contents(folder, core, sorted(contents.items()), form)
