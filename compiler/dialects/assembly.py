"""How operations are written: `%y = spat.compute(%x = %tile) {core = 0} : (tensor<...>) -> tensor<...> {...}`.

After its name stand an operation's operands, its properties, and the types of operands and results; of the types only
those that there are. MLIR's generic form is read, too. Within the braces numbers are i64 or f64, `[1, 2]` is an
`array<i64>` where a property is one, and attributes of these dialects stand without their names.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, Float64Type, FloatAttr, IntegerAttr, f64, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from compiler.dialects import attributes as attr
from compiler.dialects.typed import TypedAttribute

# Operands, the arguments of the body that they are bound to, and properties that follow from how they are written.
Operands = tuple[list[UnresolvedOperand], list[Parser.UnresolvedArgument], dict[str, Attribute]]


class WrittenOp(IRDLOperation, ABC):
    """An operation that is written as this module says.

    `HEAD` names the number that stands in place of the properties, as in `pim.core 3 {...}`, where it is the only one.
    """

    HEAD: ClassVar[str] = ""

    def print(self, printer: Printer) -> None:
        """Print all that stands behind the name."""
        inside = self._print_operands(printer)
        self._print_properties(printer)
        self._print_types(printer)
        if self.attributes:
            printer.print_string(" attributes ")
            printer.print_attr_dict(self.attributes)
        for region in self.regions:
            printer.print_string(" ")
            printer.print_region(region, print_entry_block_args=not inside, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read what `print` writes; raises ParseError."""
        names, inner, properties = cls._parse_operands(parser)
        properties |= cls._parse_properties(parser)
        at = parser.pos
        inputs, outputs = _parse_types(parser, bool(names))
        operands = parser.resolve_operands(names, inputs, at)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        regions = [
            parser.parse_region([name.resolve(kind) for name, kind in zip(inner, inputs, strict=False)] or None)
            for _ in cls.get_irdl_definition().regions
        ]
        return cls.create(
            operands=operands,
            result_types=outputs,
            properties=properties,
            attributes=attributes.data if attributes else {},
            regions=regions,
        )

    # operands -----------------------------------------------------------------------------------------------------

    def _print_operands(self, printer: Printer) -> bool:
        """Print the operands; whether with the arguments by which the body knows them."""
        arguments = _arguments(self.regions)
        inside = bool(arguments) and [value.type for value in arguments] == [value.type for value in self.operands]
        if not self.operands:
            return False
        with printer.in_parens():
            if not inside:
                printer.print_list(self.operands, printer.print_ssa_value)
                return False
            printer.print_list(zip(arguments, self.operands, strict=True), lambda pair: _print_bound(printer, *pair))
        return True

    @classmethod
    def _parse_operands(cls, parser: Parser) -> Operands:
        names, inner = list[UnresolvedOperand](), list[Parser.UnresolvedArgument]()
        for bound, name in parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, _bound(parser)) or ():
            names.append(name)
            inner += [bound] if bound is not None else []
        if inner and len(inner) != len(names):
            parser.raise_error("all operands are bound to arguments of the body, or none")
        return names, inner, {}

    # properties ---------------------------------------------------------------------------------------------------

    def _printed(self) -> Mapping[str, Attribute]:
        """The properties that stand in the braces."""
        return self.properties

    def _print_properties(self, printer: Printer) -> None:
        printed, kinds = self._printed(), _kinds(type(self))
        if self.HEAD and list(printed) == [self.HEAD] and _is_plain(number := printed[self.HEAD]):
            printer.print_string(" ")
            printer.print_int(cast(IntegerAttr, number).value.data)
        elif printed or self.regions:
            printer.print_string(" ")
            with printer.in_braces():
                printer.print_list(printed.items(), lambda entry: _print_entry(printer, *entry, kinds.get(entry[0])))

    @classmethod
    def _parse_properties(cls, parser: Parser) -> dict[str, Attribute]:
        if cls.HEAD and (number := parser.parse_optional_integer(allow_boolean=False)) is not None:
            return {cls.HEAD: attr.integer(number)}
        kinds, found = _kinds(cls), dict[str, Attribute]()

        def entry() -> None:
            name = parser.parse_identifier_or_str_literal(" as the name of a property")
            if name in found:
                parser.raise_error(f"property '{name}' is given twice")
            parser.parse_punctuation("=")
            found[name] = parse_value(parser, kinds.get(name))

        parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, entry)
        return found

    # types --------------------------------------------------------------------------------------------------------

    def _print_types(self, printer: Printer) -> None:
        if self.operands and self.results:
            printer.print_string(" : ")
            printer.print_function_type(self.operand_types, self.result_types)
        elif types := (*self.operand_types, *self.result_types):
            printer.print_string(" : ")
            printer.print_list(types, printer.print_attribute)


