"""Moves, fills, conversions and resizes."""

from __future__ import annotations

import numpy as np

from emu.core.crossbars.blocks import blockwise
from emu.core.kernels.convert import convert, immediate, is_cast
from emu.core.kernels.spec import Kernel, KernelSpec, Maker


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

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        blockwise(lambda x: convert(x, source, target), dst, *sources)

    return kernel


def _resize(bound: np.ufunc) -> Maker:
    """The minimum or maximum with the immediate, then conversion."""

    def make(spec: KernelSpec) -> Kernel:
        source, target = spec.types
        limit = immediate(spec.imm, source)

        def compute(x: np.ndarray) -> np.ndarray:
            return convert(bound(x, limit), source, target)

        def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
            blockwise(compute, dst, *sources)

        return kernel

    return make


MAKERS: dict[str, Maker] = {
    "copy": _copy,
    "fill": _fill,
    "convert": _convert,
    "minimum, convert": _resize(np.minimum),
    "maximum, convert": _resize(np.maximum),
}
