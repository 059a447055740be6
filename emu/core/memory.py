"""Local memory of one core: bytes, and for each byte whether it is defined."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.lib.array_utils import byte_bounds

from emu.core.definedness import Definedness, Range
from emu.core.pages import lazily_paged

__all__ = ["LocalMemory", "Range"]


class LocalMemory:
    """Byte-addressed memory of `size` bytes and their definedness, both allocated (lazily paged) on first use."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.top = 0  # no byte at or above is defined
        self.known = Definedness(size)
        self._baseline: list[Range] = []

    @cached_property
    def data(self) -> np.ndarray:
        """The bytes, uint8 of shape [size]."""
        return lazily_paged(self.size)

    @property
    def defined(self) -> np.ndarray:
        """The definedness map, bool of shape [size]."""
        return self.known.map

    def window(self, low: int, high: int) -> memoryview:
        """A writable view of the bytes [low, high)."""
        return self.data.data[low:high]

    def view(self, dtype: np.dtype, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
        """Elements of `dtype` at `address`, strides in bytes; the caller has checked the range."""
        if 0 in shape:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, self.data, address, strides)

    def extent(self, view: np.ndarray) -> Range:
        """The bytes [low, high) within which `view`, of this memory, lies."""
        if not view.size:
            return 0, 0
        low, high = byte_bounds(view)
        start = self.data.ctypes.data
        return low - start, high - start

    def defined_view(self, itemsize: int, address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
        """The definedness of the same elements, a view of the map: a further last axis of `itemsize` bytes."""
        if 0 in shape:
            return np.empty((*shape, itemsize), np.bool_)
        return np.ndarray((*shape, itemsize), np.bool_, self.defined, address, (*strides, 1))

    def all_defined(self, low: int, high: int) -> bool:
        """Whether every byte of [low, high) is defined."""
        return self.known.covers(low, high)

    def mark(self, low: int, high: int) -> None:
        """Every byte of [low, high) is defined from now on."""
        self.known.mark(low, high)
        self.top = max(self.top, high)

    def mark_runs(self, first: int, width: int, step: int, count: int) -> None:
        """`count` runs of `width` bytes, `step` (not negative) bytes apart, are defined from now on."""
        self.known.mark_runs(first, width, step, count)
        self.top = max(self.top, first + step * (count - 1) + width)

    def mark_map(self, view: np.ndarray, high: int) -> None:
        """What `view`, of the definedness map, shows (below `high`) is defined from now on: too many runs to list."""
        self.known.note_map()
        view[...] = True
        self.top = max(self.top, high)

    def keep_baseline(self, extra: Iterable[Range]) -> None:
        """Take what is defined now, and the ranges `extra`, as the definedness with which every sample starts."""
        for low, high in extra:
            self.mark(low, high)
        self._baseline = self.known.ranges()

    def restore_baseline(self) -> None:
        """Return to the definedness taken by `keep_baseline`."""
        self.known.reset(self._baseline, self.top)
        self.top = max((high for _, high in self._baseline), default=0)
