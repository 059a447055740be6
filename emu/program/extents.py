"""How many elements each operand of a section has, with array operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from emu.isa.codes import present
from emu.isa.instruction import Instruction, Operand
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
            rows[at], count[at] = counts(form, lambda name, of=(spec, section, index): _factor(name, *of, groups))
    return rows, count


def counts(form: Operand, factor: Callable[[str], Any]) -> tuple[Any, Any]:
    """Rows, and elements of each, of an operand; what has no pitch is one row.

    `factor` gives a field of the instruction or an extent of its group by name, as a number or as an array of many.
    """
    *outer, inner = (int(name) if name.isdigit() else factor(name) for name in form.count.split("*"))
    return (prod(outer), inner) if form.pitched else (1, prod(outer) * inner)


def _factor(
    name: str, spec: Instruction, section: Section, index: np.ndarray, groups: Sequence[GroupSpec]
) -> np.ndarray:
    """A field of the instruction, or an extent of its group."""
    if name in spec.fields:
        return section.columns[spec.column(name)][index]
    sizes = np.array([getattr(group, name) for group in groups] + [0], np.int64)
    group = section.columns["arg0"][index]
    return sizes[np.where((group >= 0) & (group < len(groups)), group, len(groups))]
