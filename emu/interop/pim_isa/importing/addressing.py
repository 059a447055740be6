"""How a foreign program names bytes of global memory: by two registers, or by one as PIMCOMP-NN does."""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.format.program import PimProgram
from emu.interop.pim_isa.importing.refusal import place_of
from emu.interop.pim_isa.importing.registers import registers_of
from emu.interop.pim_isa.isa import OPS

ADDRESSING = {"auto": None, "pairs": True, "single": False}  # whether addresses are in pairs; None: to be found out


def addressing_of(program: PimProgram, wanted: str) -> tuple[bool, list[str]]:
    """Whether addresses are in pairs of registers, and what to tell about that.

    `wanted` is of ADDRESSING. An upper word that is not 0 (memory beyond 4 GiB) says that the program means no pairs.
    """
    known = ADDRESSING[wanted]
    if known is not None:
        return known, []
    pairs = [(op.code, operand.register) for op in OPS for operand in op.operands if operand and operand.pair]
    for core, columns in program.cores.items():
        registers = registers_of(columns)
        found: list[int] = []
        for code, register in pairs:
            rows = np.flatnonzero(columns.op == code)
            upper, _ = registers.read(rows, getattr(columns, register)[rows])
            found += rows[upper != 0][:1].tolist()
        if found:
            place = place_of(core, columns, min(found))
            return False, [
                f"{place}: as a pair of registers its address would be beyond 4 GiB: addresses of global memory are"
                " taken from the one register that is named, as PIMCOMP-NN writes them"
            ]
    return True, []
