"""The operations of a core (instructions that reach a unit) as rows, with the widths and crossbars that they use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.format.checks import element_bytes
from emu.interop.pim_isa.format.config import MatrixConfig
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import UNIT_OF, PimUnit, among


@dataclass(frozen=True, slots=True)
class Operations:
    """Columns of equal length, in program order; `index`: the places of the rows in the program.

    `input_bits`: width of an input element; `input_bytes`, `output_bytes`: of an element. `crossbars`: of the array
    group of a product. `written`: bytes that a product writes. The rest as in the file. All int64, `op` uint8.
    """

    index: np.ndarray
    op: np.ndarray
    unit: np.ndarray
    length: np.ndarray
    size: np.ndarray
    group: np.ndarray
    offset_select: np.ndarray
    offset_value: np.ndarray
    input_bits: np.ndarray
    input_bytes: np.ndarray
    output_bytes: np.ndarray
    crossbars: np.ndarray
    written: np.ndarray

    def are(self, *names: str) -> np.ndarray:
        """Which rows are one of these instructions."""
        return among(self.op, *names)

    def of(self, unit: PimUnit) -> np.ndarray:
        """Which rows are for this unit."""
        return self.unit == unit


def operations(columns: CoreColumns, groups: tuple[int, ...], matrix: MatrixConfig) -> Operations:
    """The rows of a core whose array groups have so many crossbars."""
    index = np.flatnonzero(UNIT_OF[columns.op])
    names = ("len", "size", "group", "mbiw", "offset_select", "offset_value")
    length, size, group, mbiw, select, value = (getattr(columns, name)[index].astype(np.int64) for name in names)
    input_bits, _, input_bytes, output_bytes = (width[index] for width in element_bytes(columns))
    unit = UNIT_OF[columns.op[index]].astype(np.int64)
    product = unit == PimUnit.MATRIX
    crossbars = np.array([*groups, 0], np.int64)[np.where(product, group, -1)]
    elements = np.where(product, matrix.cell_precision * matrix.xbar_size[1] // np.maximum(mbiw, 1), 0)
    written = elements * output_bytes * crossbars
    widths = (input_bits, input_bytes, output_bytes)
    return Operations(index, columns.op[index], unit, length, size, group, select, value, *widths, crossbars, written)
