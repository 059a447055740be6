"""A lowered program with its loops: rows of PIM-ISA, of which only register writes depend on loop counters."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.format.program import FIELDS, dtype_of
from emu.interop.pim_isa.isa import CODES
from emu.isa.address import Term
from emu.isa.dtypes import DType

LOOP = 255  # in the column `op`: no code of the instruction set
UNTYPED = 255  # of rows whose elements are bytes, or only moved
Types = tuple[DType, DType]  # of elements of the widths `ibiw` and `obiw`


@dataclass(frozen=True, slots=True)
class RegisterTerms:
    """The value of a register write: base + sum(terms); `high`: of its 64 bits the upper 32."""

    base: int
    terms: tuple[Term, ...] = ()
    high: bool = False


@dataclass(frozen=True, eq=False)
class ProgramTemplate:
    """Rows in program order, loops before their bodies.

    `fields` [rows] by the names of `CoreColumns`; of loops `op` is LOOP. `trips` and `end` (the row behind the body)
    are of loops. `base` int64 [rows], `high` bool [rows], and `terms` int64 [4, rows, most terms] (loop, stride,
    offset, modulus) make the `imm` of register writes. `types` uint8 [rows, 2] are codes of `DType`, or UNTYPED.
    """

    fields: dict[str, np.ndarray]
    trips: np.ndarray
    end: np.ndarray
    base: np.ndarray
    high: np.ndarray
    terms: np.ndarray
    types: np.ndarray

    def __len__(self) -> int:
        return len(self.end)


class TemplateBuilder:
    """Collects rows; `loop` is a context manager that gives the index of its counter."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, ...]] = []
        self._values: list[RegisterTerms] = []
        self._types: list[tuple[int, int]] = []
        self._loops: list[tuple[int, int]] = []  # trips and end
        self.depth = 0

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, name: str, types: Types | None = None, value: RegisterTerms | None = None, **fields: int) -> None:
        """Append an instruction; fields that are not given are 0."""
        self._append(CODES[name], types, value, fields)

    @contextmanager
    def loop(self, trips: int) -> Generator[int]:
        """What is appended inside runs `trips` times."""
        row = len(self)
        self._append(LOOP, None, None, {})
        self.depth += 1
        yield self.depth - 1
        self.depth -= 1
        self._loops[row] = trips, len(self)

    def _append(self, code: int, types: Types | None, value: RegisterTerms | None, fields: dict[str, int]) -> None:
        assert fields.keys() <= _NAMES
        self._rows.append((code, *(fields.get(name, 0) for name in FIELDS[1:])))
        self._values.append(value or _NOTHING)
        self._types.append((int(types[0]), int(types[1])) if types else (UNTYPED, UNTYPED))
        self._loops.append((1, 0))

    def finish(self) -> ProgramTemplate:
        """All rows as columns."""
        table = np.array(self._rows, np.int64).reshape(len(self), len(FIELDS))
        fields = {name: table[:, k].astype(dtype_of(name)) for k, name in enumerate(FIELDS)}
        loops = np.array(self._loops, np.int64).reshape(len(self), 2)
        return ProgramTemplate(
            fields,
            loops[:, 0],
            loops[:, 1],
            np.array([value.base for value in self._values], np.int64),
            np.array([value.high for value in self._values], np.bool_),
            _term_columns([value.terms for value in self._values]),
            np.array(self._types, np.uint8).reshape(len(self), 2),
        )


_NAMES = frozenset(FIELDS)
_NOTHING = RegisterTerms(0)


def _term_columns(rows: Sequence[Sequence[Term]]) -> np.ndarray:
    most = max(map(len, rows), default=0)
    columns = np.zeros((4, len(rows), most), np.int64)
    for row, terms in enumerate(rows):
        for k, term in enumerate(terms):
            columns[:, row, k] = term.loop, term.stride, term.offset, term.modulus
    return columns
