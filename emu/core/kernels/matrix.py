"""Matrix products on crossbars and on the digital unit, and what crossbars hold."""

from __future__ import annotations

import numpy as np

from emu.core.crossbars.blocks import BLOCK, blocks
from emu.core.crossbars.origin import Origin
from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.isa.dtypes import DType


def _crossbar_product(spec: KernelSpec) -> Kernel:
    group, here = spec.group, spec.origin
    assert group is not None and here is not None  # the core refuses an unknown group before it makes the kernel
    accumulate, relu = "acc" in spec.flags, "relu" in spec.flags

    def kernel(dst: np.ndarray, /, *sources: np.ndarray, origin: Origin = here) -> None:
        group.multiply(dst, sources[0], accumulate, relu, origin)

    return kernel


def _write(spec: KernelSpec) -> Kernel:
    group, here, row = spec.group, spec.origin, spec.arg1
    assert group is not None and here is not None
    shape = spec.n, group.spec.cols

    def kernel(dst: np.ndarray, /, *sources: np.ndarray, origin: Origin = here) -> None:
        group.write(row, dst.reshape(shape), origin)

    return kernel


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a [..., m, k] x b [..., k, n], each sum over k in index order, in the type of the operands."""
    total = a[..., :, 0:1] * b[..., 0:1, :]
    term = np.empty_like(total)
    for step in range(1, a.shape[-1]):
        np.multiply(a[..., :, step : step + 1], b[..., step : step + 1, :], out=term)
        np.add(total, term, out=total)
    return total


def _matrix_product(spec: KernelSpec) -> Kernel:
    m, k, n = spec.arg0, spec.arg1, spec.n
    half = spec.types[0] == DType.f16

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        if 0 in (m, n):
            return
        a, b = (source.astype(np.float32) if half else source for source in sources)
        box = dst.shape[:-1]
        left, right = a.reshape(*box, m, k), b.reshape(*box, k, n)
        if k == 0:
            dst[...] = 0
            return
        result = np.empty((*box, m, n), left.dtype)
        for index in blocks((*box, m), max(1, BLOCK // n)):  # rows whose sums stay in cache
            result[index] = product(left[index], right[index[: len(box)]])
        dst[...] = result.reshape(dst.shape)

    return kernel


MAKERS: dict[str, Maker] = {
    "crossbar product": _crossbar_product,
    "crossbar write": _write,
    "matrix product": _matrix_product,
}
