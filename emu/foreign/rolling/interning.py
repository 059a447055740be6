"""Rows of integers, each kept once under a number."""

from __future__ import annotations

import numpy as np


class Interned:
    """Distinct rows of one width, numbered in the order of their coming from `first` on."""

    def __init__(self, width: int, first: int = 0) -> None:
        self._width = width
        self._first = first
        self._number: dict[bytes, int] = {}

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """The numbers of rows [rows, width], new ones where they are new (int64 [rows])."""
        first, known = self._first, self._number
        whole = np.ascontiguousarray(rows, np.int64)
        keys = [row.tobytes() for row in whole]
        return np.array([known.setdefault(key, first + len(known)) for key in keys], np.int64)

    def rows(self) -> np.ndarray:
        """All rows by number (int64 [numbers, width])."""
        return np.frombuffer(b"".join(self._number), np.int64).reshape(len(self._number), self._width)
