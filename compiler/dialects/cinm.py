"""The `cinm` dialect: products that some device may do, before it is said when and on which crossbars (Cinnamon)."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.assembly import WrittenOp

_RANK = 2


@irdl_op_definition
class GemmOp(WrittenOp):
    """`lhs` [m, k] times `rhs` [k, n], with sums of the type of the result."""

    name = "cinm.gemm"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def verify_(self) -> None:
        """Matrices of known sizes that fit, of one type."""
        types: list[Any] = [value.type for value in (self.lhs, self.rhs, self.result)]
        shapes = [tuple(kind.get_shape()) for kind in types]
        if any(len(shape) != _RANK or min(shape) < 1 for shape in shapes):
            raise VerifyException("multiplies matrices of known sizes")
        (m, k), (inner, n), made = shapes
        if k != inner or made != (m, n):
            raise VerifyException(f"multiplies {m} x {k} by {inner} x {n}, which does not make {made[0]} x {made[1]}")
        if types[0].get_element_type() != types[1].get_element_type():
            raise VerifyException("multiplies matrices of two types: widen one of them")


Cinm = Dialect("cinm", [GemmOp], [])
