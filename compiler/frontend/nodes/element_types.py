"""ONNX's element types: their names, as arrays of NumPy, as types of the machine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import TensorProto

from emu.isa.dtypes import DType

VIEWABLE: Mapping[int, np.dtype] = {  # element types whose raw bytes are a NumPy array as they stand
    TensorProto.FLOAT: np.dtype("<f4"),
    TensorProto.DOUBLE: np.dtype("<f8"),
    TensorProto.FLOAT16: np.dtype("<f2"),
    TensorProto.INT8: np.dtype("i1"),
    TensorProto.UINT8: np.dtype("u1"),
    TensorProto.INT16: np.dtype("<i2"),
    TensorProto.UINT16: np.dtype("<u2"),
    TensorProto.INT32: np.dtype("<i4"),
    TensorProto.INT64: np.dtype("<i8"),
    TensorProto.BOOL: np.dtype("bool"),
}


def dtype_name(code: int) -> str:
    """The name of an ONNX element type, such as "float16"."""
    known = code in TensorProto.DataType.values()
    return TensorProto.DataType.Name(code).lower() if known else f"type {code}"  # pyright: ignore[reportArgumentType]


def element_type(code: int) -> DType | None:
    """The machine's element type for an ONNX element type; None if it has none."""
    try:
        return DType.of(VIEWABLE[code])
    except KeyError:
        return None
