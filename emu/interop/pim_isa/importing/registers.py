"""What the registers of a PIM-ISA core hold at every instruction: it has no branches, so all of it is known beforehand.

Only what `sld` loads is not: such a register, and what is computed from it, is *loaded*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import ARITHMETIC, BY_CODE, REGISTERS, among, computed, having


@dataclass(frozen=True, eq=False)
class RegisterValues:
    """The values that registers are given: at instruction `places[r][k]` register r becomes `values[...]`.

    `values` int64 and `loaded` bool are per instruction of the core, of use where it writes a register.
    """

    places: tuple[np.ndarray, ...]
    values: np.ndarray
    loaded: np.ndarray

    def writer(self, rows: np.ndarray, register: np.ndarray) -> np.ndarray:
        """Per instruction of `rows` the last one before it that wrote `register` of it; -1: none has."""
        found = np.full(len(rows), -1, np.int64)
        for number in np.unique(register).tolist():
            at, places = np.flatnonzero(register == number), self.places[number]
            before = np.searchsorted(places, rows[at], "left") - 1
            found[at] = np.where(before >= 0, places[before] if len(places) else -1, -1)
        return found

    def read(self, rows: np.ndarray, register: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (int64) of `register` as the instructions `rows` find it, and whether they are loaded."""
        writer = self.writer(rows, register)
        written = writer >= 0
        return np.where(written, self.values[writer], 0), written & self.loaded[writer]


def registers_of(columns: CoreColumns) -> RegisterValues:
    """Follow the registers of a core: constants at once, arithmetic in its order, in int32 that wraps."""
    op, count = columns.op, columns.count
    writing = among(op, "sldi", "sld", *ARITHMETIC)
    where = np.flatnonzero(writing)
    targets = columns.rd[where]
    places = tuple(where[targets == register] for register in range(REGISTERS))
    found = RegisterValues(places, columns.imm.astype(np.int64), among(op, "sld"))
    rows = np.flatnonzero(among(op, *ARITHMETIC))
    if not len(rows) or not count:
        return found
    first = found.writer(rows, columns.rs1[rows])
    second = np.where(having(op[rows], "imm"), -2, found.writer(rows, columns.rs2[rows]))
    values, loaded = found.values.tolist(), found.loaded.tolist()
    for row, code, one, two in zip(rows.tolist(), op[rows].tolist(), first.tolist(), second.tolist(), strict=True):
        a = values[one] if one >= 0 else 0
        b = values[two] if two >= 0 else 0
        values[row] = computed(BY_CODE[code], a, b, values[row])
        loaded[row] = (one >= 0 and loaded[one]) or (two >= 0 and loaded[two])
    return RegisterValues(places, np.array(values, np.int64), np.array(loaded, np.bool_))


def sources(code: int) -> tuple[str, ...]:
    """The fields of a scalar instruction that name registers which it reads."""
    return tuple(name for name in BY_CODE[code].fields if name in ("rs1", "rs2"))
