"""Operations of `scf` that xDSL reads in one of their forms alone."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.parser import Parser
from xdsl.printer import Printer


class WhileOp(scf.WhileOp):
    """A loop that goes on for as long as its first region says; where nothing is carried, others write no `()`.

    Its definition is xDSL's: what stands in it belongs there.
    """

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        """`(%inner = %outer) : (kinds) -> kinds { ... } do { ... }`, or `: () -> () { ... } do { ... }`."""
        if parser.parse_optional_punctuation(":") is None:
            return super().parse(parser)
        at = parser.pos
        kinds = parser.parse_function_type()
        if kinds.inputs.data:
            parser.raise_error("a loop is given values, and names none: write (%inner = %outer) before its type", at)
        before = parser.parse_region(())
        parser.parse_characters("do")
        after = parser.parse_region()
        made = cls((), kinds.outputs.data, before, after)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        made.attributes |= {} if attributes is None else attributes.data
        return made

    def print(self, printer: Printer) -> None:
        """As it is parsed."""
        if self.arguments:
            super().print(printer)
            return
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.before_region, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.after_region)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
