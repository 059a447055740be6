"""Numbers of an element type written out: vectors of data, matrices of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from emu.asm.cursor import Cursor
from emu.isa.dtypes import DType
from emu.wording import counted

Member = TypeVar("Member")


def parse_matrix(cursor: Cursor, dtype: DType, rows: int, cols: int) -> np.ndarray:
    """Take `[[1, 2], [3, 4]]` of exactly `rows` x `cols`."""
    begin = cursor.token
    if not cursor.at("["):
        cursor.expected("a file name in quotes or a matrix [[...], ...]")
    members = _parse_list(cursor, lambda: _parse_list(cursor, lambda: _parse_element(cursor, dtype)))
    if len(members) != rows or any(len(row) != cols for row in members):
        widths = sorted({len(row) for row in members})
        size = f"{counted(rows, 'row')} and {counted(cols, 'column')}"
        cursor.fail(f"expected a matrix of {size}, got {counted(len(members), 'row')} of {widths}", begin)
    return np.array(members, dtype.numpy).reshape(rows, cols)


def parse_vector(cursor: Cursor, dtype: DType) -> np.ndarray:
    """Take `[1, 2, 3]`."""
    return np.array(_parse_list(cursor, lambda: _parse_element(cursor, dtype)), dtype.numpy)


def _parse_list(cursor: Cursor, member: Callable[[], Member]) -> list[Member]:
    cursor.expect("[")
    return cursor.listed(member)


def _parse_element(cursor: Cursor, dtype: DType) -> float | bool:
    begin = cursor.token
    if dtype is DType.bool:
        return cursor.one_of(("True", "False"), "True or False") == "True"
    value = cursor.number(f"a number of type {dtype.name}")
    if dtype.is_float:
        if np.isfinite(float(value)) and abs(value) > float(np.finfo(dtype.numpy).max):
            cursor.fail(f"{value} is too large for {dtype.name}", begin)
        return float(value)
    limits = np.iinfo(dtype.numpy)
    if not isinstance(value, int) or not limits.min <= value <= limits.max:
        cursor.fail(f"{value} is not of type {dtype.name}", begin)
    return value
