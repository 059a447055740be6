"""Arrays of vectors as matrices that a BLAS takes without copying them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import prod

import numpy as np

from emu.room import room


def as_matrix(src: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`src` [*box, rows] as an `viewed_matrix`, or a copy, until the next one is made."""
    if (
        src.dtype == dtype
        and src.flags.aligned
        and (src.flags.c_contiguous or _is_matrix(src.shape, src.strides, src.itemsize))
    ):
        return src.reshape(-1, src.shape[-1])
    shape = prod(src.shape[:-1]), src.shape[-1]
    x = room("inputs", shape, dtype)
    np.copyto(x.reshape(src.shape), src, casting="unsafe")
    return x


def viewed_matrix(array: np.ndarray) -> np.ndarray | None:
    """`array` [*box, n] as an aligned two-dimensional one, a view, if its vectors are dense and equally far apart."""
    flags = array.flags
    if flags.aligned and (flags.c_contiguous or _is_matrix(array.shape, array.strides, array.itemsize)):
        return array.reshape(-1, array.shape[-1])
    return None


@lru_cache(1024)
def _is_matrix(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether the rows of an array are dense and equally far apart, by whole elements."""
    *box, (inner, width) = zip(strides, shape, strict=True)
    moving = [axis for axis in box if axis[1] != 1]
    if inner != itemsize or any(far != near * count for (far, _), (near, count) in pairwise(moving)):
        return False
    return not moving or (moving[-1][0] >= width * itemsize and moving[-1][0] % itemsize == 0)
