"""Moves, fills, conversions and resizes."""

from __future__ import annotations

from functools import partial

import numpy as np

from emu.core.crossbars.blocks import in_turn
from emu.core.kernels.constant import ConstantKernel
from emu.core.kernels.convert import convert, immediate, is_cast, rounded
from emu.core.kernels.pieces import BlockKernel
from emu.core.kernels.reductions import LINES, SETS
from emu.core.kernels.spec import Call, Kernel, KernelSpec, Maker, copying
from emu.isa.dtypes import DType


class CopyKernel:
    """`dst` = the source, which NumPy casts."""

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Copy."""
        dst[...] = sources[0]

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The same; what is turned goes some lines at a time, where they fall into the same sets of a cache."""
        source = sources[0]
        to, of = (_fastest(array) for array in (dst, source))
        turned = to != of and min(to, of) >= 0 and dst.shape[to] > LINES and source.strides[to] % SETS == 0
        if not turned or np.may_share_memory(dst, source):
            return copying(dst, source)
        before = (slice(None),) * to
        parts = [(*before, slice(low, low + LINES)) for low in range(0, dst.shape[to], LINES)]
        return in_turn([copying(dst[part], source[part]) for part in parts])


def _fastest(array: np.ndarray) -> int:
    """The axis along which elements lie side by side, or -1."""
    steps = zip(array.shape, array.strides, strict=True)
    return next((axis for axis, (count, step) in enumerate(steps) if count > 1 and step == array.itemsize), -1)


def _copy(spec: KernelSpec) -> Kernel:
    return CopyKernel()


def _fill(spec: KernelSpec) -> Kernel:
    byte = np.uint8(spec.arg0 & 0xFF)

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        dst[...] = byte

    return kernel


def _convert(spec: KernelSpec) -> Kernel:
    source, target = spec.types
    if is_cast(source, target):
        return CopyKernel()
    if source.is_float and not target.is_float and target not in (DType.bool, DType.i64):
        compute = partial(rounded, target=target)  # cast where it is put
    else:
        compute = partial(convert, source=source, target=target)

    return BlockKernel(compute)


def _resize(bound: np.ufunc) -> Maker:
    """The minimum or maximum with the immediate, then conversion."""

    def make(spec: KernelSpec) -> Kernel:
        source, target = spec.types
        limit = immediate(spec.imm, source)
        if source == target and source not in (DType.bool, DType.f16):  # f16: the immediate is an f32
            return ConstantKernel(bound, limit)

        def compute(x: np.ndarray) -> np.ndarray:
            return convert(bound(x, limit), source, target)

        return BlockKernel(compute)

    return make


MAKERS: dict[str, Maker] = {
    "copy": _copy,
    "fill": _fill,
    "convert": _convert,
    "minimum, convert": _resize(np.minimum),
    "maximum, convert": _resize(np.maximum),
}
