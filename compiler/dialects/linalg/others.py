"""Operations of `arith` and `math` that xDSL lacks."""

from __future__ import annotations

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, container_of
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.parser import Parser

from compiler.dialects.linalg.casts import CASTS


@irdl_op_definition
class RemFOp(IRDLOperation):
    """The remainder of two floats, with the sign of the first."""

    name = "arith.remf"
    lhs = operand_def(container_of(AnyFloat))
    rhs = operand_def(container_of(AnyFloat))
    result = result_def(container_of(AnyFloat))
    fastmath = opt_prop_def(FastMathFlagsAttr)

    @classmethod
    def parse(cls, parser: Parser) -> RemFOp:
        """`%a, %b : f32`."""
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        operands = [parser.resolve_operand(value, kind) for value in (lhs, rhs)]
        return cls.create(operands=operands, result_types=[kind], attributes=attributes)


class _TestOp(IRDLOperation):
    """A truth value of a float; of a tensor those of its elements."""

    operand = operand_def(container_of(AnyFloat))
    result = result_def(container_of(IntegerType(1)))
    fastmath = opt_prop_def(FastMathFlagsAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        """`%x : f32`."""
        value = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind, truth = parser.parse_type(), IntegerType(1)
        made: Attribute = TensorType(truth, kind.get_shape()) if isinstance(kind, TensorType) else truth
        operand = parser.resolve_operand(value, kind)
        return cls.create(operands=[operand], result_types=[made], attributes=attributes)


@irdl_op_definition
class IsNanOp(_TestOp):
    """Whether it is no number."""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(_TestOp):
    """Whether it is infinite."""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(_TestOp):
    """Whether it is finite."""

    name = "math.isfinite"


ARITH: tuple[type[Operation], ...] = (RemFOp, *CASTS)
MATH: tuple[type[Operation], ...] = (IsNanOp, IsInfOp, IsFiniteOp)
