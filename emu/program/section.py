"""A section of a program (`init` or `main`): columns of instructions, operands and address terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from emu.isa.address import Address, Term
from emu.isa.dtypes import DTYPES, DType
from emu.isa.instruction import Instruction
from emu.isa.table import BY_CODE, LOOP

# name -> dtype of each column: one row per instruction, operand or term.
INSTRUCTION_COLUMNS = {
    "op": np.dtype("<u2"),
    "type0": np.dtype("u1"),
    "type1": np.dtype("u1"),
    "type2": np.dtype("u1"),
    "flags": np.dtype("<u2"),
    "n": np.dtype("<i8"),
    "arg0": np.dtype("<i8"),
    "arg1": np.dtype("<i8"),
    "arg2": np.dtype("<i8"),
    "imm": np.dtype("<f8"),
    "end": np.dtype("<i4"),  # loops: index after the last instruction of the body; others: -1
    "operand": np.dtype("<i4"),  # index of the first operand
    "source": np.dtype("<i4"),  # index into the program's sources; -1: none
}
OPERAND_COLUMNS = {
    "base": np.dtype("<i8"),
    "reg": np.dtype("i1"),
    "stride": np.dtype("<i4"),
    "pitch": np.dtype("<i4"),
    "term": np.dtype("<i4"),  # index of the first term
    "terms": np.dtype("u1"),  # number of terms
}
TERM_COLUMNS = {
    "loop": np.dtype("u1"),
    "tstride": np.dtype("<i8"),
    "toffset": np.dtype("<i8"),
    "modulus": np.dtype("<i8"),
}
TYPES = ("type0", "type1", "type2")
COLUMNS = {**INSTRUCTION_COLUMNS, **OPERAND_COLUMNS, **TERM_COLUMNS}


@dataclass(frozen=True, slots=True)
class Instr:
    """One decoded instruction: a view for engines, printers and error messages."""

    spec: Instruction
    types: tuple[DType, ...]
    flags: int
    operands: tuple[Address, ...]
    n: int
    arg0: int
    arg1: int
    arg2: int
    imm: float
    end: int
    source: int

    @property
    def text(self) -> str:
        """The mnemonic with types and suffixes, as in assembly."""
        return self.spec.text((kind.name for kind in self.types), self.flags)

    def field(self, name: str) -> int | float:
        """The value of a named field, such as "core" or "imm"."""
        return getattr(self, self.spec.column(name))


@dataclass(frozen=True, eq=False)
class Section:
    """Instructions as columns (arrays as named in `COLUMNS`), in program order, loops before their bodies."""

    columns: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.columns["op"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Section) and all(
            np.array_equal(self.columns[name], other.columns[name], equal_nan=name == "imm") for name in COLUMNS
        )

    @cached_property
    def _decoded(self) -> dict[int, Instr]:
        return {}

    def instr(self, index: int) -> Instr:
        """Decode instruction `index` (kept for the next time: loops run it again)."""
        known = self._decoded.get(index)
        if known is None:
            known = self._decoded[index] = self.decode(index)
        return known

    @cached_property
    def _items(self) -> dict[str, Callable[[int], Any]]:
        """What reads one value of a column, as a number of Python."""
        return {name: column.item for name, column in self.columns.items()}

    def decode(self, index: int) -> Instr:
        """Decode instruction `index` without keeping it, for walks over a whole section."""
        item = self._items
        spec = BY_CODE[item["op"](index)]
        first = item["operand"](index)
        return Instr(
            spec,
            tuple([DTYPES[item[name](index)] for name in TYPES[: spec.types]]),
            item["flags"](index),
            tuple([self.address(row) for row in range(first, first + len(spec.operands))]),
            item["n"](index),
            item["arg0"](index),
            item["arg1"](index),
            item["arg2"](index),
            item["imm"](index),
            item["end"](index),
            item["source"](index),
        )

    def address(self, row: int) -> Address:
        """The address of operand `row` of the section."""
        item = self._items
        first, count = item["term"](row), item["terms"](row)
        terms = tuple([self._term(place) for place in range(first, first + count)]) if count else ()
        return Address(item["base"](row), terms, item["reg"](row), item["stride"](row), item["pitch"](row))

    def _term(self, place: int) -> Term:
        return Term(*[self._items[name](place) for name in TERM_COLUMNS])

    def children(self, begin: int = 0, end: int | None = None) -> list[int]:
        """Indices of the instructions directly in [begin, end): bodies of loops are stepped over."""
        stop = len(self) if end is None else end
        children, index = [], begin
        while index < stop:
            children.append(index)
            index = int(self.columns["end"][index]) if self.columns["op"][index] == LOOP else index + 1
        return children


def empty_section() -> Section:
    """A section without instructions."""
    return Section({name: np.zeros(0, dtype) for name, dtype in COLUMNS.items()})
