"""How many elements each operand of a section has, with array operations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emu.isa.codes import present
from emu.isa.instruction import Instruction
from emu.isa.table import BY_CODE
from emu.program.group import GroupSpec
from emu.program.nesting import OPERANDS_OF
from emu.program.section import Section


def extents(section: Section, groups: Sequence[GroupSpec]) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and elements of each, of every operand, int64 [operands]; what has no pitch is one row."""
    col = section.columns
    total = int(OPERANDS_OF[col["op"]].sum())
    rows, count = np.ones(total, np.int64), np.ones(total, np.int64)
    for code in present(col["op"]):
        spec, index = BY_CODE[code], np.flatnonzero(col["op"] == code)
        for place, form in enumerate(spec.operands):
            at = col["operand"][index] + place
            *outer, inner = (_factor(name, spec, section, index, groups) for name in form.count.split("*"))
            count[at] = inner
            for factor in outer:
                (rows if form.pitched else count)[at] *= factor
    return rows, count


def _factor(
    name: str, spec: Instruction, section: Section, index: np.ndarray, groups: Sequence[GroupSpec]
) -> np.ndarray | int:
    """A digit, a field of the instruction, or an extent of its group."""
    if name.isdigit():
        return int(name)
    if name in spec.fields:
        return section.columns[spec.column(name)][index]
    sizes = np.array([getattr(group, name) for group in groups] + [0], np.int64)
    group = section.columns["arg0"][index]
    return sizes[np.where((group >= 0) & (group < len(groups)), group, len(groups))]
