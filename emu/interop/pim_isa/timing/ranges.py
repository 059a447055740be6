"""Which bytes of the local memory an operation reads and writes, as the reorder buffer compares them.

Formulas: pimsim-nn (`ExecInfo`). They are not those of what is really moved: a product reads an eighth of it here, a
copy is one point, an offset of a source is selected by its own value.
"""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.isa import TWO_SOURCES, PimUnit
from emu.interop.pim_isa.timing.operations import Operations

_BY_OUTPUT = ("vvmul", "vvsll", "vvsra", "vtanh", "vsigm", "vrsu", "vrsl", "vvdmul", "vrelu")
_INPUT_OFFSET = ("vvadd", "vvsub", "vvmax", "vrelu")
NONE = -1  # in place of a number of bytes


def ranges(rows: Operations, wordlines: int) -> dict[str, np.ndarray]:
    """Offsets to the registers rs1, rs2, rd, and bytes from there on, both ends inside; NONE: no such range (int64)."""
    select, value = rows.offset_select, rows.offset_value
    plain = rows.are("vmv")
    vector, transfer, product = (
        rows.of(PimUnit.VECTOR) & ~plain,
        rows.of(PimUnit.TRANSFER),
        rows.of(PimUnit.MATRIX),
    )
    vectors = rows.length * rows.input_bytes
    first = [product, vector, rows.are("st", "send", "lmv")]
    result = [
        *(product, rows.are(*_BY_OUTPUT), rows.are("vavg"), vector),
        *(rows.are("ld", "recv", "lmv"), rows.are("lldi")),
    ]
    results = [
        *(rows.written, rows.length * rows.output_bytes, rows.output_bytes, vectors),
        *(rows.size, np.ones_like(rows.size)),
    ]
    fixed = product | rows.are("vmv", "vavg", "vvdmul")
    return {
        "rs1_offset": np.where(value & 2, value, 0) * np.select([transfer, vector], [1, rows.input_bytes], 0),
        "rs1_bytes": np.select(first, [wordlines * rows.input_bytes, vectors, rows.size], NONE),
        "rs2_offset": np.where(value & 4, value, 0)
        * np.where(vector & ~rows.are("vavg", "vrsu", "vrsl"), rows.input_bytes, 0),
        "rs2_bytes": np.where(rows.are(*TWO_SOURCES, "vrsu", "vrsl"), vectors, NONE),
        "rd_offset": np.where(select & 1, value, 0)
        * np.select([transfer, fixed, rows.are(*_INPUT_OFFSET)], [1, 0, rows.input_bytes], rows.output_bytes),
        "rd_bytes": np.select(result, results, NONE),
    }
