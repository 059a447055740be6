"""Assembles a program set into an image that can be launched, without the compiler."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from emu.asm.program_set import CoreText, ProgramSet, Weights
from emu.asm.set_parser import parse_program_set
from emu.errors import InputError, ProgramError
from emu.files import map_file, open_file, read_bytes, read_text, shown
from emu.image.manifest import Manifest
from emu.image.npz import read_npy
from emu.image.read_only import map_tensor
from emu.image.writer import ImageWriter
from emu.output.stream import OutputStream
from emu.program.group import GroupSpec
from emu.program.validate import InstructionError, validate_program
from emu.wording import counted

SOURCE_FILE = "chip.asm"
MAX_TEXT = 1 << 27  # bytes of an assembly file
MAX_DATA = 1 << 30  # bytes of all files whose content becomes part of the programs


def assemble(source: Path, out: Path) -> Manifest:
    """Write the image of `source`, an assembly file or a directory with `chip.asm`, to `out`.

    Weights, data, read-only tensors, input and golden files are found beside the text. Raises ProgramError with file
    and line, ArchError.
    """
    source = Path(source)
    text_file = source / SOURCE_FILE if source.is_dir() else source
    return assemble_set(read_program_set(text_file), text_file, out)


def assemble_set(programs: ProgramSet, text_file: Path, out: Path) -> Manifest:
    """The same of a text that has been read."""
    check_program_set(programs, str(text_file))
    with ImageWriter(out) as writer:
        for core in programs.cores:
            writer.add_core(core.program, _weights(core, text_file))
        for spec in programs.read_only:
            writer.add_read_only(spec, map_tensor(_beside(text_file, spec.file), spec))
        for name in (programs.default_input, programs.golden):
            if name:
                with writer.add_file(name) as file:
                    _copy(_beside(text_file, name), file)
        return writer.finish(_manifest(programs))


def read_program_set(text_file: Path) -> ProgramSet:
    """The program set of an assembly file."""
    text = read_text(text_file, MAX_TEXT, ProgramError)
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
        tensors=programs.tensors,
        warnings=programs.warnings,
        states=programs.states,
    )


def _weights(core: CoreText, text_file: Path) -> Iterator[np.ndarray]:
    """The weights of each group with crossbars of its own, one at a time."""
    stored = (group for group in core.program.groups if not group.shares)
    for group, weights in zip(stored, core.weights, strict=True):
        yield _load_weights(weights, group, text_file)


def _load_weights(weights: Weights, group: GroupSpec, text_file: Path) -> np.ndarray:
    """A matrix itself, a `.npy` file, or a raw file of rows x columns dense little-endian elements."""
    if not isinstance(weights, str):
        return weights
    path = _beside(text_file, weights)
    if path.suffix == ".npy":
        return read_npy(path)
    expected = group.rows * group.cols * group.weight.size
    content = map_file(path, ProgramError)
    if len(content) != expected:
        raise ProgramError(f"{path}: has {counted(len(content), 'byte')}, a raw matrix of the group has {expected}")
    return np.frombuffer(content, group.weight.numpy).reshape(group.rows, group.cols)


def _reader(text_file: Path) -> Callable[[str], bytes]:
    """Gives the content of files beside the text, `MAX_DATA` bytes in all."""
    left = MAX_DATA

    def read(name: str) -> bytes:
        nonlocal left
        content = read_bytes(_beside(text_file, name), MAX_DATA, ProgramError)
        left -= len(content)
        if left < 0:
            raise ProgramError(f"{text_file}: the files of its data have more than {MAX_DATA} bytes in all")
        return content

    return read


def _copy(source: Path, target: OutputStream) -> None:
    """The content of a regular file, whatever else has come to stand there in the meantime."""
    with open_file(source, ProgramError) as file:
        shutil.copyfileobj(file, target, 1 << 20)


def _beside(text_file: Path, name: str) -> Path:
    """A file beside the text; raises InputError if there is none."""
    path = text_file.parent / name
    if not os.path.lexists(path):
        raise InputError(f"{text_file}: there is no file {shown(name)!r} beside it")
    return path
