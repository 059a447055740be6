"""Checks of what instructions refer to: array groups, peers, matrix sizes."""

from __future__ import annotations

import numpy as np

from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME
from emu.program import limits
from emu.program.section_check import SectionCheck


def check_group_use(check: SectionCheck) -> None:
    """`mvmul` and `xbwrite` agree with the types and rows of their group."""
    col, groups = check.col, check.program.groups
    rows = np.flatnonzero(col["op"] == BY_NAME["mvmul"].code)
    form = np.array([(group.input, group.output) for group in groups], np.int64).reshape(-1, 2)
    _check_form(check, rows, form, np.stack((col["type0"][rows], col["type1"][rows]), axis=1))
    rows = np.flatnonzero(col["op"] == BY_NAME["xbwrite"].code)
    form = np.array([(group.weight, group.rows) for group in groups], np.int64).reshape(-1, 2)
    _check_form(check, rows, form[:, :1], col["type0"][rows, None])
    last, limit = col["arg1"][rows] + col["n"][rows], form[col["arg0"][rows], 1]
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
    if check.cores is not None:
        absent = talks & ~np.isin(peer, list(check.cores))
        check.refuse(absent, lambda row: f"core {int(peer[row])} has no program")


def check_products(check: SectionCheck) -> None:
    """Products of matrix sizes stay countable."""
    rows = np.flatnonzero(check.col["op"] == BY_NAME["mmul"].code)
    m, k, n = (check.col[column][rows].astype(np.float64) for column in ("arg0", "arg1", "n"))
    bad = np.maximum(np.maximum(m * k, k * n), m * n) > limits.MAX_COUNT
    check.refuse(bad, lambda row: "its matrices are larger than any memory", rows)
