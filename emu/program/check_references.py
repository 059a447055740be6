"""Checks of what instructions refer to: array groups, peers, matrix sizes."""

from __future__ import annotations

import numpy as np

from emu.isa.dtypes import DType
from emu.isa.instruction import CrossbarUse
from emu.isa.table import BY_CODE
from emu.program import limits
from emu.program.section_check import SectionCheck

_ON_GROUPS = [(row, row.crossbar) for row in BY_CODE.values() if row.crossbar is not None]
_COUNTS = [(row, operand.count.split("*")) for row in BY_CODE.values() for operand in row.operands]
_PRODUCTS = [(row, factors) for row, factors in _COUNTS if len(factors) > 1 and set(factors) <= set(row.fields)]


def check_group_use(check: SectionCheck) -> None:
    """Instructions on array groups agree with the types and rows of their group."""
    col, groups = check.col, check.program.groups
    for row, use in _ON_GROUPS:
        if row.code not in check.opcodes:
            continue
        rows = np.flatnonzero(col["op"] == row.code)
        form = np.array([group.types_for(use) for group in groups], np.int64).reshape(-1, row.types)
        _check_form(check, rows, form, np.stack([col[f"type{k}"][rows] for k in range(row.types)], axis=1))
        if use is CrossbarUse.WRITE:
            heights = np.array([group.rows for group in groups], np.int64)
            _check_rows(check, rows, col["arg1"][rows] + col["n"][rows], heights[col["arg0"][rows]])


def _check_rows(check: SectionCheck, rows: np.ndarray, last: np.ndarray, limit: np.ndarray) -> None:
    check.refuse(last > limit, lambda row: f"row {int(last[row])} is beyond the group's {int(limit[row])}", rows)


def _check_form(check: SectionCheck, rows: np.ndarray, form: np.ndarray, types: np.ndarray) -> None:
    group = check.col["arg0"][rows]
    bad = (types != form[group]).any(axis=1)

    def say(row: int) -> str:
        return f"group {int(group[row])} is of type {'.'.join(DType(int(code)).name for code in form[group[row]])}"

    check.refuse(bad, say, rows)


def check_peers(check: SectionCheck) -> None:
    """Peers are other cores, and have a program."""
    peer, talks = check.col["arg0"], limits.HAS_CORE[check.col["op"]]
    bad = talks & (peer == check.program.core)
    check.refuse(bad, lambda row: f"core {int(peer[row])} cannot be its own peer; use lmv")
    if check.cores is not None and talks.any():
        strangers = set(peer[talks].tolist()) - check.cores  # few are asked for, of many cores
        absent = talks & np.isin(peer, list(strangers)) if strangers else np.zeros_like(talks)
        check.refuse(absent, lambda row: f"core {int(peer[row])} has no program")


def check_products(check: SectionCheck) -> None:
    """Products of matrix sizes stay countable."""
    for row, factors in _PRODUCTS:
        if row.code in check.opcodes:
            rows = np.flatnonzero(check.col["op"] == row.code)
            count = np.prod([check.col[row.column(name)][rows].astype(np.float64) for name in factors], axis=0)
            check.refuse(count > limits.MAX_COUNT, lambda at: "its matrices are larger than any memory", rows)
