"""Memory to work in, taken again and again."""

from __future__ import annotations

import threading
from math import prod

import numpy as np

_rooms = threading.local()  # shared by all cores of a process: they take turns


def room(use: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array to work in until `use` is asked for again: new memory every time would cost more than the work."""
    size = prod(shape) * dtype.itemsize
    held: np.ndarray | None = getattr(_rooms, use, None)
    if held is None or held.size < size:
        held = np.empty(size, np.uint8)
        setattr(_rooms, use, held)
    return held[:size].view(dtype).reshape(shape)
