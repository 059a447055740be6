"""Operations with a constant: as one operand of as many elements where NumPy's loop over a single one is slow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from emu.core.crossbars.blocks import in_turn
from emu.core.kernels.spec import Call

LENGTH = 1 << 14  # elements of the constant operand; NumPy takes rows of at least half as many without copying them
SHORT = 64  # elements of which a loop over a single one costs less than to make the operand

Ufunc = Callable[..., np.ndarray]


@dataclass(frozen=True, slots=True)
class ConstantKernel:
    """`dst` = `operation(source, constant)`, elementwise; of minima and maxima NumPy vectorises what has two arrays."""

    operation: Ufunc
    constant: np.generic

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        self.bound(dst, *sources)()

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The calls of NumPy that do it."""
        x, size, width = sources[0], dst.size, dst.shape[-1]
        alone = np.asarray(self.constant)  # NumPy takes arrays faster than numbers
        if size < SHORT:
            return partial(self.operation, x, alone, out=dst)
        row = _row(self.constant.dtype.str, self.constant.tobytes())
        if not (x.flags.c_contiguous and dst.flags.c_contiguous):
            return partial(self.operation, x, row[:width] if SHORT <= width <= LENGTH else alone, out=dst)
        x, dst, count = x.reshape(-1), dst.reshape(-1), -(-size // LENGTH)
        width, whole = size // count, size - size % count
        calls: list[Call] = [
            partial(self.operation, x[:whole].reshape(-1, width), row[:width], out=dst[:whole].reshape(-1, width))
        ]
        if whole < size:
            calls.append(partial(self.operation, x[whole:], row[: size - whole], out=dst[whole:]))
        return in_turn(calls)


@lru_cache(64)
def _row(dtype: str, content: bytes) -> np.ndarray:
    return np.full(LENGTH, np.frombuffer(content, dtype)[0])
