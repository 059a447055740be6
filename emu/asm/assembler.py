"""Assembles a program set into an image that can be launched, without the compiler."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from emu.asm.program_set import CoreText, ProgramSet, Weights
from emu.asm.set_parser import parse_program_set
from emu.errors import InputError, ProgramError
from emu.image.manifest import Manifest
from emu.image.npz import read_npy
from emu.image.writer import ImageWriter
from emu.program.group import GroupSpec
from emu.program.validate import InstructionError, validate_program

SOURCE_FILE = "chip.asm"
MAX_FILE = 1 << 32  # bytes of any file that a text names


def assemble(source: Path, out: Path) -> Manifest:
    """Write the image of `source`, an assembly file or a directory with `chip.asm`, to `out`.

    Weights, data, input and golden files are found beside the text. Raises ProgramError with file and line, ArchError.
    """
    source = Path(source)
    text_file = source / SOURCE_FILE if source.is_dir() else source
    programs = read_program_set(text_file)
    check_program_set(programs, str(text_file))
    with ImageWriter(out) as writer:
        for core in programs.cores:
            writer.add_core(core.program, _weights(core, text_file))
        for name in (programs.default_input, programs.golden):
            if name:
                with _beside(text_file, name).open("rb") as source_file, writer.add_file(name) as file:
                    shutil.copyfileobj(source_file, file)
        return writer.finish(_manifest(programs))


def read_program_set(text_file: Path) -> ProgramSet:
    """The program set of an assembly file."""
    try:
        text = text_file.read_text("utf-8")
    except UnicodeDecodeError:
        raise ProgramError(f"{text_file}: not UTF-8 text") from None
    except OSError as error:
        raise ProgramError(f"{text_file}: cannot be read: {error.strerror}") from None
    return parse_program_set(text, str(text_file), _reader(text_file))


def check_program_set(programs: ProgramSet, where: str) -> None:
    """Validate every program; faults of instructions name their line."""
    cores = {core.program.core for core in programs.cores}
    for core in programs.cores:
        try:
            validate_program(core.program, programs.arch, where, cores)
        except InstructionError as error:
            line = core.lines[error.section][error.index]
            raise ProgramError(f"{where}:{line}: core {core.program.core}: {error.what}") from None


def _manifest(programs: ProgramSet) -> Manifest:
    return Manifest(
        arch=programs.arch,
        cores=(),
        inputs=programs.inputs,
        outputs=programs.outputs,
        global_size=programs.global_size,
        model=programs.model,
        default_input=programs.default_input,
        golden=programs.golden,
        golden_source=programs.golden_source,
        options=programs.options,
    )


def _weights(core: CoreText, text_file: Path) -> Iterator[np.ndarray]:
    """The weights of each group, one at a time."""
    for group, weights in zip(core.program.groups, core.weights, strict=True):
        yield _load_weights(weights, group, text_file)


def _load_weights(weights: Weights, group: GroupSpec, text_file: Path) -> np.ndarray:
    """A matrix itself, a `.npy` file, or a raw file of rows x columns dense little-endian elements."""
    if not isinstance(weights, str):
        return weights
    path = _beside(text_file, weights)
    if path.suffix == ".npy":
        return read_npy(path)
    expected = group.rows * group.cols * group.weight.size
    if path.stat().st_size != expected:
        raise ProgramError(f"{path}: has {path.stat().st_size} bytes, a raw matrix of the group has {expected}")
    return np.fromfile(path, group.weight.numpy).reshape(group.rows, group.cols)


def _reader(text_file: Path) -> Callable[[str], bytes]:
    return lambda name: _beside(text_file, name).read_bytes()


def _beside(text_file: Path, name: str) -> Path:
    """A file beside the text; raises InputError if it is none, or absurdly large."""
    path = text_file.parent / name
    if not path.is_file():
        raise InputError(f"{text_file}: there is no file {name!r} beside it")
    if path.stat().st_size > MAX_FILE:
        raise InputError(f"{path}: larger than {MAX_FILE} bytes")
    return path
