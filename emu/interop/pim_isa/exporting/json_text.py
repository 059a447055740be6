"""Instructions as JSON text, column by column: one text per instruction, made by its form."""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import BY_CODE, OFFSET, Op


def json_lines(columns: CoreColumns) -> list[str]:
    """One JSON object per instruction, with the fields that it has."""
    lines = np.empty(columns.count, object)
    for code in np.unique(columns.op).tolist():
        form, fields = _FORMS[code]
        rows = np.flatnonzero(columns.op == code)
        values = zip(*(getattr(columns, field)[rows].tolist() for field in fields), strict=True)
        lines[rows] = [form % each for each in values] if fields else form
    return lines.tolist()


def _form(op: Op) -> tuple[str, tuple[str, ...]]:
    """Text with a place for each field, and the fields in the order of the places."""
    nested = set(OFFSET) <= set(op.fields)
    plain = [field for field in op.fields if not nested or field not in OFFSET]
    parts = [f'"op":"{op.name}"', *(f'"{field}":%d' for field in plain)]
    if nested:
        parts.append('"offset":{' + ",".join(f'"{field}":%d' for field in OFFSET) + "}")
    return "{" + ",".join(parts) + "}", (*plain, *OFFSET) if nested else tuple(plain)


_FORMS = {code: _form(op) for code, op in BY_CODE.items()}
