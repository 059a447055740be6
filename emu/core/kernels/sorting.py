"""The largest or smallest elements in their order, and where they were."""

from __future__ import annotations

import numpy as np

from emu.core.crossbars.blocks import BLOCK, blocks
from emu.core.kernels.spec import Kernel, KernelSpec, Maker


def _falling(x: np.ndarray) -> np.ndarray:
    """What rises where `x` (contiguous) falls, with equal elements equal and NaN last."""
    return -x if x.dtype.kind == "f" else ~x


def _sort(spec: KernelSpec) -> Kernel:
    n, k, low = spec.n, spec.arg1, "low" in spec.flags

    def kernel(dst: np.ndarray, /, *others: np.ndarray) -> None:
        places, source = others
        if k == 0:
            return
        for index in blocks(source.shape[:-1], max(1, BLOCK // n)):
            x = np.array(source[index], order="C")
            order = np.argsort(x if low else _falling(x), axis=-1, kind="stable")[..., :k]
            dst[index] = np.take_along_axis(x, order, -1)
            places[index] = order

    return kernel


MAKERS: dict[str, Maker] = {"sort": _sort}
