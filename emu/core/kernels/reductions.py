"""Reductions over the last axis, strictly in index order; f16 sums are kept in f32 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np

from emu.core.crossbars.blocks import BLOCK, blocks, in_turn
from emu.core.crossbars.fault import Fault
from emu.core.kernels.integers import truncating_divide
from emu.core.kernels.spec import Call, Kernel, KernelSpec, Maker
from emu.isa.dtypes import DType
from emu.room import room

# All of these round alike: one `accumulate` per sum; columns that are added where they stand, if they are few and long;
# columns that are copied to lie together, of which a reduction along the slow axis adds one after the other.
COLUMNS_FROM = 512  # independent sums
TOGETHER_FROM = 16  # independent sums, and columns
LINES = 32  # that become columns at once, if they share sets of a level-1 cache
SETS = 512  # bytes: lines so far apart, or a multiple, share one in eight of the sets of a level-1 cache, or fewer
ROWS = 1024  # reductions of one block, at least


def in_order(operation: np.ufunc, x: np.ndarray, start: float) -> np.ndarray:
    """`((x0 op x1) op x2) ...` along the last axis of `x` [*box, n], in its type; `start` if n is 0."""
    n = x.shape[-1]
    if n == 0:
        return np.full(x.shape[:-1], start, x.dtype)
    if operation in (np.add, np.multiply) and x.dtype.kind in "iu":  # what wraps is the same in any order
        return operation.reduce(x, axis=-1, dtype=x.dtype)
    sums = prod(x.shape[:-1])
    if min(sums, n) >= TOGETHER_FROM:
        lines, columns = x.reshape(sums, n), room("columns", (n, sums), x.dtype)
        some = LINES if lines.strides[0] % SETS == 0 else sums
        for low in range(0, sums, some):
            columns[:, low : low + some] = lines[low : low + some].T
        first = {"initial": x.dtype.type(-0.0)} if operation is np.add else {}  # what changes no sum, not even of -0
        return operation.reduce(columns, axis=0, **first).reshape(x.shape[:-1])
    if sums < COLUMNS_FROM:
        return operation.accumulate(x, axis=-1, dtype=x.dtype)[..., -1]
    total = x[..., 0].copy()
    for column in range(1, n):
        operation(total, x[..., column], out=total)
    return total


def extreme(operation: np.ufunc, x: np.ndarray, start: float) -> np.ndarray:
    """What `in_order` gives for a maximum or minimum: in any order, where only one element can be it."""
    if x.shape[-1] == 0 or x.dtype.kind != "f":
        return in_order(operation, x, start)
    found = np.asarray(operation.reduce(x, axis=-1))
    several = ~(np.absolute(found) > 0)  # zeros of both signs, or NaNs
    if several.any():
        found[several] = in_order(operation, x[several], start)
    return found


@dataclass(frozen=True, slots=True)
class ReductionKernel:
    """`dst[..., 0]` = `function` of the sources, some thousand reductions at a time."""

    function: Callable[..., np.ndarray]

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        self.bound(dst, *sources)()

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The same for each of these blocks."""
        parts = blocks(dst.shape[:-1], max(ROWS, BLOCK // max(1, sources[0].shape[-1])))
        return in_turn(
            [
                partial(_put, self.function, dst[index][..., :1], *[source[index] for source in sources])
                for index in parts
            ]
        )


def _put(function: Callable[..., np.ndarray], dst: np.ndarray, /, *sources: np.ndarray) -> None:
    dst[..., 0] = function(*sources)


def _wide(x: np.ndarray, dtype: DType) -> np.ndarray:
    return x.astype(np.float32) if dtype == DType.f16 else x


def _all(operation: np.ufunc, start: float) -> Maker:
    def make(spec: KernelSpec) -> Kernel:
        dtype = spec.types[0]
        return ReductionKernel(lambda x: in_order(operation, _wide(x, dtype), start))

    return make


def _average(spec: KernelSpec) -> Kernel:
    """Mean; integers: the exact (int64) sum over n, towards zero."""
    dtype, count = spec.types[0], spec.n

    def mean(x: np.ndarray) -> np.ndarray:
        total = np.asarray(in_order(np.add, x.astype(np.int64), 0))
        return truncating_divide(total, np.full_like(total, count))

    def refused(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        raise Fault("division of an integer by zero", "n", 0)

    if dtype.is_float:
        return ReductionKernel(lambda x: in_order(np.add, _wide(x, dtype), 0) / np.float32(count))
    return ReductionKernel(mean) if count else refused


def _extreme(operation: np.ufunc, start: Callable[[DType], float]) -> Maker:
    def make(spec: KernelSpec) -> Kernel:
        first = start(spec.types[0])
        return ReductionKernel(lambda x: extreme(operation, x, first))

    return make


def _lowest(dtype: DType) -> float:
    return -np.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)


def _highest(dtype: DType) -> float:
    return np.inf if dtype.is_float else int(np.iinfo(dtype.numpy).max)


def _dot(spec: KernelSpec) -> Kernel:
    dtype = spec.types[0]
    return ReductionKernel(lambda a, b: in_order(np.add, _wide(a, dtype) * _wide(b, dtype), 0))


def _index_of(find: Callable[..., np.ndarray]) -> Maker:
    """The index of the first (`.last`: the last) element that is extreme, as NumPy has it: a NaN is."""

    def make(spec: KernelSpec) -> Kernel:
        count, last = spec.n, "last" in spec.flags

        def place(x: np.ndarray) -> np.ndarray:
            return count - 1 - find(x[..., ::-1], axis=-1) if last else find(x, axis=-1)

        def refused(dst: np.ndarray, /, *sources: np.ndarray) -> None:
            raise Fault("no element to choose from", "n", 0)

        return ReductionKernel(place) if count else refused

    return make


MAKERS: dict[str, Maker] = {
    "sum": _all(np.add, 0),
    "product": _all(np.multiply, 1),
    "mean": _average,
    "highest": _extreme(np.maximum, _lowest),
    "lowest": _extreme(np.minimum, _highest),
    "dot product": _dot,
    "place of the highest": _index_of(np.argmax),
    "place of the lowest": _index_of(np.argmin),
}
