"""Element types of the instruction set and their NumPy counterparts (little-endian)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class DType(IntEnum):
    """An element type; the value is its code in program files."""

    f32 = 0
    f16 = 1
    i8 = 2
    u8 = 3
    i16 = 4
    u16 = 5
    i32 = 6
    i64 = 7
    bool = 8

    @property
    def numpy(self) -> np.dtype:
        """The little-endian NumPy dtype."""
        return _NUMPY[self]

    @property
    def size(self) -> int:
        """Bytes per element."""
        return _NUMPY[self].itemsize

    @property
    def is_float(self) -> bool:
        """Whether the type is a floating-point type."""
        return self in (DType.f32, DType.f16)

    @property
    def is_signed(self) -> bool:
        """Whether one bit of the type is a sign."""
        return _NUMPY[self].kind in "if"

    @classmethod
    def of(cls, dtype: np.dtype) -> DType:
        """The element type of a NumPy dtype; raises KeyError if the machine has none."""
        return _FROM_NUMPY[np.dtype(dtype).newbyteorder("<")]


_NUMPY = {
    DType.f32: np.dtype("<f4"),
    DType.f16: np.dtype("<f2"),
    DType.i8: np.dtype("i1"),
    DType.u8: np.dtype("u1"),
    DType.i16: np.dtype("<i2"),
    DType.u16: np.dtype("<u2"),
    DType.i32: np.dtype("<i4"),
    DType.i64: np.dtype("<i8"),
    DType.bool: np.dtype("bool"),
}
DTYPES = tuple(DType)  # by their codes
_FROM_NUMPY = {dtype: code for code, dtype in _NUMPY.items()}

FLOATS = frozenset({DType.f32, DType.f16})
SIGNED = frozenset({DType.i8, DType.i16, DType.i32, DType.i64})
INTEGERS = SIGNED | {DType.u8, DType.u16}
PLACES = frozenset({DType.i32, DType.i64})  # of elements among others
BITS = INTEGERS | {DType.bool}
NUMBERS = FLOATS | INTEGERS
ALL = NUMBERS | {DType.bool}
