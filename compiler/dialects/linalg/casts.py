"""Operations of `arith` that xDSL has of numbers alone, and MLIR of tensors of them, too: casts and choices."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    ContainerType,
    IndexType,
    IntegerType,
    ShapedType,
    container_of,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

Fits = Callable[[Any, Any], bool]


def _element(kind: Attribute) -> Attribute:
    return kind.get_element_type() if isinstance(kind, ContainerType) else kind


def _shape(kind: Attribute) -> tuple[int, ...] | None:
    return tuple(kind.get_shape()) if isinstance(kind, ShapedType) else None


class CastOp(IRDLOperation, ABC):
    """A number as one of another type; of tensors each element."""

    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"
    FITS: ClassVar[Fits]

    def __init__(self, value: SSAValue | Operation, kind: Attribute) -> None:
        super().__init__(operands=[value], result_types=[kind])

    def verify_(self) -> None:
        """Refuse types that this is no cast of."""
        before, after = self.input.type, self.result.type
        if _shape(before) != _shape(after) or not type(self).FITS(_element(before), _element(after)):
            raise VerifyException(f"{before} cannot be cast to {after}")


def _narrower(a: Attribute, b: Attribute) -> bool:
    return isinstance(a, IntegerType) and isinstance(b, IntegerType) and a.width.data < b.width.data


def _wider(a: Attribute, b: Attribute) -> bool:
    return _narrower(b, a)


def _to_float(a: Attribute, b: Attribute) -> bool:
    return isinstance(a, IntegerType) and isinstance(b, AnyFloat)


def _from_float(a: Attribute, b: Attribute) -> bool:
    return _to_float(b, a)


def _of_index(a: Attribute, b: Attribute) -> bool:
    return {type(a), type(b)} == {IndexType, IntegerType}


@irdl_op_definition
class ExtSIOp(CastOp):
    """A signed integer as a wider one."""

    name = "arith.extsi"
    FITS: ClassVar[Fits] = _narrower


@irdl_op_definition
class ExtUIOp(CastOp):
    """An unsigned integer as a wider one."""

    name = "arith.extui"
    FITS: ClassVar[Fits] = _narrower


@irdl_op_definition
class TruncIOp(CastOp):
    """The low bits of an integer."""

    name = "arith.trunci"
    FITS: ClassVar[Fits] = _wider


@irdl_op_definition
class SIToFPOp(CastOp):
    """A signed integer as a float."""

    name = "arith.sitofp"
    FITS: ClassVar[Fits] = _to_float


@irdl_op_definition
class UIToFPOp(CastOp):
    """An unsigned integer as a float."""

    name = "arith.uitofp"
    FITS: ClassVar[Fits] = _to_float


@irdl_op_definition
class FPToSIOp(CastOp):
    """A float without its fraction, as a signed integer."""

    name = "arith.fptosi"
    FITS: ClassVar[Fits] = _from_float


@irdl_op_definition
class FPToUIOp(CastOp):
    """A float without its fraction, as an unsigned integer."""

    name = "arith.fptoui"
    FITS: ClassVar[Fits] = _from_float


@irdl_op_definition
class IndexCastOp(CastOp):
    """Between index and integers."""

    name = "arith.index_cast"
    FITS: ClassVar[Fits] = _of_index


@irdl_op_definition
class IndexCastUIOp(CastOp):
    """Between index and integers, which are unsigned."""

    name = "arith.index_castui"
    FITS: ClassVar[Fits] = _of_index


@irdl_op_definition
class SelectOp(IRDLOperation):
    """One value or the other, by a truth value; by a tensor of them element by element."""

    name = "arith.select"
    cond = operand_def(container_of(IntegerType(1)))
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    def verify_(self) -> None:
        """Refuse values of two types, and truth values of another shape."""
        kind = self.result.type
        if not kind == self.lhs.type == self.rhs.type:
            raise VerifyException(f"it chooses between {self.lhs.type} and {self.rhs.type}, and makes {kind}")
        if isinstance(self.cond.type, ShapedType) and _shape(self.cond.type) != _shape(kind):
            raise VerifyException(f"it chooses elements of {kind} by {self.cond.type}")

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        """`%c, %a, %b : f32`, and for truth values of each element `: tensor<4xi1>, tensor<4xf32>`."""
        values = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            values.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kinds: list[Attribute] = [parser.parse_type()]
        if parser.parse_optional_punctuation(","):
            kinds.append(parser.parse_type())
        kinds = [*kinds[:-1], *([IntegerType(1)] if len(kinds) == 1 else []), kinds[-1], kinds[-1]]
        operands = [parser.resolve_operand(value, kind) for value, kind in zip(values, kinds, strict=True)]
        return cls.create(operands=operands, result_types=[kinds[-1]], attributes=attributes)

    def print(self, printer: Printer) -> None:
        """In the form that is parsed."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != IntegerType(1):
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


CASTS: tuple[type[Operation], ...] = (
    ExtSIOp, ExtUIOp, TruncIOp, SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp, IndexCastOp, IndexCastUIOp, SelectOp,
)  # fmt: skip
