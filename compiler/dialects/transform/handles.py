"""Operations of `transform` that xDSL reads in the generic form only, or lacks, in their short form."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.dialects.transform import (
    FailurePropagationModeAttr,
    FailurePropagationModeType,
    ParamType,
    TransformHandleType,
    TransformOpHandleType,
    TransformValueHandleType,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator


@irdl_op_definition
class SequenceOp(IRDLOperation):
    """`transform.sequence failures(propagate) { ^bb0(%root: !transform.any_op): ... }`."""

    name = "transform.sequence"
    failures = prop_def(FailurePropagationModeAttr, prop_name="failure_propagation_mode")
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """The mode, then the body, which has the root as its argument."""
        parser.parse_keyword("failures")
        with parser.in_parens():
            mode = parser.parse_str_enum(FailurePropagationModeType)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            properties={"failure_propagation_mode": FailurePropagationModeAttr(mode)},
            attributes=attributes.data if attributes else {},
            regions=[parser.parse_region()],
        )

    def print(self, printer: Printer) -> None:
        """As it is read."""
        printer.print_string(f" failures({self.failures.data.value})")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)


class _NumberedOp(IRDLOperation):
    """`%x[1] : (handle) -> handle`: a place of each operation of a handle."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Handle, number, types."""
        handle = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            number = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_function_type()
        operands = parser.resolve_operands([handle], list(kind.inputs), parser.pos)
        (place,) = cls.get_irdl_definition().properties
        return cls.create(
            operands=operands,
            result_types=list(kind.outputs),
            properties={place: IntegerAttr(number, i64)},
            attributes=attributes,
        )

    @property
    def place(self) -> int:
        """The number."""
        (number,) = self.properties.values()
        assert isinstance(number, IntegerAttr)
        return number.value.data

    def print(self, printer: Printer) -> None:
        """As it is read."""
        printer.print_string(" ")
        printer.print_ssa_value(self.operands[0])
        printer.print_string(f"[{self.place}]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)


@irdl_op_definition
class GetProducerOfOperandOp(_NumberedOp):
    """The operations that make an operand."""

    name = "transform.get_producer_of_operand"
    operand_number = prop_def(IntegerAttr)
    target = operand_def(TransformOpHandleType)
    producer = result_def(TransformOpHandleType)


@irdl_op_definition
class GetConsumersOfResultOp(_NumberedOp):
    """The operations that read a result."""

    name = "transform.get_consumers_of_result"
    result_number = prop_def(IntegerAttr)
    target = operand_def(TransformOpHandleType)
    consumers = result_def(TransformOpHandleType)


@irdl_op_definition
class GetOperandOp(_NumberedOp):
    """An operand as a value, also one that no operation makes."""

    name = "transform.get_operand"
    operand_number = prop_def(IntegerAttr)
    target = operand_def(TransformOpHandleType)
    value = result_def(TransformValueHandleType)


@irdl_op_definition
class GetResultOp(_NumberedOp):
    """A result as a value."""

    name = "transform.get_result"
    result_number = prop_def(IntegerAttr)
    target = operand_def(TransformOpHandleType)
    value = result_def(TransformValueHandleType)


@irdl_op_definition
class GetDefiningOp(IRDLOperation):
    """The operation that makes a value."""

    name = "transform.get_defining_op"
    target = operand_def(TransformValueHandleType)
    result = result_def(TransformOpHandleType)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class GetParentOp(IRDLOperation):
    """The operation around each, or the nearest one that is called `op_name`."""

    name = "transform.get_parent_op"
    op_name = opt_prop_def(StringAttr)
    nth_parent = opt_prop_def(IntegerAttr)
    deduplicate = opt_prop_def(UnitAttr)
    target = operand_def(TransformOpHandleType)
    parent_result = result_def(TransformOpHandleType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class GeneralizeOp(IRDLOperation):
    """Named operations as generic ones; the handle is consumed."""

    name = "transform.structured.generalize"
    target = operand_def(TransformOpHandleType)
    transformed = result_def(TransformOpHandleType)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class CastOp(IRDLOperation):
    """The same handle by another type."""

    name = "transform.cast"
    input = operand_def(TransformHandleType)
    output = result_def(TransformHandleType)
    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"


@irdl_op_definition
class MergeHandlesOp(IRDLOperation):
    """One handle for what several name."""

    name = "transform.merge_handles"
    deduplicate = opt_prop_def(UnitAttr)
    handles = var_operand_def(TransformHandleType)
    result = result_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Handles, and the type that they have in common."""
        flags = {"deduplicate": UnitAttr()} if parser.parse_optional_keyword("deduplicate") else {}
        names = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        operands = [parser.resolve_operand(name, kind) for name in names]
        return cls.create(operands=operands, result_types=[kind], properties=flags, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """As it is read."""
        printer.print_string(" deduplicate " if self.deduplicate else " ")
        printer.print_list(self.handles, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class SplitHandleOp(IRDLOperation):
    """A handle for each of the operations that one names."""

    name = "transform.split_handle"
    handle = operand_def(TransformHandleType)
    results_ = var_result_def(TransformHandleType)
    assembly_format = "$handle attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class ParamConstantOp(IRDLOperation):
    """`transform.param.constant 16 : i64 -> !transform.param<i64>`."""

    name = "transform.param.constant"
    value = prop_def()
    param = result_def(ParamType)
    assembly_format = "$value attr-dict `->` type($param)"


@irdl_op_definition
class AnnotateOp(IRDLOperation):
    """Gives operations an attribute that says nothing but its name."""

    name = "transform.annotate"
    attr_name = prop_def(StringAttr, prop_name="name")
    target = operand_def(TransformOpHandleType)
    assembly_format = "$target $name attr-dict `:` type($target)"


@irdl_op_definition
class ForeachOp(IRDLOperation):
    """`transform.foreach %x : type -> types { ^bb0(%each: type): ... }`: the body for each operation of a handle."""

    name = "transform.foreach"
    target = operand_def(TransformHandleType)
    results_ = var_result_def(TransformHandleType)
    body = region_def("single_block")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Handle, type, types of the results, body."""
        handle = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(handle, parser.parse_type())
        made: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            types = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
            made = [parser.parse_type()] if types is None else list(types)
        return cls.create(operands=[operand], result_types=made, attributes=attributes, regions=[parser.parse_region()])

    def print(self, printer: Printer) -> None:
        """As it is read."""
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.target.type)
        if self.results:
            printer.print_string(" -> (")
            printer.print_list([value.type for value in self.results], printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" ")
        printer.print_region(self.body)
