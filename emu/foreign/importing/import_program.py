"""From a foreign program to an image: its meaning, its crossbars, its memory, and itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.errors import ProgramError
from emu.files import map_file
from emu.foreign.importing import global_memory
from emu.foreign.importing.addressing import addressing_of
from emu.foreign.importing.array_groups import largest_tile, with_groups
from emu.foreign.importing.core_program import CoreProgram, Plan, core_program
from emu.foreign.importing.defects import UNWRITTEN, Defects, unequal_messages
from emu.foreign.importing.element_types import USUAL, Types
from emu.foreign.importing.geometry import Geometry, geometry_of
from emu.foreign.importing.raw_program import keep_chip, write_raw
from emu.foreign.importing.resolve import MAX_GLOBAL
from emu.foreign.importing.weights import WeightSource
from emu.foreign.pimsim.checks import check_program
from emu.foreign.pimsim.config import ChipConfig, CoreConfig, MatrixConfig
from emu.foreign.pimsim.config_keys import PimsimChip, read_chip
from emu.foreign.pimsim.ops import EVENTS, REGISTERS
from emu.foreign.pimsim.program import Program
from emu.foreign.pimsim.reader import read_program
from emu.image.digest import digest
from emu.image.manifest import IMPORTED, Manifest, ModelInfo, end_of
from emu.image.npz import write_npz
from emu.image.writer import ImageWriter
from emu.isa.dtypes import DType
from emu.program.validate import validate_program

INPUTS, MEMORY = "inputs.npz", "memory.bin"
EVENT_RULES = ("at-least", "equal")
_PAGE = 1 << 16  # local memory is a multiple of so many bytes
Progress = Callable[[float], None]  # is told the share that is done


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to import and how: see `emu import --help`.

    `types` are by width. `memory` is the content of global memory from address 0 on, `weights` a folder (which may
    hold `memory.bin`, too); what is in neither is random, by `seed`.
    """

    path: Path
    arch: Path | None = None
    types: Mapping[int, DType] = field(default_factory=dict[int, DType])
    weights: Path | None = None
    memory: Path | None = None
    seed: int = 0
    events: str = "at-least"
    addresses: str = "auto"
    rolls: bool = True
    strict: bool = False
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What came out. `instructions` are those of the file, `rows` what is left of them, loops counted, when rolled.

    `executed` are the instructions of the programs.
    """

    manifest: Manifest
    instructions: int
    rows: int
    executed: int
    crossbars: int
    warnings: tuple[str, ...]


def import_program(request: ImportRequest, out: Path) -> Imported:
    """Read a foreign program and write it as an image; raises InputError, with nothing written."""
    with ImageWriter(out) as writer:
        chip = read_chip(request.arch) if request.arch else None
        program, derived = with_groups(read_program(request.path))
        geometry = geometry_of(chip.config.chip_config if chip else None, program.settings)
        strange = check_program(program, _chip(program, chip, geometry))
        pairs, addressing = addressing_of(program, request.addresses)
        cores, defects = _cores(request, program, geometry, pairs)
        told = (*program.warnings, *(chip.warnings if chip else ()), *derived, *strange, *addressing)
        warnings = (*told, *defects.sentences(), *unequal_messages(program))
        manifest = _manifest(request, program, cores, geometry, warnings)
        _write(writer, request, program, cores, manifest)
        manifest = writer.finish(manifest)
    rows = sum(len(core.rolled.trips) for core in cores.values())
    executed = sum(len(core.program.main) for core in cores.values())
    crossbars = sum(core.program.crossbars for core in cores.values())
    return Imported(manifest, program.instructions, rows, executed, crossbars, warnings)


def _chip(program: Program, chip: PimsimChip | None, geometry: Geometry) -> ChipConfig:
    """What the program must fit into: without a configuration that is what it says itself."""
    if chip is not None:
        return chip.config.chip_config
    matrix = MatrixConfig(xbar_array_count=geometry.crossbars)
    return ChipConfig(core_cnt=max(program.cores) + 1, core_config=CoreConfig(matrix_config=matrix))


def _cores(
    request: ImportRequest, program: Program, geometry: Geometry, pairs: bool
) -> tuple[dict[int, CoreProgram], Defects]:
    cores: dict[int, CoreProgram] = {}
    plan = Plan(Types({**USUAL, **request.types}), geometry, request.events, request.rolls, pairs)
    defects, done = Defects(), 0
    for core, columns in program.cores.items():
        made = cores[core] = core_program(program, core, plan)
        defects.look(core, columns, made.missing, made.unwritten)
        if request.strict and defects.unwritten.instructions:
            raise ProgramError(f"{program.where}: {defects.unwritten.first}: {UNWRITTEN}; strict imports refuse that")
        done += columns.count
        if request.progress:
            request.progress(done / max(1, program.instructions))
    return cores, defects


def _manifest(
    request: ImportRequest,
    program: Program,
    cores: Mapping[int, CoreProgram],
    geometry: Geometry,
    warnings: tuple[str, ...],
) -> Manifest:
    stored = global_memory.together(core.stored for core in cores.values())
    loaded = global_memory.together(core.loaded for core in cores.values())
    inputs = global_memory.as_tensors(global_memory.INPUT, global_memory.bridged(loaded))
    outputs = global_memory.as_tensors(global_memory.OUTPUT, stored)
    path = request.path
    return Manifest(
        arch=_arch(program, cores, geometry),
        cores=(),
        inputs=inputs,
        outputs=outputs,
        global_size=end_of((*inputs, *outputs)),
        model=ModelInfo(path.name, digest(path).sha256 if path.is_file() else ""),
        default_input=INPUTS if inputs else "",
        options={IMPORTED: "pim-isa", "events": request.events, "seed": str(request.seed)},
        warnings=warnings,
    )


def _arch(program: Program, cores: Mapping[int, CoreProgram], geometry: Geometry) -> Arch:
    """A chip with room for the program; its cells hold whole weights, so that a crossbar is one of ours."""
    groups = {core: made.groups for core, made in cores.items()}
    local = max(made.local_bytes for made in cores.values())
    crossbars = max(geometry.crossbars, *(made.program.crossbars for made in cores.values()))
    return Arch(
        name="imported",
        cores=max(program.cores) + 1,
        core=Core(crossbars, -(-max(local, 1) // _PAGE) * _PAGE, REGISTERS, EVENTS),
        crossbar=Crossbar(geometry.rows, largest_tile(groups)),
        global_memory=GlobalMemory(MAX_GLOBAL),
    )


def _write(
    writer: ImageWriter,
    request: ImportRequest,
    program: Program,
    cores: Mapping[int, CoreProgram],
    manifest: Manifest,
) -> None:
    source, everyone = WeightSource(request.weights, request.seed), set(cores)
    for core, made in cores.items():
        validate_program(made.program, manifest.arch, program.where, everyone)
        writer.add_core(made.program, source.weights(core, made.groups))
    arrays = global_memory.contents(program.where, manifest.inputs, _memory(request), request.seed)
    if arrays:
        with writer.add_file(INPUTS) as file:
            write_npz(file, arrays)
    write_raw(writer, {core: made.rolled for core, made in cores.items()}, program.groups)
    if request.arch is not None:
        keep_chip(writer, request.arch)


def _memory(request: ImportRequest) -> np.ndarray | None:
    """The bytes of global memory that were given; None: none were."""
    path = request.memory
    if path is None and request.weights is not None and (request.weights / MEMORY).exists():
        path = request.weights / MEMORY
    return np.frombuffer(map_file(path, ProgramError), np.uint8) if path is not None else None
