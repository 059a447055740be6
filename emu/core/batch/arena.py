"""Scratch memory for private copies of regions, shared by all plans of a core: only one plan runs at a time."""

from __future__ import annotations

import numpy as np

LINE = 64  # bytes of a cache line


class Arena:
    """Hands out the same bytes again and again; grows by doubling (earlier views stay valid)."""

    def __init__(self) -> None:
        self._bytes = np.empty(0, np.uint8)

    def take(self, size: int) -> np.ndarray:
        """uint8 [n], n >= `size` bytes, aligned to a cache line."""
        if size > len(self._bytes):
            raw = np.empty((1 << (size - 1).bit_length()) + LINE, np.uint8)
            skip = -raw.ctypes.data % LINE
            self._bytes = raw[skip : skip + len(raw) - LINE]
        return self._bytes
