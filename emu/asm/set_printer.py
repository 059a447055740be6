"""Prints program sets: the whole text of an image."""

from __future__ import annotations

from collections.abc import Iterator

from emu.arch import Arch
from emu.arch.read import load_arch, preset_names
from emu.arch.write import arch_entries
from emu.asm.core_printer import core_lines
from emu.asm.program_set import ProgramSet
from emu.asm.read_only_text import read_only_line
from emu.asm.section_printer import INDENT, quote
from emu.asm.tensor_text import tensor_lines
from emu.image.manifest import TensorOrigin
from emu.image.reader import Image
from emu.program.program import Program


def print_program(program: Program) -> str:
    """The `core` block of one program; groups name files for their weights."""
    return _join(core_lines(program))


def print_image(image: Image) -> str:
    """The text of an image; weights are named by file (see `disassemble`, which also writes those)."""
    return _join(image_lines(image))


def image_lines(image: Image) -> Iterator[str]:
    """The lines of `print_image`, one program in memory at a time."""
    yield from header_lines(header_of(image))
    for core in image.cores:
        yield ""
        yield from core_lines(image.program(core))


def header_of(image: Image) -> ProgramSet:
    """The program set of an image, without its cores."""
    m = image.manifest
    files = m.default_input, m.golden, m.golden_source
    told = *files, m.tensors, m.warnings, m.read_only, m.states
    return ProgramSet(m.arch, m.global_size, m.inputs, m.outputs, (), m.model, m.options, *told)


def header_lines(programs: ProgramSet) -> Iterator[str]:
    """Everything that comes before the cores."""
    yield from _arch_lines(programs.arch)
    model = programs.model
    if model.name or model.sha256:
        yield f"model {quote(model.name)}{f' sha256 {quote(model.sha256)}' if model.sha256 else ''}"
    yield from (f"option {quote(key)} {quote(value)}" for key, value in programs.options.items())
    yield from (f"warning {quote(text)}" for text in programs.warnings)
    if programs.default_input:
        yield f"default_input {quote(programs.default_input)}"
    if programs.golden:
        yield f"golden {quote(programs.golden)}"
    if programs.golden_source:
        yield f"golden_source {quote(programs.golden_source)}"
    yield f"global {programs.global_size}"
    yield from map(_origin_text, programs.tensors)
    for spec in programs.inputs:
        yield from tensor_lines("input", spec)
    for spec in programs.outputs:
        yield from tensor_lines("output", spec)
    yield from map(read_only_line, programs.read_only)
    yield from (f"state {quote(state.input)} from {quote(state.output)}" for state in programs.states)


def _origin_text(origin: TensorOrigin) -> str:
    absent = f" absent {quote(origin.absent)}" if origin.absent else ""
    return f"tensor {quote(origin.tensor)} node {quote(origin.node)}{absent}"


def _arch_lines(arch: Arch) -> Iterator[str]:
    if arch.name in preset_names() and load_arch(arch.name) == arch:
        yield f"arch {arch.name}"
        return
    yield "arch {"
    yield from (f"{INDENT}{table}.{key} = {value}" for table, key, value in arch_entries(arch))
    yield "}"


def _join(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
