"""Where array groups stand in a core's `.xbar` file, and how their weights are written and mapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from emu.errors import ProgramError
from emu.files import map_file
from emu.output.stream import OutputStream
from emu.program.group import GroupSpec
from emu.wording import counted

ALIGNMENT = 64  # bytes: a cache line


def place_groups(groups: Iterable[GroupSpec]) -> tuple[GroupSpec, ...]:
    """The groups with the offsets that a writer gives them: one after the other, aligned; 0 in a bank."""
    placed: list[GroupSpec] = []
    offset = 0
    for group in groups:
        placed.append(replace(group, offset=0 if group.shares else offset))
        offset = -(-(offset + group.nbytes) // ALIGNMENT) * ALIGNMENT
    return tuple(placed)


def stored_groups(groups: Iterable[GroupSpec]) -> int:
    """How many of the groups have weights in the image."""
    return sum(not group.shares for group in groups)


def write_groups(file: OutputStream, groups: tuple[GroupSpec, ...], weights: Iterable[np.ndarray], where: str) -> None:
    """Write one array [rows, cols] per placed group that stands in the image, with zero columns up to the padded width.

    Raises ProgramError unless number, shapes and element types of `weights` are those of `groups`.
    """
    arrays = iter(weights)
    for index, group in enumerate(groups):
        if group.shares:
            continue
        array = _next(arrays, index, group, where)
        padded = np.zeros((group.rows, group.padded_cols), group.weight.numpy)
        padded[:, : group.cols] = array
        file.write(bytes(group.offset - file.tell()))
        file.write(padded.data)
    if next(arrays, None) is not None:
        raise ProgramError(
            f"{where}: more weight arrays than its {counted(stored_groups(groups), 'group')} in the image"
        )


def _next(arrays: Iterator[np.ndarray], index: int, group: GroupSpec, where: str) -> np.ndarray:
    array = next(arrays, None)
    if array is None:
        raise ProgramError(f"{where}: group {index} has no weight array")
    if array.shape != (group.rows, group.cols) or array.dtype != group.weight.numpy:
        wanted = f"{group.weight.numpy.name}[{group.rows}, {group.cols}]"
        raise ProgramError(f"{where}: group {index} has weights {array.dtype}{list(array.shape)}, expected {wanted}")
    return array


def map_groups(path: Path | None, groups: tuple[GroupSpec, ...], where: str) -> list[np.ndarray]:
    """Read-only memory-mapped weights [rows, padded columns] of each group; raises ProgramError if they do not fit.

    Those of groups in the bank, of which the image holds nothing, are zeros; `path` is None if all are such.
    """
    whole = np.zeros(0, np.uint8) if path is None else np.frombuffer(map_file(path, ProgramError), np.uint8)
    size = len(whole)
    for index, group in enumerate(groups):
        if not group.shares and (group.offset % ALIGNMENT or group.offset + group.nbytes > size):
            place = f"[{group.offset}, {group.offset + group.nbytes})"
            raise ProgramError(f"{where}: group {index} is {place} of {path and path.name}, which has {size} bytes")
    return [_mapped(whole, group) for group in groups]


def _mapped(whole: np.ndarray, group: GroupSpec) -> np.ndarray:
    shape = group.rows, group.padded_cols
    if group.shares:
        return np.broadcast_to(np.zeros((), group.weight.numpy), shape)
    return whole[group.offset : group.offset + group.nbytes].view(group.weight.numpy).reshape(shape)
