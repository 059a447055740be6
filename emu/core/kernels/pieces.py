"""Kernels that go through their operands in blocks that stay in cache, in the order of the memory they write to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from emu.core.crossbars.blocks import BLOCK, blocks, in_memory_order, in_turn
from emu.core.kernels.spec import Call
from emu.room import room

F32 = np.dtype(np.float32)


class Function(Protocol):
    """`out` = the function of `x`, both f32, contiguous, apart from each other."""

    def __call__(self, x: np.ndarray, /, *, out: np.ndarray) -> object:
        """Compute."""
        ...


@dataclass(frozen=True, slots=True)
class BlockKernel:
    """`dst` = `function` of the sources, elementwise."""

    function: Callable[..., np.ndarray]

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        for piece in _pieces(dst, *sources):
            _put(self.function, *piece)

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The same for each block of these operands."""
        return in_turn([partial(_put, self.function, *piece) for piece in _pieces(dst, *sources)])


@dataclass(frozen=True, slots=True)
class FunctionKernel:
    """`dst` = `function` of the source, elementwise, in f32."""

    function: Function

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        for target, source in _pieces(dst, sources[0]):
            _fill(self.function, target, source)

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The function itself, with those blocks of the operands that it takes as they are."""
        calls: list[Call] = []
        for target, source in _pieces(dst, sources[0]):
            if _plain(target) and _plain(source) and not np.may_share_memory(target, source):
                calls.append(partial(self.function, source, out=target))
            else:
                calls.append(partial(_fill, self.function, target, source))
        return in_turn(calls)


def _pieces(dst: np.ndarray, *sources: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    ordered = in_memory_order(dst, *sources)
    if dst.size <= BLOCK:
        yield ordered
        return
    for index in blocks(ordered[0].shape, BLOCK):
        yield tuple([array[index] for array in ordered])


def _put(function: Callable[..., np.ndarray], dst: np.ndarray, /, *sources: np.ndarray) -> None:
    dst[...] = function(*sources)


def _plain(array: np.ndarray) -> bool:
    return array.dtype == F32 and array.flags.c_contiguous and array.flags.aligned


def _fill(function: Function, target: np.ndarray, source: np.ndarray) -> None:
    # A contiguous copy makes NumPy choose the same vector code for every stride and alignment; so does its place.
    x = room("operand", source.shape, F32)
    x[...] = source
    if _plain(target):
        function(x, out=target)
        return
    result = room("result", source.shape, F32)
    function(x, out=result)
    target[...] = result
