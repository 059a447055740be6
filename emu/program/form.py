"""How a tensor with logical (ONNX) dimensions stands in memory: dense, with named axes, whole or in boxes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

CHANNEL = "C"  # the last axis in memory: what a crossbar multiplies at once are neighbours along it
OTHERS = "NMLKJIGFEDHW"  # all further axes in the order of memory; a tensor of fewer has the last ones
MOST = len(OTHERS) + 1  # axes of a form, at most
LEAST = 3  # at least: C, H and W, however few dimensions a tensor has
_SHOWN = 8  # boxes in a sentence, at most
_MAX_CELLS = 1 << 22  # of the grid on which `covered` counts boxes: some megabytes

Box = tuple[tuple[int, int], ...]  # a half-open range per axis, in the order of memory


def axis_names(count: int) -> str:
    """The names of `count` axes (`LEAST` to `MOST`) in the order of `Form.extent`: "CHW" of three, "CDHW" of four."""
    return CHANNEL + OTHERS[len(OTHERS) + 1 - count :]


def axis_size(extent: Sequence[int], axis: str) -> int:
    """The size of an axis by its name; raises ValueError if the extent has no such axis."""
    return extent[axis_names(len(extent)).index(axis)]


@dataclass(frozen=True, slots=True)
class Form:
    """A logical `shape`, the `extent` (sizes of the axes C, ..., D, H, W) that holds it, and the `layout` between them.

    In memory the axes follow each other as [...][D][H][W][C], without gaps. `layout` names for each logical dimension
    the axes it is made of, in row-major order: ("", "C", "H", "W") for NCHW with N = 1, ("", "CHW") for a flattened
    tensor, ("", "W", "C") for tokens of channels, () for a scalar.
    """

    shape: tuple[int, ...]
    extent: tuple[int, ...]
    layout: tuple[str, ...]

    @property
    def axes(self) -> str:
        """The axes of the logical dimensions in row-major order, such as "CHW"."""
        return "".join(self.layout)

    @property
    def names(self) -> str:
        """The axes in the order of memory, such as "HWC"."""
        names = axis_names(len(self.extent))
        return names[1:] + names[0]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the axes in the order of memory, such as [height][width][channels]."""
        return self.extent[1:] + self.extent[:1]

    @property
    def whole(self) -> Box:
        """The box that is all of the tensor."""
        return tuple((0, size) for size in self.sizes)

    def channels(self, first: int, last: int) -> Box:
        """The box of channels [first, last)."""
        return (*self.whole[:-1], (first, last))

    def size(self, axis: str) -> int:
        """The size of an axis, by its name; raises ValueError for one that the form does not have."""
        return axis_size(self.extent, axis)

    def fault(self) -> str:
        """Why shape, extent and layout do not agree, as the end of a sentence; empty if they do."""
        axes = self.axes
        if not LEAST <= len(self.extent) <= MOST:
            return f"extent {list(self.extent)} must hold {LEAST} to {MOST} sizes"
        if min((*self.shape, *self.extent)) < 0:
            return f"shape {list(self.shape)} and extent {list(self.extent)} must not be negative"
        names = axis_names(len(self.extent))
        if len(self.layout) != len(self.shape) or len(set(axes)) != len(axes) or not set(axes) <= set(names):
            known = ", ".join(names)
            return f"layout {list(self.layout)} must name axes {known} once at most, for {len(self.shape)} dimensions"
        sizes = tuple(prod(self.size(axis) for axis in part) for part in self.layout)
        if sizes != self.shape or any(self.size(axis) != 1 for axis in names if axis not in axes):
            return f"shape {list(self.shape)} is not extent {list(self.extent)} laid out as {list(self.layout)}"
        return ""

    def box_fault(self, box: Box) -> str:
        """Why `box` is no part of the tensor, as the end of a sentence; empty if it is."""
        if len(box) != len(self.extent):
            return f"{box_text(box)} has {len(box)} axes, the tensor {len(self.extent)}"
        for axis, (low, high), size in zip(self.names, box, self.sizes, strict=True):
            part = f"{'channels' if axis == CHANNEL else axis} {low} to {high}"
            if not 0 <= low < high:
                return f"{part}, which is empty"
            if high > size:
                return f"{part} of a tensor that has {size}"
        return ""

    def cover_fault(self, boxes: Sequence[Box]) -> str:
        """Why `boxes` do not make up the tensor, as the end of a sentence; empty if they cover it once."""
        fault = next(filter(None, map(self.box_fault, boxes)), "")
        if fault or covered(boxes, self.sizes, once=True):
            return fault
        more = f" and {len(boxes) - _SHOWN} more" if len(boxes) > _SHOWN else ""
        listed = ", ".join(map(box_text, boxes[:_SHOWN])) + more
        return f"its tiles {listed or 'none'} must cover {box_text(self.whole)} once"

    def physical(self, array: np.ndarray) -> np.ndarray:
        """`array` [*shape] in the order of memory [*sizes]: a view where there is one, else a copy."""
        axes = self.axes
        fine = array.reshape([self.size(axis) for axis in axes])
        present = [axis for axis in self.names if axis in axes]
        return fine.transpose([axes.index(axis) for axis in present]).reshape(self.sizes)

    def logical(self, full: np.ndarray) -> np.ndarray:
        """`full` [*sizes], in the order of memory, as a contiguous array [*shape]."""
        axes, names = self.axes, self.names
        order = [names.index(axis) for axis in axes]
        absent = [index for index, axis in enumerate(names) if axis not in axes]  # of size 1
        return np.ascontiguousarray(full.transpose(order + absent)).reshape(self.shape)


def box_shape(box: Box) -> tuple[int, ...]:
    """The sizes of a box, in the order of memory."""
    return tuple(high - low for low, high in box)


def box_slices(box: Box) -> tuple[slice, ...]:
    """A box as an index of an array in the order of memory."""
    return tuple(slice(low, high) for low, high in box)


def box_text(box: Box) -> str:
    """A box as `[0:4, 0:8, 0:16]`."""
    return f"[{', '.join(f'{low}:{high}' for low, high in box)}]"


def covered(boxes: Collection[Box], sizes: Sequence[int], once: bool) -> bool:
    """Whether `boxes` of a tensor of `sizes` (in the order of memory), each within it, cover all of it.

    `once`: none may overlap another. They are counted on the grid of their own bounds; if that grid is finer than any
    tensor needs, they count as not covering it.
    """
    if not prod(sizes):
        return not boxes or not once
    bounds = [_bounds(axis, size, boxes) for axis, size in enumerate(sizes)]
    shape = [len(cuts) - 1 for cuts in bounds]
    if prod(shape) > _MAX_CELLS:
        return False
    counts, painted = np.zeros(shape, np.bool_), 0
    index = [{cut: place for place, cut in enumerate(cuts)} for cuts in bounds]
    for box in boxes:
        cells = tuple(slice(places[low], places[high]) for places, (low, high) in zip(index, box, strict=True))
        part = counts[cells]
        painted += part.size
        if once and painted > counts.size:
            return False
        part[...] = True
    return bool(counts.all()) and (not once or painted == counts.size)


def _bounds(axis: int, size: int, boxes: Iterable[Box]) -> list[int]:
    return sorted({0, size, *(bound for box in boxes for bound in box[axis])})
