"""One section under validation: its context, and how a fault found in a column becomes an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from emu.arch import Arch
from emu.errors import ProgramError
from emu.isa.dtypes import DType
from emu.isa.table import BY_CODE
from emu.program.nesting import Nesting, nesting, operand_owner, term_owner
from emu.program.program import Program
from emu.program.section import Section


class InstructionError(ProgramError):
    """A fault of one instruction; `section`, `index` and `what` let an assembler name the line instead."""

    def __init__(self, place: str, section: str, index: int, what: str) -> None:
        super().__init__(f"{place}, {section}[{index}] {what}")
        self.section, self.index, self.what = section, index, what


@dataclass(frozen=True, eq=False)
class SectionCheck:
    """What a section may refer to, and where it stands."""

    place: str  # "file: core 7"
    name: str  # "init" or "main"
    section: Section
    program: Program
    arch: Arch
    cores: frozenset[int] | None

    @property
    def col(self) -> dict[str, np.ndarray]:
        """The columns of the section."""
        return self.section.columns

    @cached_property
    def opcodes(self) -> frozenset[int]:
        """The opcodes that occur, of a section in which all are known: what none of them is need not be looked for."""
        return frozenset(np.flatnonzero(np.bincount(self.col["op"])).tolist())

    @cached_property
    def nesting(self) -> Nesting:
        """The loops (of a section known to be properly nested)."""
        return nesting(self.section)

    @cached_property
    def operand_owner(self) -> np.ndarray:
        """The instruction of each operand."""
        return operand_owner(self.section)

    @cached_property
    def term_instruction(self) -> np.ndarray:
        """The instruction of each address term."""
        return self.operand_owner[term_owner(self.section)]

    def refuse(self, bad: np.ndarray, what: Callable[[int], str], instructions: np.ndarray | None = None) -> None:
        """Raise InstructionError at the first row of `bad` that is set; `what(row)` says why.

        `instructions` maps rows of `bad` to instructions when they are not instructions themselves.
        """
        if bad.any():
            row = int(np.argmax(bad))
            index = row if instructions is None else int(instructions[row])
            raise InstructionError(self.place, self.name, index, f"{self.mnemonic(index)}: {what(row)}")

    def refuse_section(self, what: str) -> None:
        """Raise ProgramError for a fault of no single instruction."""
        raise ProgramError(f"{self.place}, {self.name}: {what}")

    def mnemonic(self, index: int) -> str:
        """The mnemonic with its types, as far as they are known."""
        spec = BY_CODE.get(int(self.col["op"][index]))
        if spec is None:
            return f"opcode {int(self.col['op'][index])}"
        codes = [int(self.col[f"type{which}"][index]) for which in range(spec.types)]
        names = (DType(code).name if code < len(DType) else f"type{code}" for code in codes)
        return spec.text(names, int(self.col["flags"][index]))
