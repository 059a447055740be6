"""What the parsers of structured operations share: operands, results, short bodies, bodies, lists of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, TensorType, i64
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser


def element(kind: Attribute) -> Attribute:
    """The type of the elements of a tensor or memref; a number is its own."""
    return kind.get_element_type() if isinstance(kind, TensorType | MemRefType) else kind


def results_of(outputs: Sequence[SSAValue]) -> list[Attribute]:
    """The types of results: those of the tensors among the outputs, as memrefs are written in place."""
    return [value.type for value in outputs if isinstance(value.type, TensorType)]


def parse_numbers(parser: Parser, name: str) -> DenseArrayBase:
    """`name = [0, 2]`."""
    parser.parse_keyword(name)
    parser.parse_punctuation("=")
    values = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_integer)
    return DenseArrayBase.from_list(i64, values)


def parse_short(parser: Parser) -> tuple[type[Operation], dict[str, Attribute]] | None:
    """`{ arith.addf {fastmath = ...} }`: the only operation of the body; None if there is no such form."""
    if not parser.parse_optional_punctuation("{"):
        return None
    at = parser.pos
    name = parser.parse_identifier(" of an operation")
    kind = parser.ctx.get_optional_op(name)
    if kind is None:
        parser.raise_error(f"Operation {name} is not registered", at, parser.pos)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    return kind, attributes


def short_region(
    parser: Parser,
    short: tuple[type[Operation], dict[str, Attribute]],
    types: Sequence[Attribute],
    operands: Sequence[Attribute],
    result: Attribute,
) -> Region:
    """A body of one operation; `operands` are the types of its operands: all of them, or all in turned order."""
    kind, attributes = short
    block = Block(arg_types=types)
    args = list(block.args) if list(operands) == list(types) else list(block.args)[: len(operands)]
    if len(operands) == len(types) > 1:
        args = list(block.args)[::-1]  # of a reduction: what is there already comes first
    try:
        made = kind.create(operands=args, result_types=[result], properties=attributes)
    except Exception:
        parser.raise_error(f"{kind.name} is no body")
    block.add_ops([made, YieldOp(*made.results)])
    return Region(block)


def parse_body(parser: Parser) -> Region:
    """`(%a: f32, %b: f32) { ... }`."""
    args = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_argument)
    return parser.parse_region(args)


def parse_operands(parser: Parser, keyword: str) -> list[SSAValue]:
    """`ins(%a, %b : type, type)`, or nothing."""
    if not parser.parse_optional_keyword(keyword):
        return []
    parser.parse_punctuation("(")
    at = parser.pos
    unresolved = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    if unresolved is None:
        parser.parse_punctuation(")")
        return []
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(unresolved, types, at))


def parse_results(parser: Parser) -> list[Attribute]:
    """`-> type`, `-> (type, type)`, or nothing."""
    if not parser.parse_optional_punctuation("->"):
        return []
    types = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)
