"""Tensors of global memory that exist once per power-on: where they may stand, and their elements in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from emu.errors import ProgramError
from emu.image.manifest import ReadOnlySpec, TensorSpec
from emu.image.npz import map_npy

MAX_RANK = 64  # dimensions: what NumPy can have


def read_only_fault(specs: Sequence[ReadOnlySpec], tensors: Iterable[TensorSpec], limit: int) -> str:
    """Why `specs` cannot stand in `limit` bytes of global memory beside `tensors` (inputs, outputs); empty if they can.

    Nothing may share bytes with a read-only tensor, and no two may share a file.
    """
    ranges = [(spec.address, spec.end, True, f"read-only tensor {spec.name!r}") for spec in specs]
    for begin, end, _, name in ranges:
        if end > limit:
            return f"{name} is [{begin}, {end}) of a global memory in use of {limit} bytes"
    ranges += [(begin, end, False, f"tensor {spec.name!r}") for spec in tensors for begin, end in spec.ranges]
    furthest = {True: (0, ""), False: (0, "")}  # of those that begin earlier, read-only or not: last end, and whose
    for begin, end, read_only, name in sorted(entry for entry in ranges if entry[0] < entry[1]):
        for other_end, other in furthest.values() if read_only else (furthest[True],):
            if begin < other_end:
                return f"{name}, [{begin}, {end}) of global memory, overlaps {other}, which ends at {other_end}"
        furthest[read_only] = max(furthest[read_only], (end, name))
    files = sorted(spec.file for spec in specs)
    twice = next((file for file, other in pairwise(files) if file == other), None)
    return "" if twice is None else f"two read-only tensors name the file {twice!r}"


def map_tensor(path: Path, spec: ReadOnlySpec) -> np.ndarray:
    """The elements [*spec.shape] in the `.npy` file at `path`, mapped read-only.

    Raises InputError if the file is malformed, ProgramError unless it holds what `spec` says, in row-major order.
    """
    array = map_npy(path)
    check_elements(array, spec, str(path))
    if not array.flags.c_contiguous:
        raise ProgramError(
            f"{path}: read-only tensor {spec.name!r} stands there column by column (Fortran order), expected row-major"
        )
    return array


def check_elements(array: np.ndarray, spec: ReadOnlySpec, where: str) -> None:
    """Raise ProgramError unless `array` has the shape and element type of `spec`."""
    if array.shape != spec.shape or array.dtype != spec.dtype.numpy:
        wanted = f"{spec.dtype.numpy.str}{list(spec.shape)}"
        raise ProgramError(
            f"{where}: read-only tensor {spec.name!r} is {array.dtype.str}{list(array.shape)}, expected {wanted}"
        )