def print_value(printer: Printer, value: Attribute, kind: type[Attribute] | None) -> None:
    """Print the value of a property that should be a `kind`, in the form that `parse_value` reads."""
    if isinstance(value, TypedAttribute) and type(value) is kind:
        value.print_parameter(printer)
    elif _is_plain(value):
        printer.print_int(cast(IntegerAttr, value).value.data)
    elif kind is DenseArrayBase and isinstance(value, DenseArrayBase) and value.elt_type == i64:
        printer.print_string(str(list(attr.values(value))))
    elif isinstance(value, FloatAttr) and isinstance(value.type, Float64Type) and _is_short(value.value.data):
        printer.print_float(value.value.data, f64)
    else:
        printer.print_attribute(value)


def parse_value(parser: Parser, kind: type[Attribute] | None) -> Attribute:
    """Read the value of a property that should be a `kind` (None: whatever stands there); raises ParseError."""
    if kind is not None and issubclass(kind, TypedAttribute) and parser.parse_optional_punctuation("<"):
        return kind.new(kind.read(parser))
    if kind is DenseArrayBase:
        numbers = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        if numbers is not None:
            return attr.ints(numbers)
    return parser.parse_attribute()


def _print_entry(printer: Printer, name: str, value: Attribute, kind: type[Attribute] | None) -> None:
    printer.print_identifier_or_string_literal(name)
    printer.print_string(" = ")
    print_value(printer, value, kind)


def _print_bound(printer: Printer, argument: SSAValue, operand: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(operand)


def _bound(parser: Parser) -> Callable[[], tuple[Parser.UnresolvedArgument | None, UnresolvedOperand]]:
    """Reads `%operand` or `%argument = %operand`."""

    def read() -> tuple[Parser.UnresolvedArgument | None, UnresolvedOperand]:
        name = parser.parse_unresolved_operand()
        if parser.parse_optional_punctuation("=") is None:
            return None, name
        return Parser.UnresolvedArgument(name.span), parser.parse_unresolved_operand()

    return read


def _parse_types(parser: Parser, takes: bool) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """The types of operands and of results; `takes`: there are operands."""
    if parser.parse_optional_punctuation(":") is None:
        return (), ()
    if (both := parser.parse_optional_function_type()) is not None:
        return both.inputs.data, both.outputs.data
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return (types, ()) if takes else ((), types)


def _arguments(regions: Sequence[Region]) -> Sequence[SSAValue]:
    """What the only block of the only region is given."""
    blocks = regions[0].blocks if len(regions) == 1 else ()
    return blocks[0].args if len(blocks) == 1 else ()


@cache
def _kinds(operation: type[IRDLOperation]) -> Mapping[str, type[Attribute]]:
    """The kind of attribute that each property takes, of those that take one kind."""
    found = {name: kind.constr.get_bases() for name, kind in operation.get_irdl_definition().properties.items()}
    return {name: next(iter(bases)) for name, bases in found.items() if bases is not None and len(bases) == 1}


def _is_plain(value: Attribute) -> bool:
    return isinstance(value, IntegerAttr) and value.type == i64


def _is_short(value: float) -> bool:
    """Whether a number is printed with a point: what has none would be read as another."""
    return math.isfinite(value) and float(f"{value:.5e}") == value
