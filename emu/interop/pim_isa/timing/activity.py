"""How often the decode stage of a core is active at a window of one operation, from its columns alone.

There every instruction is held up in decode or not whatever the times are: the second one behind an operation is, no
other. So what `decode.py` counts edge by edge is a sum over instructions: one edge where they come and, if held up,
one where a scalar one runs; later edges change nothing, unless a scalar instruction that is held up reads what it
writes, which is left to `decode.py`.
"""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import BY_CODE, CODES, PAIRS, SCALARS, UNIT_OF, among, computed
from emu.interop.pim_isa.timing.decode import DecodeCounts

_SOURCES = {"rs1": ("sadd", "ssub", "smul", "saddi", "smuli"), "rs2": ("sadd", "ssub", "smul")}
_ONE, _TWO = ("rd", "rs1", "rs2"), ("rd", "rs1")  # fields of single registers, and of pairs


def activity_at_window_one(columns: CoreColumns) -> DecodeCounts | None:
    """The counts; None if they depend on times."""
    if not columns.count:
        return DecodeCounts()
    scalar = among(columns.op, *SCALARS)
    held = np.zeros(columns.count, np.bool_)
    held[2:] = UNIT_OF[columns.op[:-2]] != 0
    target = np.where(among(columns.op, "sld"), 0, columns.rd)
    for source, names in _SOURCES.items():
        if (held & among(columns.op, *names) & (getattr(columns, source) == columns.rd)).any():
            return None
    value = np.zeros(columns.count, np.int64)
    value[scalar] = scalar_values(columns, scalar)
    writes = np.flatnonzero(scalar)
    changed = np.zeros(columns.count, np.bool_)
    changed[writes] = _differs(np.stack([target[writes], value[writes]]))
    before, after = _register_values(columns, scalar, target, value)
    runs_held = scalar & held
    return DecodeCounts(
        decodes=columns.count + _seen_changes(before, after, held) + int((before != after).any(0)[runs_held].sum()),
        reads=1 + int(changed.sum()) + _reads(columns, changed, held),
        writes=1 + int(changed.sum()),
        scalars=int(scalar.sum()) + int((before != after)[1:5].any(0)[runs_held].sum()),
    )


def scalar_values(columns: CoreColumns, scalar: np.ndarray) -> np.ndarray:
    """What each scalar instruction writes, in order (int64); each of them runs once."""
    rows = np.flatnonzero(scalar)
    op = columns.op[rows]
    values = np.where(op == CODES["sld"], 0, columns.imm[rows]).astype(np.int64)
    if np.isin(op, [CODES["sldi"], CODES["sld"]]).all():
        return values
    registers = [0] * 33
    named = ((columns.rd, columns.rs1, columns.rs2), CODES["sld"])
    lists = (op.tolist(), *(column[rows].tolist() for column in named[0]), columns.imm[rows].tolist())
    for place, (code, rd, rs1, rs2, imm) in enumerate(zip(*lists, strict=True)):
        if code == named[1]:
            registers[0] = 0
        else:
            values[place] = registers[rd] = computed(BY_CODE[code], registers[rs1], registers[rs2], imm)
    return values


def _differs(rows: np.ndarray) -> np.ndarray:
    """Per column of (register, value) whether it is not the one before; before the first one stands (0, 0)."""
    shifted = np.zeros_like(rows)
    shifted[:, 1:] = rows[:, :-1]
    return (rows != shifted).any(0)


def _register_values(
    columns: CoreColumns, scalar: np.ndarray, target: np.ndarray, value: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What each instruction reads, before it runs itself and after: rows rd, rs1, rs2, then both halves of the pairs.

    int32 [7, instructions], in the order rd, rs1, rs2, rs1 high, rs1 low, rd high, rd low; what is not read is 0.
    """
    pair = among(columns.op, *PAIRS)
    halves = [(columns.rs1, pair), (columns.rs1 + 1, pair), (columns.rd, pair), (columns.rd + 1, pair)]
    single = [(columns.rd, ~pair), (columns.rs1, ~pair), (columns.rs2, np.ones_like(pair))]
    before = np.zeros((7, columns.count), np.int32)
    after = before.copy()
    writes = {
        register: np.flatnonzero(scalar & (target == register)) for register in np.unique(target[scalar]).tolist()
    }
    for row, (registers, read) in enumerate((*single, *halves)):
        for register, places in writes.items():
            asked = np.flatnonzero(read & (registers == register))
            history = np.concatenate([[0], value[places]])
            before[row, asked] = history[np.searchsorted(places, asked)]
        own = read & scalar & (registers == target)
        after[row] = np.where(own, value, before[row])
    return before, after


def _seen_changes(before: np.ndarray, after: np.ndarray, held: np.ndarray) -> int:
    """At how many instructions, but the first, decode sees other values when they come than there were last."""
    last = np.where(held, after, before)[:, :-1]
    return int((before[:, 1:] != last).any(0).sum())


def _reads(columns: CoreColumns, changed: np.ndarray, held: np.ndarray) -> int:
    """How often the register file is read because an instruction comes or a scalar one has run."""
    names = np.stack([columns.rd, columns.rs1, columns.rs2, among(columns.op, *PAIRS)])
    comes = np.zeros(columns.count + 1, np.bool_)  # the last place: when the last instruction leaves
    comes[:-1] = _differs(names)
    comes[1:] |= changed & ~held
    return int(comes.sum()) + int((changed & held).sum())
