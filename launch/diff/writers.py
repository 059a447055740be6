"""Which instruction wrote an element of a tensor: into a core's memory before it was complete, or as an output."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from emu.asm.core_printer import core_lines
from emu.asm.section_printer import print_instruction
from emu.image.reader import Image
from emu.program.form import Box, Form, box_shape, box_slices
from launch.bisect.recording import SampleRecording
from launch.bisect.statements import CoreStatements


@dataclass(frozen=True, slots=True)
class WritingInstruction:
    """An instruction of a core, the node of the source map that it is of, and its line.

    The line is that of `emu export OUT --to asm --core N`. `index` None: no instruction of `main` wrote it, but `init`,
    a constant or an earlier sample.
    """

    core: int
    node: str
    section: str
    index: int | None
    instruction: str = ""
    line: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    def text(self, out: str) -> str:
        """For people; `out` is the image."""
        if self.index is None:
            return f"core {self.core}, before `main`"
        node = f", node {self.node}" if self.node else ""
        return (
            f"core {self.core} {self.section}[{self.index}]{node}: {self.instruction}"
            f" (line {self.line} of emu export {out} --to asm --core {self.core})"
        )


def writer_of(
    image: Image, recording: SampleRecording, tensor: str, index: tuple[int, ...]
) -> WritingInstruction | None:
    """Who wrote the element `index` (logical) of a tensor; None if that cannot be told."""
    for core, number in recording.captures:
        buffer = image.program(core).buffers[number]
        if buffer.tensor == tensor and (place := _place(buffer.form, buffer.box, index)) is not None:
            statements = CoreStatements(image.program(core), image.arch)
            found = statements.writer(buffer.complete, buffer.address + place * buffer.dtype.size)
            return _writer(image, core, "main", found)
    for spec in image.manifest.outputs:
        for tile in spec.tiles if spec.name == tensor else ():
            if (place := _place(spec.form, tile.box, index)) is not None:
                address = tile.address + place * spec.dtype.size
                stores = [s for s in recording.stores if s.address <= address < s.address + len(s.data)]
                return _writer(image, stores[-1].core, *stores[-1].position[:2]) if stores else None
    return None


def _place(form: Form, box: Box, index: tuple[int, ...]) -> int | None:
    """The place of a logical element in the memory of a box, in elements; None if it is not in it."""
    marks = np.zeros(form.shape, np.bool_)
    marks[index] = True
    found = np.flatnonzero(form.physical(marks)[box_slices(box)].reshape(box_shape(box)))
    return int(found[0]) if len(found) else None


def _writer(image: Image, core: int, section: str, index: int | None) -> WritingInstruction:
    program = image.program(core)
    if index is None:
        return WritingInstruction(core, "", section, None)
    instr = getattr(program, section).decode(index)
    source = program.sources[instr.source].name if 0 <= instr.source < len(program.sources) else ""
    mark = f" ; {section}[{index}]"
    line = next((number for number, text in enumerate(core_lines(program), 1) if text.endswith(mark)), None)
    return WritingInstruction(core, source, section, index, print_instruction(instr), line)
