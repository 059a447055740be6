"""Where a core stands, in the user's terms: instruction, loop counters, sample, ONNX node."""

from __future__ import annotations

from dataclasses import dataclass

from emu.core.trap import INIT_SAMPLE
from emu.program.program import Program
from emu.program.section import Section


@dataclass(frozen=True, slots=True)
class ProgramPlace:
    """An instruction of a program, as it was reached."""

    section: str  # "init" or "main"
    index: int
    instruction: str  # mnemonic with types and suffixes; empty before the first one
    counters: tuple[int, ...]  # loop counters, outermost first
    sample: int  # INIT_SAMPLE in `init`
    node: str  # ONNX node, empty if unknown

    def __str__(self) -> str:
        sample = [] if self.sample == INIT_SAMPLE else [f"sample {self.sample}"]
        loops = [f"loops {list(self.counters)}"] if self.counters else []
        node = [f"node {self.node}"] if self.node else []
        details = ", ".join(sample + loops + node)
        return f"{self.section}[{self.index}] {self.instruction}{f' ({details})' if details else ''}"


def place_of(program: Program, section: str, index: int, counters: tuple[int, ...], sample: int) -> ProgramPlace:
    """The place at instruction `index` of `section`, with its mnemonic and node read from the program."""
    code: Section = program.main if section == "main" else program.init
    if not 0 <= index < len(code):
        return ProgramPlace(section, index, "", counters, sample, "")
    instr = code.instr(index)
    node = program.sources[instr.source].name if 0 <= instr.source < len(program.sources) else ""
    return ProgramPlace(section, index, instr.text, counters, sample, node)
