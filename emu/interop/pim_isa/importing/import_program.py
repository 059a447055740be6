"""From a foreign program to an image: its meaning, its crossbars, its memory, and itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.errors import ProgramError
from emu.files import map_file
from emu.image.digest import digest
from emu.image.manifest import EXPORTED_FROM, IMPORTED, Manifest, ModelInfo, end_of
from emu.image.npz import write_npz
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.format.checks import check_program
from emu.interop.pim_isa.format.config import ChipConfig, CoreConfig, MatrixConfig
from emu.interop.pim_isa.format.config_keys import PimsimChip, read_chip
from emu.interop.pim_isa.format.extension import Extension, read_changes, read_extension
from emu.interop.pim_isa.format.program import PimProgram
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.format.source_map import FILE, SourceMap, read_source_map
from emu.interop.pim_isa.importing.addressing import ADDRESSING, addressing_of
from emu.interop.pim_isa.importing.array_groups import largest_tile, with_groups
from emu.interop.pim_isa.importing.core_program import ImportedCore, ImportPlan, core_program
from emu.interop.pim_isa.importing.defects import UNWRITTEN, Defects, unequal_messages
from emu.interop.pim_isa.importing.element_types import USUAL, Types
from emu.interop.pim_isa.importing.geometry import Geometry, geometry_of
from emu.interop.pim_isa.importing.global_memory import Content, GlobalBytes, content_of
from emu.interop.pim_isa.importing.kept_meaning import Meaning, keep_meaning
from emu.interop.pim_isa.importing.raw_program import keep_chip, write_raw
from emu.interop.pim_isa.importing.resolve import MAX_GLOBAL
from emu.interop.pim_isa.importing.weights import WeightSource, holds_weights
from emu.interop.pim_isa.isa import EVENTS, REGISTERS
from emu.isa.dtypes import DType
from emu.program.section_check import InstructionError
from emu.program.validate import validate_program

INPUTS, MEMORY = "inputs.npz", "memory.bin"
_PAGE = 1 << 16  # local memory is a multiple of so many bytes
Progress = Callable[[float], None]  # is told the share that is done


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What to import and how, as the options of `emu import` say.

    `types` are by width, over those that an export names. `memory` is the content of global memory from address 0 on,
    `weights` a folder, which may hold a file `memory.bin`, too; both may stand in a directory of a program. What is in
    neither is random, by `seed`. `events` is a
    key of `EVENT_RULES`, `addresses` of `ADDRESSING`. `rolls`: code that repeats itself becomes loops; `strict`:
    programs that read what nothing has written are refused.
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
    """What came out.

    `instructions` are those of the file, `rows` what is left of them, loops counted, when rolled, `executed` the
    instructions of the programs, the bodies of loops counted once, `crossbars` those in use.
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
        extension = read_extension(program.settings) if program.settings else None
        strange = check_program(program, _chip(program, chip, geometry), ADDRESSING[request.addresses] is not False)
        pairs, addressing = addressing_of(program, request.addresses)
        network = _network(request, extension)
        plan = ImportPlan(_types(request, extension), geometry, request.events, request.rolls, pairs, network)
        cores, defects = _cores(request, program, plan)
        told = (*program.warnings, *(chip.warnings if chip else ()), *derived, *strange, *addressing)
        warnings = (*told, *defects.sentences(), *unequal_messages(program))
        accessed = GlobalBytes.together(core.accessed for core in cores.values())
        content = content_of(program.where, accessed, extension, _memory(request, extension), request.seed)
        arch = _arch(program, cores, geometry)
        source = WeightSource(_weights(request, extension), request.seed)
        _write_cores(writer, program, cores, arch, source)
        _write_content(writer, content)
        numbers = {core: tuple(use.number for use in made.groups.uses) for core, made in cores.items()}
        keep_meaning(writer, Meaning(geometry, plan.types, numbers))
        if network.cores:
            with writer.add_file(FILE) as file:
                file.write(network.encode())
        write_raw(writer, {core: made.rolled for core, made in cores.items()}, program.groups)
        if request.arch is not None:
            keep_chip(writer, request.arch)
        manifest = writer.finish(_manifest(request, arch, content, network, warnings))
    rows = sum(len(core.rolled.trips) for core in cores.values())
    executed = sum(len(core.program.main) for core in cores.values())
    crossbars = sum(core.program.crossbars for core in cores.values())
    return Imported(manifest, program.instructions, rows, executed, crossbars, warnings)


