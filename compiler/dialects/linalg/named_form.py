"""The form of named operations: attributes in front, operands, results, and a body that the text does not spell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import opt_attr_def, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from compiler.dialects.linalg.attributes import TypeFnAttr
from compiler.dialects.linalg.bodies import region_of
from compiler.dialects.linalg.form_parts import parse_operands, parse_results

Maps = ArrayAttr[AffineMapAttr]
_KNOWN = ("operandSegmentSizes", "linalg.memoized_indexing_maps")  # by the operands, and by the name


class NamedOp(NamedOperation):
    """A named operation: attributes in front, in any order; `ins`, `outs`, and the types of the results."""

    IN_FRONT: ClassVar[tuple[str, ...]] = ("indexing_maps",)  # properties that stand there by name
    indexing_maps = opt_prop_def(ArrayAttr[AffineMapAttr])
    cast = opt_prop_def(TypeFnAttr)
    memoized = opt_attr_def(ArrayAttr[AffineMapAttr], attr_name="linalg.memoized_indexing_maps")

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """The row of `bodies.BODIES` that its body is."""
        raise NotImplementedError

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        """Not asked for: `parse` makes the region, which may depend on attributes."""
        raise NotImplementedError

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`linalg.NAME [indexing_maps = [...]] [{...}] ins(...) outs(...) [-> types]`."""
        attributes = cls.parse_front(parser)
        ins, outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        attributes |= parser.parse_optional_attr_dict()
        results = parse_results(parser)
        cast = attributes.get("cast")
        unsigned = isinstance(cast, TypeFnAttr) and cast.word.data == "cast_unsigned"
        types = cls.body_arg_types([*ins, *outs])
        region = region_of(types, cls.body_name(attributes, parser), unsigned=unsigned)
        known = cls.get_irdl_definition().properties
        properties = {name: value for name, value in attributes.items() if name in known}
        others = {name: value for name, value in attributes.items() if name not in known}
        return cls.build(
            operands=(ins, outs), result_types=(results,), properties=properties, attributes=others, regions=(region,)
        )

    @classmethod
    def parse_front(cls, parser: Parser) -> dict[str, Attribute]:
        """What stands before the operands."""
        attributes = dict[str, Attribute]()
        while True:
            if parser.parse_optional_keyword("indexing_maps"):
                parser.parse_punctuation("=")
                attributes["indexing_maps"] = parser.parse_attribute()
            elif found := parser.parse_optional_attr_dict():
                attributes |= found
            else:
                return attributes

    def print(self, printer: Printer) -> None:
        """As it is parsed; xDSL leaves the maps out, and puts all else into braces."""
        for name in self.IN_FRONT:
            if (value := self.properties.get(name)) is not None:
                printer.print_string(f" {name} = ")
                printer.print_attribute(value)
        said = (*self.IN_FRONT, *_KNOWN)
        if others := {name: value for name, value in (self.attributes | self.properties).items() if name not in said}:
            printer.print_op_attributes(others)
        for keyword, values in (("ins", self.inputs), ("outs", self.outputs)):
            if values:
                printer.print_string(f" {keyword}(")
                printer.print_list(values, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list(values.types, printer.print_attribute)
                printer.print_string(")")
        if self.res:
            printer.print_string(" -> ")
            printer.print_list(self.res.types, printer.print_attribute)

    def get_indexing_maps(self) -> Maps:
        """Those that stand in the text, else those of the table."""
        return self.indexing_maps or super().get_indexing_maps()
