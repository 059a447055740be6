"""Numbers for rows: equal exactly where the rows are equal."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_ROOM = 1 << 62  # packed numbers stay below it, so nothing overflows


def row_numbers(columns: Iterable[np.ndarray], count: int) -> np.ndarray:
    """One number per row (int64 [count], from 0 without gaps); two are equal if the rows are, in all columns.

    Columns are packed as digits of one number, whose distinct values are counted when they no longer fit: exact, and
    far cheaper than to sort whole rows.
    """
    packed, room = np.zeros(count, np.int64), 1
    if not count:
        return packed
    for column in columns:
        low = int(column.min())
        span = int(column.max()) - low + 1
        if span == 1:
            continue
        if room * span > _ROOM:
            packed, room = _dense(packed)
        if room * span > _ROOM:
            column, span = _dense(column)
            low = 0
        packed = packed * span + (column - low)
        room *= span
    return _dense(packed)[0]


def _dense(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Each value replaced by its place among the distinct ones, and how many those are."""
    distinct, places = np.unique(values, return_inverse=True)
    return places, len(distinct)
