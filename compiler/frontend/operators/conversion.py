"""Imports conversions between element types: to an integer the fraction is cut off, to a narrow one the high bits."""

from __future__ import annotations

from xdsl.ir import SSAValue

from compiler.dialects.onnx import IdentityOp
from compiler.dialects.types import dtype_of
from compiler.frontend.nodes.element_types import dtype_name, element_type
from compiler.frontend.nodes.nests import elementwise
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, shape_of
from compiler.nests.expression import Value, call, cast, select
from emu.isa.dtypes import BITS, SIGNED, DType

_SIGNED_BY_SIZE = {dtype.size: dtype for dtype in SIGNED}


def converted(x: Value, dtype: DType) -> Value:
    """`x` as another type."""
    if x.dtype.is_float and not dtype.is_float and dtype != DType.bool:
        whole = select(x < 0, call("ceil", x), call("floor", x))
        return wrapped(cast(whole, DType.i64 if dtype == DType.i64 else DType.i32), dtype)
    return wrapped(x, dtype) if x.dtype in BITS and dtype in BITS - {DType.bool} else cast(x, dtype)


def wrapped(x: Value, dtype: DType) -> Value:
    """An integer as another type of integers, of which it keeps the lower bits."""
    signed, bits = dtype in SIGNED, 8 * dtype.size
    if x.dtype in (dtype, DType.bool) or (dtype.size > x.dtype.size and (signed or x.dtype not in SIGNED)):
        return cast(x, dtype)
    # The bits are cut off in a signed type that is wider than the result and no narrower than `x`.
    wide = _SIGNED_BY_SIZE[max(x.dtype.size if x.dtype in SIGNED else 2 * x.dtype.size, 2 * dtype.size)]
    low = cast(x, wide) & ((1 << bits) - 1)
    sign = 1 << (bits - 1)
    return cast((low ^ sign) - sign if signed else low, dtype)


def as_type(node: Node, scope: Scope, x: SSAValue, dtype: DType, part: str = "") -> SSAValue:
    """`x` as a tensor of another type of elements."""
    if dtype_of(x) == dtype:
        return scope.emit(IdentityOp, node, [x], shape_of(x), part=part)
    return elementwise(node, scope, [x], lambda element: converted(element, dtype), part)


def cast_to(node: Node, scope: Scope) -> SSAValue:
    """Cast: to the type `to`."""
    code = node.integer("to", 0)
    dtype = element_type(code)
    if dtype is None:
        node.refuse(f"converts to {dtype_name(code)}, a type that the machine does not have: export the model again")
    return as_type(node, scope, scope.value(node), dtype)


def cast_like(node: Node, scope: Scope) -> SSAValue:
    """CastLike: to the type of the second operand."""
    return as_type(node, scope, scope.value(node), dtype_of(scope.value(node, 1)))


OPERATORS = {"Cast": cast_to, "CastLike": cast_like}
