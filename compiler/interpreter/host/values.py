"""Values of host programs: NumPy arrays, also for single numbers, of the types that the text says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ShapedType,
    Signedness,
)
from xdsl.ir import Attribute

from emu.errors import CompileError

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_FLOATS: Mapping[type[Attribute], np.dtype[Any]] = {
    Float16Type: np.dtype("<f2"),
    Float32Type: np.dtype("<f4"),
    Float64Type: np.dtype("<f8"),
}
_WIDTHS: Mapping[int, np.dtype[Any]] = {
    1: np.dtype("bool"),
    **{8 * size: np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
}


class NoType(CompileError):
    """A type that no array has (exit code 2)."""


def numpy_type(kind: Attribute) -> np.dtype[Any]:
    """The type of elements, of a tensor or of a number; raises NoType for one that NumPy lacks."""
    if isinstance(kind, ShapedType):
        kind = cast(Any, kind).get_element_type()
    if isinstance(kind, IndexType):
        return np.dtype("<i8")
    if isinstance(kind, IntegerType) and kind.width.data in _WIDTHS and kind.signedness.data is Signedness.SIGNLESS:
        return _WIDTHS[kind.width.data]
    if type(kind) in _FLOATS:
        return _FLOATS[type(kind)]
    raise NoType(f"has elements of type {kind}: use i1, i8, i16, i32, i64, f16, f32 or f64")


def unsigned(array: Array) -> Array:
    """The same bits as numbers without sign."""
    return array if array.dtype.kind == "b" else array.view(np.dtype(f"<u{array.dtype.itemsize}"))


def constant(value: Attribute, blobs: Mapping[str, memoryview]) -> Array:
    """The array of a constant; `blobs` are the elements of resources, by name. Raises CompileError."""
    if isinstance(value, DenseResourceAttr):
        return _resource(value, blobs)
    if isinstance(value, DenseIntOrFPElementsAttr):
        return _dense(value)
    if isinstance(value, IntegerAttr | FloatAttr):
        kind = numpy_type(cast(Any, value).type)
        number = cast(Any, value).value.data
        if kind.kind == "i":
            number = (int(number) + (1 << (8 * kind.itemsize - 1))) % (1 << (8 * kind.itemsize)) - (
                1 << (8 * kind.itemsize - 1)
            )
        return np.array(bool(number) if kind.kind == "b" else number, kind)
    raise CompileError(f"has the value {str(value)[:60]}, which is no number and no dense tensor")


def _dense(value: Any) -> Array:
    kind, shape = numpy_type(value.type), tuple(value.type.get_shape())
    count, data = int(np.prod(shape, dtype=np.int64)), value.data.data
    elements = np.frombuffer(data, np.dtype("i1") if kind.kind == "b" else kind)
    elements = elements.astype(bool) if kind.kind == "b" else elements
    if len(elements) == 1 != count:
        return np.broadcast_to(elements[0], shape)
    if len(elements) != count:
        raise CompileError(f"has {len(elements)} elements for a shape {list(shape)}")
    return elements.reshape(shape)


def _resource(value: Any, blobs: Mapping[str, memoryview]) -> Array:
    name, kind, shape = value.resource_handle.data, numpy_type(value.type), tuple(value.type.get_shape())
    if name not in blobs:
        raise CompileError(f"needs the resource '{name}', which the text does not hold: print it without eliding")
    data, count = blobs[name], int(np.prod(shape, dtype=np.int64))
    if len(data) == kind.itemsize != count * kind.itemsize:
        return np.broadcast_to(np.frombuffer(data, kind)[0], shape)
    if len(data) != count * kind.itemsize:
        raise CompileError(f"needs {count * kind.itemsize} bytes of '{name}', which has {len(data)}")
    elements = np.require(np.frombuffer(data, np.dtype("i1") if kind.kind == "b" else kind), requirements="A")
    return (elements.astype(bool) if kind.kind == "b" else elements).reshape(shape)
