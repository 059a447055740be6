"""Tensors between their logical shape and the channel tiles that stand in global memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.errors import InputError
from emu.image.manifest import TensorSpec


def to_tiles(spec: TensorSpec, array: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Global address and contiguous content [height][width][channel] of each tile of one sample.

    `array` has the logical shape and dtype of `spec`; raises InputError if it has not.
    """
    if array.shape != spec.shape or array.dtype != spec.dtype.numpy:
        wanted, given = f"{spec.dtype.numpy.name}{list(spec.shape)}", f"{array.dtype}{list(array.shape)}"
        raise InputError(f"tensor {spec.name!r} is {given}, expected {wanted}")
    full = spec.form.physical(array)
    return [(tile.address, np.ascontiguousarray(full[:, :, slice(*tile.channels)])) for tile in spec.tiles]


def from_memory(spec: TensorSpec, read: Callable[[int, int], bytes | memoryview]) -> np.ndarray:
    """One sample in its logical shape; `read(address, bytes)` gives bytes of global memory."""
    channels, height, width = spec.extent
    full = np.empty((height, width, channels), spec.dtype.numpy)
    for tile in spec.tiles:
        first, last = tile.channels
        content = read(tile.address, height * width * (last - first) * spec.dtype.size)
        full[:, :, first:last] = np.frombuffer(content, spec.dtype.numpy).reshape(height, width, last - first)
    return spec.form.logical(full)


def layout_fault(spec: TensorSpec) -> str:
    """Why shape, extent, layout and tiles of `spec` do not agree, as the end of a sentence; empty if they do."""
    fault = spec.form.fault()
    if fault or _tiles_cover(spec):
        return fault
    covered = [list(tile.channels) for tile in spec.tiles]
    return f"its tiles {covered} must cover channels 0 to {spec.extent[0]} once"


def _tiles_cover(spec: TensorSpec) -> bool:
    edge = 0
    for first, last in sorted(tile.channels for tile in spec.tiles):
        if first != edge or last <= first:
            return False
        edge = last
    return edge == spec.extent[0]
