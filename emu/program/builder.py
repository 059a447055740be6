"""Builds a section instruction by instruction; used by the compiler, the assembler and the stress generators."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS
from emu.isa.table import BY_NAME
from emu.program.section import COLUMNS, INSTRUCTION_COLUMNS, OPERAND_COLUMNS, TERM_COLUMNS, Section

_PLACES = {name: place for place, name in enumerate(INSTRUCTION_COLUMNS)}
_OP, _TYPE, _FLAGS, _END, _SOURCE, _OPERAND = (
    _PLACES[name] for name in ("op", "type0", "flags", "end", "source", "operand")
)


class SectionBuilder:
    """Appends instructions; `loop` is a context manager; `finish` returns the columns."""

    def __init__(self) -> None:
        self._columns: dict[str, list[float]] = {name: [] for name in COLUMNS}
        self._instructions, self._operands, self._terms = (
            [self._columns[name].append for name in kind]
            for kind in (INSTRUCTION_COLUMNS, OPERAND_COLUMNS, TERM_COLUMNS)
        )
        self.depth = 0  # loops open now: the index of the next loop's counter
        self.source = -1  # source-map index given to the instructions that follow

    def __len__(self) -> int:
        return len(self._columns["op"])

    def emit(
        self,
        name: str,
        types: Sequence[DType] = (),
        operands: Sequence[Address] = (),
        flags: Sequence[str] = (),
        **fields: float,
    ) -> int:
        """Append instruction `name`; `fields` by the names of the instruction table. Returns its index."""
        spec = BY_NAME[name]
        if len(types) != spec.types or len(operands) != len(spec.operands) or fields.keys() != set(spec.fields):
            raise ValueError(f"{name}: wrong types, operands or fields: {types} {operands} {fields}")
        row: list[float] = [0] * len(_PLACES)
        row[_OP], row[_END], row[_SOURCE], row[_OPERAND] = spec.code, -1, self.source, len(self._columns["base"])
        for place, code in enumerate(types):
            row[_TYPE + place] = int(code)
        row[_FLAGS] = sum(FLAG_BITS[flag] for flag in flags)
        for field, value in fields.items():
            row[_PLACES[spec.column(field)]] = value
        for append, value in zip(self._instructions, row, strict=True):
            append(value)
        for address in operands:
            self._append_operand(address)
        return len(self) - 1

    def _append_operand(self, address: Address) -> None:
        terms = address.terms
        place = address.base, address.reg, address.stride, address.pitch, len(self._columns["loop"]), len(terms)
        for append, value in zip(self._operands, place, strict=True):
            append(value)
        for term in terms:
            for append, value in zip(self._terms, (term.loop, term.stride, term.offset, term.modulus), strict=True):
                append(value)

    @contextmanager
    def loop(self, trips: int) -> Generator[int]:
        """Open a counted loop; yields the index that its counter has in address terms."""
        index = self.emit("loop", trips=trips)
        self.depth += 1
        try:
            yield self.depth - 1
        finally:
            self.depth -= 1
            self._columns["end"][index] = len(self)

    def finish(self) -> Section:
        """The section built so far. Every NaN is the same one: text has no other, and equal texts are equal bytes."""
        columns = {name: np.array(self._columns[name], dtype) for name, dtype in COLUMNS.items()}
        columns["imm"][np.isnan(columns["imm"])] = np.nan
        return Section(columns)
