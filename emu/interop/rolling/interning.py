"""Rows of integers, each kept once under a number."""

from __future__ import annotations

import numpy as np


class Interned:
    """Distinct rows of integers, numbered in the order of their coming from `first` on."""

    def __init__(self, dtype: type[np.signedinteger], first: int = 0) -> None:
        self._dtype = dtype
        self._first = first
        self._number: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """The numbers of rows [rows, width], new ones where they are new (int64 [rows])."""
        first, known = self._first, self._number
        whole = np.ascontiguousarray(rows, self._dtype)
        numbers = (known.setdefault(row.tobytes(), first + len(known)) for row in whole)
        return np.fromiter(numbers, np.int64, len(whole))

    def rows(self, width: int) -> np.ndarray:
        """All rows by number ([numbers, width])."""
        return np.frombuffer(b"".join(self._number), self._dtype).reshape(len(self), width)
