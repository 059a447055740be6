"""Array views before their addresses are known: type, shape, strides, and where they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.core.kernels.spec import Kernel


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """An array of `shape` elements, `strides` in bytes.

    It begins at byte `offset` of the arena or, if `access` is not -1, `offset` bytes after the address of that access.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    access: int
    offset: int

    def make(self, memory: np.ndarray, arena: np.ndarray, addresses: Sequence[int]) -> np.ndarray:
        """The view, `dtype` [*shape], of `memory` or `arena` (both uint8 [bytes]); `addresses` in bytes, by access."""
        if self.access < 0:
            return np.ndarray(self.shape, self.dtype, arena, self.offset, self.strides)
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        return np.ndarray(self.shape, self.dtype, memory, addresses[self.access] + self.offset, self.strides)


@dataclass(frozen=True, slots=True)
class StepSpec:
    """A kernel (None: that of statement `position`), its views [*trips of `path`, elements]; `expanded`: in arena."""

    position: int
    kernel: Kernel | None
    path: tuple[int, ...]
    views: tuple[ViewSpec, ...]
    expanded: tuple[bool, ...]
