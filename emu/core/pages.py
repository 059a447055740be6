"""Memory that begins as zeros, and of which only what is touched costs anything."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np

HUGE = 2 << 20  # bytes of a huge page


def lazily_paged(size: int) -> np.ndarray:
    """Zeros, uint8 of shape [size]; raises MemoryError.

    NumPy asks for huge pages for all of a large array: then the first byte that is touched costs the time to clear one.
    Many cores use a small part of their memory, and it begins at its first byte: huge pages begin behind the first.
    """
    if size < 2 * HUGE:  # NumPy does not ask, either
        return np.zeros(size, np.uint8)
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError):
        raise MemoryError(f"no memory of {size} bytes") from None
    with contextlib.suppress(AttributeError, OSError):  # a system without huge pages
        memory.madvise(mmap.MADV_HUGEPAGE, HUGE, size - HUGE)
    return np.frombuffer(memory, np.uint8)
