"""Operations with a constant: as one operand of as many elements where NumPy's loop over a single one is slow."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

LENGTH = 4096  # elements of the constant operand: those of f32 stay in a level-1 cache
SHORT = 64  # elements of which a loop over a single one costs less than to make the operand

Ufunc = Callable[..., np.ndarray]


def with_constant(operation: Ufunc, x: np.ndarray, constant: np.generic, out: np.ndarray) -> None:
    """`out` = `operation(x, constant)`, elementwise; of minima and maxima NumPy vectorises what has two arrays."""
    size, width = x.size, x.shape[-1]
    if size < SHORT:
        operation(x, constant, out=out)
        return
    row = _row(constant.dtype.str, constant.tobytes())
    if not (x.flags.c_contiguous and out.flags.c_contiguous):
        operation(x, row[:width] if SHORT <= width <= LENGTH else constant, out=out)
        return
    x, out, whole = x.reshape(-1), out.reshape(-1), size - size % LENGTH
    if whole:
        operation(x[:whole].reshape(-1, LENGTH), row, out=out[:whole].reshape(-1, LENGTH))
    if whole < size:
        operation(x[whole:], row[: size - whole], out=out[whole:])


@lru_cache(64)
def _row(dtype: str, content: bytes) -> np.ndarray:
    return np.full(LENGTH, np.frombuffer(content, dtype)[0])
