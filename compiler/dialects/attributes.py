"""Short forms for the attributes of MLIR that our dialects use: integer arrays, strings, numbers, types."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from compiler.basis.by_identity import MOST, by_identity
from compiler.dialects.types import ELEMENTS, dtype_of
from emu.isa.dtypes import DType

_WORD = 8  # bytes of an i64


def ints(values: Iterable[int]) -> DenseArrayBase:
    """An `array<i64: ...>`."""
    return _ints(tuple(values))


@lru_cache(maxsize=4096)
def _ints(numbers: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase(i64, BytesAttr(i64.pack(numbers)))


def values(attribute: DenseArrayBase | None) -> tuple[int, ...]:
    """The integers of an `array<i64: ...>`; empty for None."""
    if attribute is None:
        return ()
    if attribute.elt_type is i64:  # ours, not of a text: they are read often
        content = attribute.data.data
        return struct.unpack(f"<{len(content) // _WORD}q", content)
    return tuple(cast(DenseArrayBase[IntegerType], attribute).get_values())


@by_identity
def spans(counts: Attribute) -> Sequence[tuple[int, int]]:
    """Where each group of values begins and ends, by an `array<i64: ...>` of how many values each holds."""
    ends = tuple(accumulate(values(cast(DenseArrayBase, counts))))
    return tuple(zip((0, *ends), ends, strict=False))


def strings(texts: Iterable[str]) -> ArrayAttr[StringAttr]:
    """An array of string attributes."""
    return ArrayAttr([StringAttr(text) for text in texts])


@lru_cache(maxsize=4096, typed=True)
def integer(value: int) -> IntegerAttr:
    """A 64-bit integer attribute."""
    return IntegerAttr(value, i64)


def real(value: float) -> FloatAttr:
    """A double-precision attribute: exact for every float32 parameter."""
    return FloatAttr(value, f64)


@lru_cache(MOST)
def _tensor(shape: tuple[int, ...], dtype: DType) -> TensorType:
    return TensorType(ELEMENTS[dtype], shape)


@lru_cache(MOST)
def _memref(shape: tuple[int, ...], dtype: DType) -> MemRefType:
    return MemRefType(ELEMENTS[dtype], shape)


def tile_type(shape: Sequence[int], dtype: DType) -> TensorType:
    """A type such as `tensor<HxWxCxf32>`, built once per shape and element type."""
    return _tensor(tuple(shape), dtype)


def buffer_type(shape: Sequence[int], dtype: DType) -> MemRefType:
    """A type such as `memref<HxWxCxf32>`, built once per shape and element type."""
    return _memref(tuple(shape), dtype)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The static shape of a tensor or memref value."""
    return _shape(value.type)


@by_identity
def _shape(kind: Attribute) -> tuple[int, ...]:
    return tuple(cast(TensorType | MemRefType, kind).get_shape())


def bytes_of(value: SSAValue) -> int:
    """Bytes of a tile or buffer."""
    return prod(shape_of(value)) * dtype_of(value).size
