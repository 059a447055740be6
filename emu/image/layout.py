"""Tensors between their logical shape and the boxes that stand in global memory."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.program.form import box_shape, box_slices


def to_tiles(spec: TensorSpec, array: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Global address and content of each tile of one sample; a content has the sizes of its box, contiguous.

    `array` [*spec.shape] is in the logical shape; raises InputError if shape or element type are not those of `spec`.
    """
    if array.shape != spec.shape or array.dtype != spec.dtype.numpy:
        wanted, given = f"{spec.dtype.numpy.name}{list(spec.shape)}", f"{array.dtype}{list(array.shape)}"
        raise InputError(f"tensor {spec.name!r} is {given}, expected {wanted}")
    full = spec.form.physical(array)
    return [(tile.address, np.ascontiguousarray(full[box_slices(tile.box)])) for tile in spec.tiles]


def from_memory(spec: TensorSpec, read: Callable[[int, int], bytes | memoryview]) -> np.ndarray:
    """One sample [*spec.shape]; `read(address, size)` gives `size` bytes of global memory from `address` on."""
    full = np.empty(spec.form.sizes, spec.dtype.numpy)
    for tile in spec.tiles:
        shape = box_shape(tile.box)
        content = np.frombuffer(read(tile.address, prod(shape) * spec.dtype.size), spec.dtype.numpy)
        full[box_slices(tile.box)] = content.reshape(shape)
    return spec.form.logical(full)


def layout_fault(spec: TensorSpec) -> str:
    """Why shape, extent, layout and tiles of `spec` do not agree, as the end of a sentence; empty if they do."""
    return spec.form.fault() or spec.form.cover_fault([tile.box for tile in spec.tiles])
