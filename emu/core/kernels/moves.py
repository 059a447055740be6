"""Moves, fills, conversions and resizes."""

from __future__ import annotations

from functools import partial

import numpy as np

from emu.core.kernels.constant import ConstantKernel
from emu.core.kernels.convert import convert, immediate, is_cast, rounded
from emu.core.kernels.pieces import BlockKernel
from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.isa.dtypes import DType


def _copy(spec: KernelSpec) -> Kernel:
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        dst[...] = sources[0]

    return kernel


def _fill(spec: KernelSpec) -> Kernel:
    byte = np.uint8(spec.arg0 & 0xFF)

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        dst[...] = byte

    return kernel


def _cast(dst: np.ndarray, /, *sources: np.ndarray) -> None:
    np.copyto(dst, sources[0], casting="unsafe")


def _convert(spec: KernelSpec) -> Kernel:
    source, target = spec.types
    if is_cast(source, target):
        return _cast
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
