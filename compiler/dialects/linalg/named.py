"""The classes of named operations, made of the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    ShapedType,
    StringAttr,
)
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.parser import Parser

from compiler.dialects.linalg.attributes import ElementwiseKindAttr
from compiler.dialects.linalg.bodies import ELEMENTWISE
from compiler.dialects.linalg.named_form import NamedOp
from compiler.dialects.linalg.named_table import ROWS, NamedRow


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


@irdl_op_definition
class WindowOp(TableOp):
    """A row with windows."""

    name = "linalg.windows"
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
    FUNCTION: ClassVar[str]

    @classmethod
    def body_name(cls, attributes: dict[str, Attribute], parser: Parser) -> str:
        """Its function."""
        return f"elementwise {cls.FUNCTION}"


@irdl_op_definition
class ElementwiseOp(_Elementwise):
    """`linalg.elementwise kind=#linalg.elementwise_kind<add>`, or shorter `<add>`; operands may have maps."""

    name = "linalg.elementwise"
    IN_FRONT: ClassVar[tuple[str, ...]] = ("kind", "indexing_maps")
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
