"""Element types of the machine as types of IR, and back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType, MemRefType, Signedness, TensorType, f16, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.basis.by_identity import by_identity
from emu.isa.dtypes import DType

# Signless integers are the signed ones, as elsewhere in MLIR; unsigned ones say so.
ELEMENTS: Mapping[DType, Attribute] = MappingProxyType(
    {
        DType.f32: f32,
        DType.f16: f16,
        **{dtype: IntegerType(8 * dtype.size) for dtype in (DType.i8, DType.i16, DType.i32, DType.i64)},
        **{dtype: IntegerType(8 * dtype.size, Signedness.UNSIGNED) for dtype in (DType.u8, DType.u16)},
        DType.bool: IntegerType(1),
    }
)
_DTYPES = {element: dtype for dtype, element in ELEMENTS.items()}


def dtype_of(value: SSAValue) -> DType:
    """The element type of a tensor or memref value; raises VerifyException for one that the machine does not have."""
    return _dtype(value.type)


@by_identity
def _dtype(kind: Attribute) -> DType:
    return element_dtype(kind.element_type if isinstance(kind, TensorType | MemRefType) else kind)


def element_dtype(element: Attribute) -> DType:
    """The inverse of `ELEMENTS`; raises VerifyException for a type that the machine does not have."""
    dtype = _DTYPES.get(element)
    if dtype is None:
        raise VerifyException(f"elements of type {element} do not exist: use {', '.join(map(str, _DTYPES))}")
    return dtype
