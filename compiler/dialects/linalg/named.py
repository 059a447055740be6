"""The classes of named operations, made of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    ShapedType,
    StringAttr,
)
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, opt_attr_def, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from compiler.dialects.linalg.attributes import ElementwiseKindAttr, TypeFnAttr
from compiler.dialects.linalg.bodies import ELEMENTWISE, region_of
from compiler.dialects.linalg.named_table import ROWS, NamedRow

Maps = ArrayAttr[AffineMapAttr]


class NamedOp(NamedOperation):
    """A named operation: attributes in front, in any order; `ins`, `outs`, and the types of the results."""

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
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
        """As xDSL does, with the maps, which it leaves out."""
        if self.indexing_maps is not None:
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.indexing_maps)
        super().print(printer)

    def get_indexing_maps(self) -> Maps:
        """Those that stand in the text, else those of the table."""
        return self.indexing_maps or super().get_indexing_maps()


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


class TableOp(NamedOp):
    """An operation of `ROWS`."""

    ROW: ClassVar[NamedRow]

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """As the row says."""
        return cls.ROW.body

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        """As the row says, with the strides and dilations of the operation."""
        row = self.ROW
        place = {letter: AffineExpr.dimension(dim) for dim, letter in enumerate(row.dims)}
        steps = dict(
            zip(
                row.windows,
                zip(
                    _numbers(self.properties.get("strides"), len(row.windows)),
                    _numbers(self.properties.get("dilations"), len(row.windows)),
                    strict=True,
                ),
                strict=True,
            )
        )

        def expression(index: str) -> AffineExpr:
            if index not in steps:
                return place[index]
            outer, inner = (place[letter] for letter in index.split(":"))
            stride, dilation = steps[index]
            return (outer * stride if stride != 1 else outer) + (inner * dilation if dilation != 1 else inner)

        return [AffineMap(len(row.dims), 0, tuple(map(expression, indices))) for indices in row.operands]

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """As the row says."""
        reductions = self.ROW.reductions
        kinds = (IteratorTypeAttr.reduction(), IteratorTypeAttr.parallel())
        return ArrayAttr([kinds[dim not in reductions] for dim in range(len(self.ROW.dims))])


def _numbers(attribute: Attribute | None, count: int) -> list[int]:
    """Strides or dilations: one for each window, or one for all; 1 where there are none."""
    if isinstance(attribute, DenseArrayBase):
        values = [int(value) for value in attribute.get_values()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportUnknownMemberType]
    elif attribute is None:
        values = [1]
    else:
        values = [int(value) for value in np.asarray(attribute.get_values()).reshape(-1)]  # pyright: ignore
    return values * count if len(values) == 1 else values


@irdl_op_definition
class RowOp(TableOp):
    """A row without windows."""

    name = "linalg.row"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True


@irdl_op_definition
class WindowOp(TableOp):
    """A row with windows."""

    name = "linalg.windows"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
    strides = opt_prop_def(DenseIntElementsAttr | DenseArrayBase)
    dilations = opt_prop_def(DenseIntElementsAttr | DenseArrayBase)


class _Elementwise(NamedOp):
    """A function of elements of operands of one shape."""

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        """Each element, and scalars for all of them."""
        kinds = [operand.type for operand in self.operands]
        ranks = [len(kind.get_shape()) if isinstance(kind, ShapedType) else 0 for kind in kinds]
        return [
            AffineMap.identity(ranks[-1]) if isinstance(kind, ShapedType) else AffineMap(ranks[-1], 0, ())
            for kind in kinds
        ]

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """All parallel."""
        return ArrayAttr([IteratorTypeAttr.parallel()] * self.get_num_loops())


@irdl_op_definition
class FunctionOp(_Elementwise):
    """`linalg.exp` and the like."""

    name = "linalg.function"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
    FUNCTION: ClassVar[str]

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """Its function."""
        return f"elementwise {cls.FUNCTION}"


@irdl_op_definition
class ElementwiseOp(_Elementwise):
    """`linalg.elementwise kind=#linalg.elementwise_kind<add>`, or shorter `<add>`; operands may have maps."""

    name = "linalg.elementwise"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True
    kind = opt_prop_def(ElementwiseKindAttr)

    @classmethod
    def parse_front(cls, parser: Parser) -> dict[str, Attribute]:
        """The function, and what any operation may have."""
        attributes = dict[str, Attribute]()
        if parser.parse_optional_keyword("kind"):
            parser.parse_punctuation("=")
            attributes["kind"] = parser.parse_attribute()
        else:
            with parser.in_angle_brackets():
                attributes["kind"] = ElementwiseKindAttr(StringAttr(parser.parse_identifier()))
        return attributes | super().parse_front(parser)

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """Its kind."""
        kind = attributes.get("kind")
        word = kind.word.data if isinstance(kind, ElementwiseKindAttr) else ""
        if word not in ELEMENTWISE:
            parser.raise_error(f"there is no elementwise function '{word}'")
        return f"elementwise {word}"


@irdl_op_definition
class ContractOp(NamedOp):
    """`linalg.contract indexing_maps = [...]`: a sum of products by its maps."""

    name = "linalg.contract"
    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """A product."""
        if "indexing_maps" not in attributes:
            parser.raise_error("linalg.contract needs indexing_maps")
        return "multiply"

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        """None: they stand in the text."""
        return ()

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """What the result is indexed by is parallel."""
        *_, result = self.get_indexing_maps()
        kinds = (IteratorTypeAttr.reduction(), IteratorTypeAttr.parallel())
        kept = result.data.used_dims()
        return ArrayAttr([kinds[dim in kept] for dim in range(result.data.num_dims)])


def _named(base: type[NamedOp], name: str, doc: str, **fields: object) -> type[NamedOp]:
    """`linalg.NAME`: what `base` is defined as, with no definition of its own, which would take longer to make."""
    return type(name, (base,), {"__doc__": doc, "__module__": __name__, "name": f"linalg.{name}", **fields})


def _named_op(row: NamedRow) -> type[NamedOp]:
    return _named(WindowOp if row.windows else RowOp, row.name, f"{row.spec}: {row.body}.", ROW=row)


def _function_op(name: str) -> type[NamedOp]:
    return _named(FunctionOp, name, f"{name} of elements.", FUNCTION=name)


NAMED_OPS: tuple[type[NamedOp], ...] = (
    *map(_named_op, ROWS),
    *(_function_op(name) for name in ELEMENTWISE if not name.endswith("unsigned") or name == "div_unsigned"),
    ElementwiseOp,
    ContractOp,
)
