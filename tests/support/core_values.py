"""Test data for one element type, and exact integer arithmetic in Python."""

import numpy as np

from emu.isa.dtypes import DType as T


def values(dtype, n=40, seed=0):
    """Test data: for floats also signed zeros and infinities, for integers also the limits."""
    rng = np.random.default_rng(seed)
    if dtype == T.bool:
        return rng.integers(0, 2, n).astype(np.bool_)
    if dtype.is_float:
        x = rng.uniform(-6, 6, n).astype(dtype.numpy)
        x[:4] = (0.0, -0.0, np.inf, -np.inf) if seed == 0 else (2, 3, 1, 1)
        return x
    limits = np.iinfo(dtype.numpy)
    x = rng.integers(max(limits.min, -1000), min(limits.max, 1000) + 1, n).astype(dtype.numpy)
    x[:2] = (limits.min, limits.max)
    return x


def wrap(value, dtype):
    """An exact Python integer as two's complement of the type."""
    bits = dtype.size * 8
    value &= (1 << bits) - 1
    signed = np.iinfo(dtype.numpy).min < 0
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def clip(value, dtype):
    limits = np.iinfo(dtype.numpy)
    return min(max(value, int(limits.min)), int(limits.max))


def truncate(a, b):
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


INTEGER_BINARY = {
    "vvadd": lambda a, b: a + b,
    "vvsub": lambda a, b: a - b,
    "vvmul": lambda a, b: a * b,
    "vvmax": max,
    "vvmin": min,
    "vvand": lambda a, b: a & b,
    "vvor": lambda a, b: a | b,
    "vvxor": lambda a, b: a ^ b,
}


def in_order(x, zero):
    total = zero if len(x) == 0 else x[0]
    for value in x[1:]:
        total = x.dtype.type(total + value)
    return total