def _chip(program: PimProgram, chip: PimsimChip | None, geometry: Geometry) -> ChipConfig:
    """What the program must fit into: without a configuration that is what it says itself."""
    if chip is not None:
        return chip.config.chip_config
    matrix = MatrixConfig(xbar_array_count=geometry.crossbars)
    return ChipConfig(core_cnt=max(program.cores) + 1, core_config=CoreConfig(matrix_config=matrix))


def _types(request: ImportRequest, extension: Extension | None) -> Types:
    if extension is None:
        return Types({**USUAL, **request.types})
    folder = _beside(request.path)
    changes = {core: read_changes(folder / name) for core, name in extension.changes.items()}
    return Types({**USUAL, **extension.types, **request.types}, changes, extension.weights)


def _cores(request: ImportRequest, program: PimProgram, plan: ImportPlan) -> tuple[dict[int, ImportedCore], Defects]:
    cores: dict[int, ImportedCore] = {}
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


def _arch(program: PimProgram, cores: Mapping[int, ImportedCore], geometry: Geometry) -> Arch:
    """A chip with room for the program; its cells hold whole weights, so that a crossbar is one of ours."""
    local = max(made.local_bytes for made in cores.values())
    crossbars = max(geometry.crossbars, *(made.program.crossbars for made in cores.values()))
    return Arch(
        name="imported",
        cores=max(program.cores) + 1,
        core=Core(crossbars, -(-max(local, 1) // _PAGE) * _PAGE, REGISTERS, EVENTS),
        crossbar=Crossbar(geometry.rows, largest_tile({core: made.groups for core, made in cores.items()})),
        global_memory=GlobalMemory(MAX_GLOBAL),
    )


def _network(request: ImportRequest, extension: Extension | None) -> SourceMap:
    """What the program says of the network that it was compiled from; of a foreign one nothing is known."""
    if extension is None or not extension.source_map:
        return SourceMap()
    return read_source_map(_beside(request.path) / extension.source_map)


def _manifest(
    request: ImportRequest, arch: Arch, content: Content, network: SourceMap, warnings: tuple[str, ...]
) -> Manifest:
    path, used = request.path, end_of((*content.inputs, *content.outputs))
    origin = {EXPORTED_FROM: network.model.sha256} if network.model.sha256 else {}
    return Manifest(
        arch=arch,
        cores=(),
        inputs=content.inputs,
        outputs=content.outputs,
        global_size=max(used, content.size, *(spec.end for spec, _ in content.read_only), 0),
        model=ModelInfo(path.name, digest(path).sha256 if path.is_file() else ""),
        default_input=INPUTS if content.samples else "",
        options={**network.options, **origin, IMPORTED: "pim-isa", "events": request.events, "seed": str(request.seed)},
        tensors=network.tensors,
        warnings=warnings,
    )


def _write_cores(
    writer: ImageWriter, program: PimProgram, cores: Mapping[int, ImportedCore], arch: Arch, source: WeightSource
) -> None:
    everyone = set(cores)
    for core, made in cores.items():
        try:
            validate_program(made.program, arch, program.where, everyone)
        except InstructionError as error:
            origin = made.program.sources[made.program.main.decode(error.index).source]
            at = origin.part.removeprefix(f"core{core}[").removesuffix("]")
            raise ProgramError(f"{program.where}: core {core}, instruction {at}, {error.what}") from None
        writer.add_core(made.program, source.weights(core, made.groups))


def _write_content(writer: ImageWriter, content: Content) -> None:
    if content.samples:
        with writer.add_file(INPUTS) as file:
            write_npz(file, content.samples)
    for spec, elements in content.read_only:
        writer.add_read_only(spec, elements)


def _beside(path: Path) -> Path:
    """Where the files that belong to a program are."""
    return path if path.is_dir() else path.parent


def _weights(request: ImportRequest, extension: Extension | None) -> Path | None:
    """The folder of weights; an export has them beside its program, a directory of a program may."""
    if request.weights is not None:
        return request.weights
    beside = _beside(request.path)
    return beside if extension is not None or (request.path.is_dir() and holds_weights(beside)) else None


def _memory(request: ImportRequest, extension: Extension | None) -> np.ndarray | None:
    """The bytes of global memory that were given; None: none were."""
    path, folder = request.memory, request.weights or (request.path if request.path.is_dir() else None)
    if path is None and folder is not None and (folder / MEMORY).exists():
        path = folder / MEMORY
    if path is None and extension is not None and extension.memory:
        path = _beside(request.path) / extension.memory
    return np.frombuffer(map_file(path, ProgramError), np.uint8) if path is not None else None
