"""Conversion between element types: half to even and saturating towards integers."""

from __future__ import annotations

from functools import cache

import numpy as np

from emu.isa.dtypes import DType
from emu.room import room


def convert(x: np.ndarray, source: DType, target: DType) -> np.ndarray:
    """`x` (stored as `source`) as storage of `target`: NaN becomes 0 in an integer, nonzero becomes true."""
    if target == DType.bool:
        return (x != 0).view(np.uint8)
    if source == DType.bool:
        return (x != 0).astype(target.numpy)
    if target.is_float:
        return x.astype(target.numpy)
    return _float_to_integer(x, target) if source.is_float else _clip(x, target)


def is_cast(source: DType, target: DType) -> bool:
    """Whether NumPy's own cast is the conversion: to floats, and to integer types that hold all of `source`."""
    if DType.bool in (source, target):
        return False
    return target.is_float or (not source.is_float and np.can_cast(source.numpy, target.numpy))


def _clip(x: np.ndarray, target: DType) -> np.ndarray:
    here, there = np.iinfo(x.dtype), np.iinfo(target.numpy)
    if here.min >= there.min and here.max <= there.max:
        return x.astype(target.numpy)
    return np.clip(x, max(here.min, there.min), min(here.max, there.max)).astype(target.numpy)


def rounded(x: np.ndarray, target: DType) -> np.ndarray:
    """The integers of type `target` that the floats `x` become, as floats that NumPy casts to it; not for i64.

    They stand in memory that the next call uses again.
    """
    dtype, low, high = _limits(target, x.dtype.itemsize)
    result = np.rint(x, out=room("rounded", x.shape, dtype), dtype=dtype)
    least = np.minimum.reduce(result, axis=None, initial=0)
    if least != least:  # the minimum of what holds a NaN is one
        np.copyto(result, 0, where=np.isnan(result))
    return result.clip(low, high, out=result)


@cache
def _limits(target: DType, size: int) -> tuple[np.dtype, np.ndarray, np.ndarray]:
    """The type in which floats of `size` bytes are rounded towards `target`, and the limits of `target` in it."""
    limits = np.iinfo(target.numpy)
    dtype = np.dtype(np.float32 if target.size <= 2 and size <= 4 else np.float64)  # 8 and 16 bits are exact in f32
    return dtype, np.array(limits.min, dtype), np.array(limits.max, dtype)


def _float_to_integer(x: np.ndarray, target: DType) -> np.ndarray:
    if target != DType.i64:
        return rounded(x, target).astype(target.numpy)
    # 2^63 - 1 is no float64: values from 2^63 on are set by hand.
    whole = np.rint(x, dtype=np.float64)
    np.copyto(whole, 0, where=np.isnan(whole))
    fits = whole < 2.0**63
    inside = np.where(fits, np.maximum(whole, -(2.0**63)), 0.0).astype(np.int64)
    return np.where(fits, inside, np.iinfo(np.int64).max)


def immediate(value: float, dtype: DType) -> np.generic:
    """An immediate as an operand of `dtype`: f32 for both float types, converted like `vcvt` for integers."""
    if dtype.is_float:
        return np.float32(value)
    return convert(np.array([value], np.float64), DType.f32, dtype)[0]
