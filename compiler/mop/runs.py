"""Moves of scattered elements as few runs of neighbours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from emu.interop.mop.window import PADDING


def runs(sources: np.ndarray, targets: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(source, target, length) of elements that are neighbours on both sides; a source may be `PADDING`."""
    padding = sources == PADDING
    breaks = (np.diff(targets) != 1) | ((np.diff(sources) != 1) & ~(padding[1:] & padding[:-1]))
    breaks |= padding[1:] != padding[:-1]
    first = np.concatenate([[0], np.flatnonzero(breaks) + 1, [len(sources)]])
    for low, high in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        yield int(sources[low]), int(targets[low]), high - low


def box_offsets(sizes: tuple[int, ...], start: tuple[int, ...], taken: tuple[int, ...]) -> np.ndarray:
    """Offsets of the elements of a box that begins at `start`, of sizes `taken`, of a dense tensor, in order."""
    total, step = np.zeros((1,) * len(sizes), np.int64), 1
    for axis in reversed(range(len(sizes))):
        shape = [1] * len(sizes)
        shape[axis] = -1
        total = total + ((np.arange(taken[axis]) + start[axis]) * step).reshape(shape)
        step *= sizes[axis]
    return total.reshape(-1)
