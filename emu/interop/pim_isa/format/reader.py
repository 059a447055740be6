"""Read a PIM-ISA program in any of its forms: one JSON file, plain or gzip, or a directory with a file per core."""

from __future__ import annotations

import re
from pathlib import Path

from emu.errors import ProgramError
from emu.files import read_text, shown
from emu.image.json_fields import parse_json
from emu.interop.pim_isa.format.array_groups import ProgramConfig, read_program_config
from emu.interop.pim_isa.format.binary_core import read_binary_core
from emu.interop.pim_isa.format.json_core import MAX_INSTRUCTIONS, JsonCore
from emu.interop.pim_isa.format.json_file import MAX_VALUE, JsonStream, json_stream
from emu.interop.pim_isa.format.program import CoreColumns, PimProgram

_CORE = re.compile(r"core(0|[1-9]\d{0,6})")
_FILE = re.compile(r"core_(\d{1,7})\.(json|pim)")


def read_program(path: Path) -> PimProgram:
    """The program of a file or directory; raises ProgramError naming file, core, instruction and key."""
    if path.is_dir():
        return _directory(path)
    with json_stream(path) as stream:
        return _object(stream)


def _object(stream: JsonStream) -> PimProgram:
    """One JSON object: `config`, and a list of instructions per core."""
    cores: dict[int, CoreColumns] = {}
    config: ProgramConfig | None = None
    warnings: list[str] = []
    seen: set[str] = set()
    stream.expect(b"{")
    while stream.peek() != b"}" or seen:
        key = _key(stream)
        if key in seen:
            stream.refuse(f"key {key!r} occurs twice")
        seen.add(key)
        stream.expect(b":")
        if match := _CORE.fullmatch(key):
            cores[int(match[1])] = _core(stream, int(match[1]), warnings, cores)
        elif key == "config":
            config = _config(stream.value(), stream.where)
        else:
            stream.value()
            warnings.append(f"key {key!r} is unknown and ignored")
        if stream.peek() == b"}":
            break
        stream.expect(b",")
    stream.expect(b"}")
    stream.end()
    if config is None:
        raise ProgramError(f"{stream.where}: key 'config' is missing")
    return _program(stream.where, config, cores, warnings)


def _key(stream: JsonStream) -> str:
    if stream.peek() != b'"':
        stream.expect(b'"')
    return parse_json(stream.value().decode("utf-8", "replace"), stream.where).text()


def _config(text: bytes, where: str) -> ProgramConfig:
    return read_program_config(parse_json(text.decode("utf-8", "replace"), where), "config")


def _core(stream: JsonStream, core: int, warnings: list[str], before: dict[int, CoreColumns]) -> CoreColumns:
    room = MAX_INSTRUCTIONS - sum(columns.count for columns in before.values())
    reader = JsonCore(stream.where, core, warnings, room)
    for piece in stream.pieces():
        reader.add(piece)
    return reader.columns()


def _directory(path: Path) -> PimProgram:
    """`config.json`, and `core_<id>.json` (a list) or `core_<id>.pim` for each core."""
    where = shown(path)
    settings = path / "config.json"
    if not settings.exists():
        raise ProgramError(f"{where}: no PIM-ISA program: there is no config.json in it")
    config = read_program_config(parse_json(read_text(settings, MAX_VALUE, ProgramError), shown(settings)), "")
    files: dict[int, Path] = {}
    for file in sorted(path.iterdir()):
        if match := _FILE.fullmatch(file.name):
            core = int(match[1])
            if core in files:
                raise ProgramError(f"{where}: core {core} has two files, {files[core].name} and {file.name}")
            files[core] = file
    cores: dict[int, CoreColumns] = {}
    warnings: list[str] = []
    for core, file in sorted(files.items()):
        room = MAX_INSTRUCTIONS - sum(columns.count for columns in cores.values())
        if file.suffix == ".pim":
            cores[core] = read_binary_core(file, core, room)
            continue
        with json_stream(file) as stream:
            cores[core] = _core(stream, core, warnings, cores)
            stream.end()
    return _program(where, config, cores, warnings)


def _program(where: str, config: ProgramConfig, cores: dict[int, CoreColumns], warnings: list[str]) -> PimProgram:
    beyond = [core for core in cores if core >= config.core_count]
    if beyond:
        raise ProgramError(f"{where}: core {beyond[0]} is beyond config.core_cnt = {config.core_count}")
    if not cores:
        raise ProgramError(f"{where}: it has no core: a program has keys core0, core1, ...")
    cores = dict(sorted(cores.items()))
    groups = {core: config.groups.get(core, ()) for core in cores}
    return PimProgram(where, cores, groups, tuple(warnings), config.settings)
