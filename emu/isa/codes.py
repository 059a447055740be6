"""Columns of the instruction table as arrays indexed by opcode, for questions about whole sections at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from emu.isa.instruction import CrossbarUse, Instruction
from emu.isa.table import BY_CODE

CODES = max(BY_CODE) + 1


def tabulate(value: Callable[[Instruction], Any], dtype: Any) -> np.ndarray:
    """`value` of every row, [CODES]; 0 where there is none."""
    return np.array([value(BY_CODE[code]) if code in BY_CODE else 0 for code in range(CODES)], dtype)


OPERANDS_OF = tabulate(lambda row: len(row.operands), np.int64)
ON_GROUP = tabulate(lambda row: row.crossbar is not None, np.bool_)
WRITES_GROUP = tabulate(lambda row: row.crossbar is CrossbarUse.WRITE, np.bool_)
ASK_OF = tabulate(lambda row: row.ask or 0, np.int8)


def present(op: np.ndarray) -> list[int]:
    """The opcodes that the column `op` has, in ascending order."""
    return np.flatnonzero(np.bincount(op, minlength=1)).tolist()


def asking(op: np.ndarray, *kinds: int) -> np.ndarray:
    """Which instructions of the opcode column `op` ask for something of these kinds (`RequestKind`)."""
    return _asking(kinds)[op]


@cache
def _asking(kinds: tuple[int, ...]) -> np.ndarray:
    """The same for every opcode; made once, as nearly all programs are asked."""
    return np.isin(ASK_OF, kinds)


def having(op: np.ndarray, field: str) -> np.ndarray:
    """Which instructions of the opcode column `op` have the field `field`."""
    return tabulate(lambda row: field in row.fields, np.bool_)[op]
