"""Memory to work in, taken again and again."""

from __future__ import annotations

import threading
from math import prod

import numpy as np

MOST_VIEWS = 512  # kept per thread

View = tuple[str, tuple[int, ...], np.dtype]


class _Rooms(threading.local):  # shared by all cores of a thread: they take turns
    def __init__(self) -> None:
        self.held: dict[str, np.ndarray] = {}
        self.views: dict[View, np.ndarray] = {}


_rooms = _Rooms()


def room(use: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array to work in until `use` is asked for again: new memory every time would cost more than the work."""
    view = _rooms.views.get((use, shape, dtype))
    return _made(use, shape, dtype) if view is None else view


def _made(use: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    views, size = _rooms.views, prod(shape) * dtype.itemsize
    held = _rooms.held.get(use)
    if held is None or held.size < size:
        # Calls that are bound to the smaller memory keep it: few of those of growing sizes come to more than the last.
        held = _rooms.held[use] = np.empty(size if held is None else max(size, 2 * held.size), np.uint8)
        for old in [key for key in views if key[0] == use]:  # these would keep the smaller memory
            del views[old]
    if len(views) >= MOST_VIEWS:
        views.clear()
    view = views[use, shape, dtype] = held[:size].view(dtype).reshape(shape)
    return view
