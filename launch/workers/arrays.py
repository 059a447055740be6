"""Arrays and their scalars in messages: type and shape as an extension of msgpack, the elements behind the message."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import msgpack
import numpy as np

_MOST_ELEMENTS = 1 << 36  # bytes of one array
_ARRAY, _OBJECTS, _SCALAR = 1, 2, 3  # types of msgpack's extensions


def pack_array(value: Any, pack: Callable[[Any], bytes], behind: list[memoryview]) -> msgpack.ExtType:
    """An array or scalar of NumPy as an extension; the elements of an array are put `behind` the message.

    `pack` packs what is in the extension. Objects are sent one by one. Raises TypeError for anything else.
    """
    if isinstance(value, np.generic):
        scalar = np.asarray(value)  # of an empty text NumPy says other sizes by itself
        return msgpack.ExtType(_SCALAR, pack([_type_name(scalar.dtype), scalar.tobytes()]))
    if not isinstance(value, np.ndarray):
        raise TypeError(f"a {type(value).__name__} cannot be sent")
    if value.dtype == object:
        return msgpack.ExtType(_OBJECTS, pack([value.ravel().tolist(), value.shape]))
    described = msgpack.ExtType(_ARRAY, pack([_type_name(value.dtype), value.shape]))
    behind.append(_elements(np.ascontiguousarray(value)))
    return described


def unpack_array(kind: int, first: Any, second: Any, behind: list[memoryview]) -> Any:
    """What an extension with these two values stands for; the elements of an array are still to come `behind`.

    Raises ValueError or TypeError for what no `pack_array` has made.
    """
    if kind == _OBJECTS:
        objects = np.empty(len(first), object)
        for place, item in enumerate(first):
            objects[place] = item
        return objects.reshape(second)
    dtype = _named_type(first)
    if kind == _SCALAR:
        if len(second) != dtype.itemsize:
            raise ValueError(f"{len(second)} bytes of a {dtype}")
        return np.ndarray((), dtype, second)[()]
    if kind != _ARRAY or prod(second) * dtype.itemsize > _MOST_ELEMENTS:
        raise ValueError(f"extension {kind} of shape {second}")
    array = np.empty(second, dtype)
    behind.append(_elements(array))
    return array


@cache
def _type_name(dtype: np.dtype) -> str:
    """The name by which the other side finds `dtype`, in its order of bytes; raises TypeError if there is none."""
    for name in (dtype.str, dtype.name):  # the narrow types of ONNX are found by the second only
        with contextlib.suppress(TypeError):
            if not dtype.hasobject and np.dtype(name) == dtype:
                return name
    raise TypeError(f"an array of {dtype} cannot be sent")


@cache
def _named_type(name: Any) -> np.dtype:
    """The type of a name; raises TypeError or ValueError if that is none, or holds objects: bytes are no references."""
    if not isinstance(name, str):
        raise TypeError(f"{type(name).__name__} is no type")
    try:
        dtype = np.dtype(name)
    except TypeError:
        import ml_dtypes as ml_dtypes  # it makes the narrow types of ONNX known to NumPy

        dtype = np.dtype(name)
    if dtype.hasobject or dtype.fields or dtype.subdtype:
        raise ValueError(f"elements of type {name}")
    return dtype


def _elements(array: np.ndarray) -> memoryview:
    """The bytes of a contiguous array."""
    return array.reshape(-1).view(np.uint8).data if array.nbytes else memoryview(b"")
