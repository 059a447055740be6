"""Tensors between their logical shape and the channel tiles that stand in global memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from emu.errors import InputError
from emu.image.manifest import TensorSpec

_AXES = "CHW"  # in the order of `TensorSpec.extent`
_PHYSICAL = "HWC"  # in the order of memory


def to_tiles(spec: TensorSpec, array: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Global address and contiguous content [height][width][channel] of each tile of one sample.

    `array` has the logical shape and dtype of `spec`; raises InputError if it has not.
    """
    if array.shape != spec.shape or array.dtype != spec.dtype.numpy:
        wanted, given = f"{spec.dtype.numpy.name}{list(spec.shape)}", f"{array.dtype}{list(array.shape)}"
        raise InputError(f"tensor {spec.name!r} is {given}, expected {wanted}")
    axes = layout_axes(spec)
    fine = array.reshape([_size(spec, axis) for axis in axes])
    present = [axis for axis in _PHYSICAL if axis in axes]
    full = fine.transpose([axes.index(axis) for axis in present]).reshape([_size(spec, axis) for axis in _PHYSICAL])
    return [(tile.address, np.ascontiguousarray(full[:, :, slice(*tile.channels)])) for tile in spec.tiles]


def from_memory(spec: TensorSpec, read: Callable[[int, int], bytes | memoryview]) -> np.ndarray:
    """One sample in its logical shape; `read(address, bytes)` gives bytes of global memory."""
    channels, height, width = spec.extent
    full = np.empty((height, width, channels), spec.dtype.numpy)
    for tile in spec.tiles:
        first, last = tile.channels
        content = read(tile.address, height * width * (last - first) * spec.dtype.size)
        full[:, :, first:last] = np.frombuffer(content, spec.dtype.numpy).reshape(height, width, last - first)
    axes = layout_axes(spec)
    order = [_PHYSICAL.index(axis) for axis in axes]
    absent = [index for index, axis in enumerate(_PHYSICAL) if axis not in axes]  # of size 1
    return np.ascontiguousarray(full.transpose(order + absent)).reshape(spec.shape)


def layout_axes(spec: TensorSpec) -> str:
    """The physical axes of the logical dimensions in row-major order, such as "CHW"."""
    return "".join(spec.layout)


def layout_fault(spec: TensorSpec) -> str:
    """Why shape, extent, layout and tiles of `spec` do not agree, as the end of a sentence; empty if they do."""
    axes = layout_axes(spec)
    if min((*spec.shape, *spec.extent), default=1) < 1:
        return f"shape {list(spec.shape)} and extent {list(spec.extent)} must be positive"
    if len(spec.layout) != len(spec.shape) or sorted(set(axes)) != sorted(axes) or not set(axes) <= set(_AXES):
        return f"layout {list(spec.layout)} must name axes C, H, W once at most, for {len(spec.shape)} dimensions"
    sizes = tuple(prod(_size(spec, axis) for axis in part) for part in spec.layout)
    if sizes != spec.shape or any(_size(spec, axis) != 1 for axis in _AXES if axis not in axes):
        return f"shape {list(spec.shape)} is not extent {list(spec.extent)} laid out as {list(spec.layout)}"
    if not _tiles_cover(spec):
        covered = [list(tile.channels) for tile in spec.tiles]
        return f"its tiles {covered} must cover channels 0 to {spec.extent[0]} once"
    return ""


def _tiles_cover(spec: TensorSpec) -> bool:
    edge = 0
    for first, last in sorted(tile.channels for tile in spec.tiles):
        if first != edge or last <= first:
            return False
        edge = last
    return edge == spec.extent[0]


def _size(spec: TensorSpec, axis: str) -> int:
    return spec.extent[_AXES.index(axis)]
