"""`linalg.generic`, whose maps, iterators and body stand in the text, and `linalg.index` inside."""

from __future__ import annotations

from typing import Self, cast

from xdsl.dialects import linalg
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from compiler.dialects.linalg.form_parts import (
    parse_operands,
    parse_results,
)
from compiler.dialects.linalg.named_form import Maps


@irdl_op_definition
class GenericOp(LinalgStructuredOperation):
    """As xDSL's, which reads one result only."""

    name = "linalg.generic"
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    iterator_types = prop_def(ArrayAttr[IteratorTypeAttr])
    doc = opt_prop_def(StringAttr)
    library_call = opt_prop_def(StringAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def get_indexing_maps(self) -> Maps:
        """Those of the text."""
        return self.indexing_maps

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """Those of the text."""
        return self.iterator_types

    def print(self, printer: Printer) -> None:
        """As xDSL does."""
        linalg.ops.GenericOp.print(cast(linalg.ops.GenericOp, self), printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`linalg.generic {maps, iterators} ins(...) outs(...) [attrs = {...}] {body} [-> types]`."""
        at = parser.pos
        given = parser.parse_optional_attr_dict()
        maps, iterators = given.pop("indexing_maps", None), given.pop("iterator_types", None)
        if not isinstance(maps, ArrayAttr) or not isinstance(iterators, ArrayAttr):
            parser.raise_error("linalg.generic needs indexing_maps and iterator_types", at, parser.pos)
        kinds = [_iterator(kind, parser) for kind in iterators]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        names = {name: given.pop(name) for name in ("doc", "library_call") if isinstance(given.get(name), StringAttr)}
        ins, outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            given |= parser.parse_optional_attr_dict()
        body = parser.parse_region()
        return cls.build(
            operands=(ins, outs),
            result_types=(parse_results(parser),),
            properties={"indexing_maps": maps, "iterator_types": ArrayAttr(kinds), **names},  # pyright: ignore[reportUnknownArgumentType]
            attributes=given,
            regions=(body,),
        )


def _iterator(kind: Attribute, parser: Parser) -> IteratorTypeAttr:
    if isinstance(kind, IteratorTypeAttr):
        return kind
    if isinstance(kind, StringAttr) and kind.data in set(IteratorType):
        return IteratorTypeAttr(IteratorType(kind.data))
    parser.raise_error(f"there is no iterator type {kind}")


@irdl_op_definition
class IndexOp(IRDLOperation):
    """`linalg.index 1 : index`: the counter of a loop."""

    name = "linalg.index"
    dim = prop_def(IntegerAttr[I64])
    result = result_def(IndexType)
    assembly_format = "$dim attr-dict `:` type($result)"
