"""Cutting large arrays into blocks that stay in cache, in iteration order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod

import numpy as np

BLOCK = 1 << 15  # elements: 128 KiB of f32, so that a few temporaries fit a level-2 cache


def blocks(shape: tuple[int, ...], limit: int) -> Iterator[tuple[slice, ...]]:
    """Index tuples that cover `shape` in C order, at most `limit` elements each."""
    if not shape:
        yield ()
        return
    inner = prod(shape[1:])
    if inner <= limit:
        step = max(1, limit // max(inner, 1))
        for start in range(0, shape[0], step):
            yield (slice(start, start + step),)
        return
    for start in range(shape[0]):
        for rest in blocks(shape[1:], limit):
            yield (slice(start, start + 1), *rest)


def in_memory_order(dst: np.ndarray, *sources: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same arrays with the axes of `dst` in the order of its memory, so that its blocks lie close together.

    Where a source shares memory with `dst`, elements must be read in the order given: nothing changes.
    """
    order = sorted(range(dst.ndim), key=lambda axis: -abs(dst.strides[axis]))
    if order == list(range(dst.ndim)) or any(np.may_share_memory(dst, source) for source in sources):
        return (dst, *sources)
    return tuple([array.transpose(order) for array in (dst, *sources)])


def in_turn(calls: Sequence[Callable[[], object]]) -> Callable[[], object]:
    """These calls, one after the other, as one."""
    return calls[0] if len(calls) == 1 else partial(_in_turn, calls)


def _in_turn(calls: Sequence[Callable[[], object]]) -> None:
    for call in calls:
        call()
