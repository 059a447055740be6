"""Start-up self-test: does this machine's BLAS round a row of a product alike at every height?"""

from __future__ import annotations

from functools import cache

import numpy as np

from emu.core.crossbars.crossbar import HEIGHT

_SHAPES = ((128, 64), (27, 16))  # products per sum, padded columns
_HEIGHTS = (2, 3, 5, 16, 33, 130)


@cache
def blas_rows_stable() -> bool:
    """Whether f32 products of crossbar size are bit for bit the same at heights 2 to 1024; some ms.

    Where it is False, `step` and `batch` may differ in the last bits of `mvmul` (at most 2 gamma_K sum |x||w|).
    """
    return all(_stable(inner, cols) for inner, cols in _SHAPES)


def _stable(inner: int, cols: int) -> bool:
    rng = np.random.default_rng(inner)
    x = rng.standard_normal((HEIGHT, inner), np.float32)
    w = rng.standard_normal((inner, cols), np.float32)
    whole = x @ w
    return all(
        np.array_equal((x[start : start + height] @ w).view(np.int32), whole[start : start + height].view(np.int32))
        for height in _HEIGHTS
        for start in (0, HEIGHT - height)
    )
