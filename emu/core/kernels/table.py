"""The kernel table: what rows of the instruction table name -> maker. A new kernel is one row of its family's file."""

from __future__ import annotations

from emu.core.kernels import arithmetic, functions, indexed, matrix, moves, reductions, sorting
from emu.core.kernels.spec import Maker

KERNELS: dict[str, Maker] = {
    **arithmetic.MAKERS,
    **functions.MAKERS,
    **reductions.MAKERS,
    **sorting.MAKERS,
    **moves.MAKERS,
    **indexed.MAKERS,
    **matrix.MAKERS,
}
# What computes each element of its result from the elements of the operands at the same place.
POINTWISE = frozenset({*arithmetic.MAKERS, *functions.MAKERS, *moves.MAKERS})
