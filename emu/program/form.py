"""How a tensor with logical (ONNX) dimensions stands in memory as [height][width][channel]."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

AXES = "CHW"  # in the order of `Form.extent`
PHYSICAL = "HWC"  # in the order of memory


@dataclass(frozen=True, slots=True)
class Form:
    """A logical `shape`, the `extent` (channels C, height H, width W) that holds it, and the `layout` between them.

    `layout` names for each logical dimension the physical axes it is made of, in row-major order: ("", "C", "H", "W")
    for NCHW with N = 1, ("", "CHW") for a flattened tensor, ("", "W", "C") for tokens of channels.
    """

    shape: tuple[int, ...]
    extent: tuple[int, int, int]
    layout: tuple[str, ...]

    @property
    def axes(self) -> str:
        """The physical axes of the logical dimensions in row-major order, such as "CHW"."""
        return "".join(self.layout)

    def size(self, axis: str) -> int:
        """The size of axis "C", "H" or "W"."""
        return self.extent[AXES.index(axis)]

    def fault(self) -> str:
        """Why shape, extent and layout do not agree, as the end of a sentence; empty if they do."""
        axes = self.axes
        if len(self.extent) != len(AXES) or min((*self.shape, *self.extent)) < 1:
            return f"shape {list(self.shape)} and extent {list(self.extent)} must be positive"
        if len(self.layout) != len(self.shape) or len(set(axes)) != len(axes) or not set(axes) <= set(AXES):
            return f"layout {list(self.layout)} must name axes C, H, W once at most, for {len(self.shape)} dimensions"
        sizes = tuple(prod(self.size(axis) for axis in part) for part in self.layout)
        if sizes != self.shape or any(self.size(axis) != 1 for axis in AXES if axis not in axes):
            return f"shape {list(self.shape)} is not extent {list(self.extent)} laid out as {list(self.layout)}"
        return ""

    def physical(self, array: np.ndarray) -> np.ndarray:
        """A view or copy [height][width][channel] of an array of the logical shape."""
        axes = self.axes
        fine = array.reshape([self.size(axis) for axis in axes])
        present = [axis for axis in PHYSICAL if axis in axes]
        return fine.transpose([axes.index(axis) for axis in present]).reshape([self.size(axis) for axis in PHYSICAL])

    def logical(self, full: np.ndarray) -> np.ndarray:
        """A contiguous array of the logical shape of one [height][width][channel]."""
        axes = self.axes
        order = [PHYSICAL.index(axis) for axis in axes]
        absent = [index for index, axis in enumerate(PHYSICAL) if axis not in axes]  # of size 1
        return np.ascontiguousarray(full.transpose(order + absent)).reshape(self.shape)
