"""Attributes of `linalg` that xDSL lacks: how operands are widened, which function an elementwise operation is."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer


class _WordAttr(ParametrizedAttribute):
    """A word in angle brackets."""

    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """`<word>`."""
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        """`<word>`."""
        with printer.in_angle_brackets():
            printer.print_string(self.word.data)


@irdl_attr_definition
class TypeFnAttr(_WordAttr):
    """`#linalg.type_fn<cast_unsigned>`: whether integers are widened as unsigned ones."""

    name = "linalg.type_fn"
    word: StringAttr


@irdl_attr_definition
class ElementwiseKindAttr(_WordAttr):
    """`#linalg.elementwise_kind<add>`."""

    name = "linalg.elementwise_kind"
    word: StringAttr
