"""Sentences about one instruction of a foreign program."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import BY_CODE


def place_of(core: int, columns: CoreColumns, row: int) -> str:
    """How sentences call an instruction."""
    return f"core {core}, instruction {row} ({BY_CODE[int(columns.op[row])].name})"


def refuse(where: str, core: int, columns: CoreColumns, row: int, key: str, what: str) -> NoReturn:
    """Raise ProgramError about the field `key` of an instruction."""
    raise ProgramError(f"{where}: {place_of(core, columns, row)}, key {key!r}: {what}")


def refuse_first(
    where: str, core: int, columns: CoreColumns, rows: np.ndarray, wrong: np.ndarray, key: str, what: str
) -> None:
    """Raise ProgramError at the first of `rows` that is `wrong`; nothing if none is."""
    if wrong.any():
        refuse(where, core, columns, int(rows[int(np.argmax(wrong))]), key, what)
