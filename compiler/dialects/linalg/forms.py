"""Structured operations whose maps follow from their operands: map, reduce, broadcast; and softmax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ShapedType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation, NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    SameVariadicOperandSize,
    irdl_op_definition,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser

from compiler.dialects.linalg.bodies import region_of
from compiler.dialects.linalg.form_parts import (
    element,
    parse_body,
    parse_numbers,
    parse_operands,
    parse_results,
    parse_short,
    results_of,
    short_region,
)
from compiler.dialects.linalg.named_form import Maps

_KINDS = (IteratorTypeAttr.reduction(), IteratorTypeAttr.parallel())


class _BodyOp(LinalgStructuredOperation):
    """An operation whose maps follow from its operands."""

    def maps(self) -> Sequence[AffineMap]:
        """A map for each operand."""
        raise NotImplementedError

    def get_indexing_maps(self) -> Maps:
        """As attributes."""
        return ArrayAttr([AffineMapAttr(each) for each in self.maps()])

    def rank_of(self, value: SSAValue) -> int:
        """The number of dimensions; 0 of a scalar."""
        return len(value.type.get_shape()) if isinstance(value.type, ShapedType) else 0


class _DimensionsOp(_BodyOp):
    """An operation that names dimensions behind its operands."""

    dimensions = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (SameVariadicOperandSize(), ParsePropInAttrDict())

    @classmethod
    def parse_rest(cls, parser: Parser, body_of: Callable[[list[SSAValue], list[SSAValue]], Region]) -> Self:
        """`ins(...) outs(...) dimensions = [1] {...}`, and then what `body_of` inputs and results makes of the text."""
        ins, outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        properties: dict[str, Attribute] = {"dimensions": parse_numbers(parser, "dimensions")}
        attributes = parser.parse_optional_attr_dict()
        return cls.build(
            operands=(ins, outs),
            result_types=(results_of(outs),),
            properties=properties,
            attributes=attributes,
            regions=(body_of(ins, outs),),
        )


@irdl_op_definition
class MapOp(_BodyOp):
    """`linalg.map { arith.addf } ins(...) outs(...)`, or with a body; its body takes the inputs alone."""

    name = "linalg.map"
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Either form, also the one in which the body takes the old element of the result, too."""
        short = parse_short(parser)
        ins, outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        attributes = parser.parse_optional_attr_dict()
        types = [element(value.type) for value in (*ins, *outs)]
        if short is not None:
            body = short_region(parser, short, types, types[: len(ins)], types[-1])
        else:
            body = parse_body(parser)
            for kind in types[len(body.block.args) :]:
                body.block.insert_arg(kind, len(body.block.args))
        results = results_of(outs)
        return cls.build(operands=(ins, outs), result_types=(results,), attributes=attributes, regions=(body,))

    def maps(self) -> Sequence[AffineMap]:
        """Each element."""
        return [AffineMap.identity(self.rank_of(self.outputs[0]))] * len(self.operands)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """All parallel."""
        return ArrayAttr([IteratorTypeAttr.parallel()] * self.rank_of(self.outputs[0]))


@irdl_op_definition
class ReduceOp(_DimensionsOp):
    """`linalg.reduce { arith.addf } ins(...) outs(...) dimensions = [1]`, or with a body; of one tensor or several."""

    name = "linalg.reduce"

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Either form."""
        short = parse_short(parser)

        def body_of(ins: list[SSAValue], outs: list[SSAValue]) -> Region:
            types = [element(value.type) for value in (*ins, *outs)]
            return parse_body(parser) if short is None else short_region(parser, short, types, types[::-1], types[-1])

        return cls.parse_rest(parser, body_of)

    def maps(self) -> Sequence[AffineMap]:
        """All dimensions of the inputs, the kept ones of the results."""
        rank, dropped = self.rank_of(self.inputs[0]), self.dimensions.get_values()
        kept = [AffineExpr.dimension(dim) for dim in range(rank) if dim not in dropped]
        inputs = [AffineMap.identity(rank)] * len(self.inputs)
        return [*inputs, *[AffineMap(rank, 0, tuple(kept))] * len(self.outputs)]

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """The dimensions that it names are reductions."""
        dropped = self.dimensions.get_values()
        return ArrayAttr([_KINDS[dim not in dropped] for dim in range(self.rank_of(self.inputs[0]))])


@irdl_op_definition
class BroadcastOp(_DimensionsOp):
    """`linalg.broadcast ins(...) outs(...) dimensions = [0]`: the result has these dimensions more."""

    name = "linalg.broadcast"

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Operands, then the dimensions; its body copies."""
        return cls.parse_rest(
            parser, lambda ins, outs: region_of(NamedOperation.body_arg_types([*ins, *outs]), "elementwise copy")
        )

    def maps(self) -> Sequence[AffineMap]:
        """The dimensions that the input has."""
        rank, added = self.rank_of(self.outputs[0]), self.dimensions.get_values()
        kept = tuple(AffineExpr.dimension(dim) for dim in range(rank) if dim not in added)
        return [AffineMap(rank, 0, kept), AffineMap.identity(rank)]

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        """All parallel."""
        return ArrayAttr([IteratorTypeAttr.parallel()] * self.rank_of(self.outputs[0]))


@irdl_op_definition
class SoftmaxOp(IRDLOperation):
    """`linalg.softmax dimension(1) ins(...) outs(...) -> type`."""

    name = "linalg.softmax"
    inputs = var_operand_def(TensorType | MemRefType)
    outputs = var_operand_def(TensorType | MemRefType)
    res = var_result_def(TensorType)
    dimension = prop_def(IntegerAttr[IntegerType])
    irdl_options = (SameVariadicOperandSize(), ParsePropInAttrDict())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """The dimension, then operands and the type."""
        attributes = parser.parse_optional_attr_dict()
        parser.parse_keyword("dimension")
        with parser.in_parens():
            dimension = parser.parse_integer()
        ins, outs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        return cls.build(
            operands=(ins, outs),
            result_types=(parse_results(parser),),
            properties={"dimension": IntegerAttr(dimension, i64)},
            attributes=attributes,
        )
