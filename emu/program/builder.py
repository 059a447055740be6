"""Builds a section instruction by instruction; used by the compiler, the assembler and the stress generators."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS
from emu.isa.table import BY_NAME
from emu.program.section import COLUMNS, INSTRUCTION_COLUMNS, Section


class SectionBuilder:
    """Appends instructions; `loop` is a context manager; `finish` returns the columns."""

    def __init__(self) -> None:
        self._columns: dict[str, list[float]] = {name: [] for name in COLUMNS}
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
        if len(types) != spec.types or len(operands) != len(spec.operands) or set(fields) != set(spec.fields):
            raise ValueError(f"{name}: wrong types, operands or fields: {types} {operands} {fields}")
        row: dict[str, float] = dict.fromkeys(INSTRUCTION_COLUMNS, 0)
        row.update(op=spec.code, end=-1, source=self.source, operand=len(self._columns["base"]))
        row.update({f"type{i}": int(code) for i, code in enumerate(types)})
        row["flags"] = sum(FLAG_BITS[flag] for flag in flags)
        row.update({spec.column(field): value for field, value in fields.items()})
        for name_, value in row.items():
            self._columns[name_].append(value)
        for address in operands:
            self._append_operand(address)
        return len(self) - 1

    def _append_operand(self, address: Address) -> None:
        col = self._columns
        col["base"].append(address.base)
        col["reg"].append(address.reg)
        col["stride"].append(address.stride)
        col["pitch"].append(address.pitch)
        col["term"].append(len(col["loop"]))
        col["terms"].append(len(address.terms))
        for term in address.terms:
            col["loop"].append(term.loop)
            col["tstride"].append(term.stride)
            col["toffset"].append(term.offset)
            col["modulus"].append(term.modulus)

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
