"""The rows of a template in the order in which they run, some ten thousand at a time, as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.exporting.template import LOOP, ProgramTemplate
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns
from emu.interop.pim_isa.isa import CODES
from emu.interop.rolling.rolled import as_section
from emu.operands.terms import added
from emu.operands.timeline import TooMuch, make_timeline

PIECE = 1 << 15  # rows
MOST_INSTRUCTIONS = 1 << 31


@dataclass(frozen=True, eq=False)
class UnrolledPiece:
    """Instructions that follow each other; `types` uint8 [instructions, 2] as in the template, `row` those of it."""

    columns: CoreColumns
    types: np.ndarray
    row: np.ndarray


def unrolled(template: ProgramTemplate, most: int = PIECE, where: str = "the program") -> Iterator[UnrolledPiece]:
    """Pieces of at most `most` instructions; raises ProgramError, which names `where`, for more than can be counted."""
    is_loop = template.fields["op"] == LOOP
    try:
        timeline = make_timeline(as_section(is_loop, template.trips, template.end), MOST_INSTRUCTIONS - 1)
    except TooMuch:
        raise ProgramError(
            f"{where} unrolls to {MOST_INSTRUCTIONS} instructions or more: no PIM-ISA file holds so many"
        ) from None
    for first in range(0, timeline.total, most):
        yield _piece(template, *timeline.executed(np.arange(first, min(first + most, timeline.total))))


def _piece(template: ProgramTemplate, row: np.ndarray, counters: np.ndarray) -> UnrolledPiece:
    """The instructions that rows are at the counters of the loops around them."""
    values = {name: template.fields[name][row] for name in FIELDS}
    writes = np.flatnonzero(values["op"] == CODES["sldi"])
    values["imm"][writes] = _values(template, row[writes], counters[writes])
    return UnrolledPiece(CoreColumns(**values), template.types[row], row)


def _values(template: ProgramTemplate, row: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """What register writes write, int32 [rows]: base + sum(stride * ((counter + offset) mod modulus))."""
    total = template.base[row]
    counters = counters if counters.shape[1] else np.zeros((len(row), 1), np.int64)
    everywhere = np.arange(len(row))
    for k in range(template.terms.shape[2]):
        loop, *term = template.terms[:, row, k]
        total += added(counters[everywhere, loop], *term)
    return np.where(template.high[row], total >> 32, total).astype(np.int32)  # of the lower half the bits
