"""Operations of `memref` and `bufferization` that xDSL lacks, or reads in one of their forms alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException


def _of(value: SSAValue) -> MemRefType[Attribute]:
    """The type of a memref, or of a tensor, which has elements and a shape as well."""
    return cast("MemRefType[Attribute]", value.type)


class _AllocOp(IRDLOperation):
    """Memory, of sizes that its type or operands say; xDSL's reads no alignment but one in braces."""

    dynamic_sizes = var_operand_def(IndexType)
    symbol_operands = var_operand_def(IndexType)
    memref = result_def(MemRefType)
    alignment = opt_prop_def(IntegerAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def of(cls, sizes: Sequence[SSAValue], kind: MemRefType[Attribute]) -> Self:
        """One of a type whose open sizes are values."""
        return cls.build(operands=[list(sizes), []], result_types=[kind])

    def verify_(self) -> None:
        """An operand for each open size."""
        shape = _of(self.memref).get_shape()
        if len(self.dynamic_sizes) != sum(size < 0 for size in shape):
            raise VerifyException(f"has {len(self.dynamic_sizes)} sizes for a {self.memref.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """`(%n)[%s] {alignment = 64 : i64} : memref<?x2xf32>`, or `(%n) alignment = 64 : ...`."""
        sizes = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        symbols = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        properties = dict[str, Attribute]()
        if parser.parse_optional_keyword("alignment"):
            parser.parse_punctuation("=")
            properties["alignment"] = IntegerAttr(parser.parse_integer(), i64)
        attributes = parser.parse_optional_attr_dict()
        if "alignment" in attributes:
            properties["alignment"] = attributes.pop("alignment")
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        groups = [[parser.resolve_operand(name, IndexType()) for name in names] for names in (sizes, symbols or ())]
        return cls.build(operands=groups, result_types=[kind], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """With the alignment in braces, which all versions read."""
        with printer.in_parens():
            printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        if self.symbol_operands:
            with printer.in_square_brackets():
                printer.print_list(self.symbol_operands, printer.print_ssa_value)
        aligned = {} if self.alignment is None else {"alignment": self.alignment}
        printer.print_op_attributes(aligned | self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


@irdl_op_definition
class AllocOp(_AllocOp):
    """Memory until it is freed."""

    name = "memref.alloc"


@irdl_op_definition
class AllocaOp(_AllocOp):
    """Memory of a function."""

    name = "memref.alloca"


@irdl_op_definition
class CastOp(IRDLOperation):
    """The same elements under a type that says more, or less, of their sizes and strides."""

    name = "memref.cast"
    source = operand_def(MemRefType)
    dest = result_def(MemRefType)
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def verify_(self) -> None:
        """Elements and rank stay."""
        source, dest = _of(self.source), _of(self.dest)
        same_rank = len(source.get_shape()) == len(dest.get_shape())
        if source.get_element_type() != dest.get_element_type() or not same_rank:
            raise VerifyException(f"casts a {source} to a {dest}: elements and rank stay as they are")


@irdl_op_definition
class CopyOp(IRDLOperation):
    """Copies all elements."""

    name = "memref.copy"
    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)
    assembly_format = "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"

    def verify_(self) -> None:
        """Of one type."""
        source, dest = _of(self.source), _of(self.destination)
        if source.get_element_type() != dest.get_element_type():
            raise VerifyException(f"copies a {source} to a {dest}: elements have to be of one type")


@irdl_op_definition
class RankOp(IRDLOperation):
    """The number of dimensions."""

    name = "memref.rank"
    source = operand_def(MemRefType)
    rank = result_def(IndexType)
    assembly_format = "$source attr-dict `:` type($source)"


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """`memref.global "private" constant @name : memref<2xi32> = dense<[1, 2]>`, or `= uninitialized`, or no value."""

    name = "memref.global"
    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def(UnitAttr | DenseIntOrFPElementsAttr | DenseResourceAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr)
    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        """What upstream prints."""
        visibility = parser.parse_optional_str_literal()
        constant = parser.parse_optional_keyword("constant")
        properties: dict[str, Attribute] = {"sym_name": parser.parse_symbol_name()}
        if visibility is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if constant is not None:
            properties["constant"] = UnitAttr()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, MemRefType):
            parser.raise_error(f"a memref.global has a memref type, not {kind}")
        properties["type"] = kind
        if parser.parse_optional_punctuation("="):
            properties["initial_value"] = _initial_value(parser, TensorType(kind.get_element_type(), kind.get_shape()))
        attributes = parser.parse_optional_attr_dict()
        if "alignment" in attributes:
            properties["alignment"] = attributes.pop("alignment")
        return cls.create(properties=properties, attributes=attributes)


def _initial_value(parser: Parser, kind: TensorType[Attribute]) -> Attribute:
    """`uninitialized`, or a constant whose type is not told again."""
    if parser.parse_optional_keyword("uninitialized"):
        return UnitAttr()
    if parser.parse_optional_keyword("dense_resource"):
        with parser.in_angle_brackets():
            return DenseResourceAttr(StringAttr(parser.parse_identifier(" for resource handle")), kind)  # pyright: ignore[reportArgumentType]
    parser.parse_keyword("dense")
    return parser.parse_dense_int_or_fp_elements_attr(kind)  # pyright: ignore[reportArgumentType]


class _BetweenOp(IRDLOperation):
    """An operation between a tensor and a memref, of the same elements and sizes."""

    def sides(self) -> tuple[SSAValue, SSAValue]:
        """The two."""
        return self.operands[0], self.results[0]

    def verify_(self) -> None:
        """What they have in common."""
        one, other = map(_of, self.sides())
        if (one.get_element_type(), one.get_shape()) != (other.get_element_type(), other.get_shape()):
            raise VerifyException(f"goes from a {one} to a {other}: elements and sizes stay as they are")


@irdl_op_definition
class ToTensorOp(_BetweenOp):
    """The elements of a memref as they are now; xDSL's takes none with strides. `to type` may be left out."""

    name = "bufferization.to_tensor"
    memref = operand_def(MemRefType)
    tensor = result_def(TensorType)
    restrict = opt_prop_def(UnitAttr)
    writable = opt_prop_def(UnitAttr)

    @classmethod
    def parse(cls, parser: Parser) -> ToTensorOp:
        """`%m restrict writable : memref<...> to tensor<...>`."""
        name = parser.parse_unresolved_operand()
        flags = {word: UnitAttr() for word in ("restrict", "writable") if parser.parse_optional_keyword(word)}
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        made = parser.parse_type() if parser.parse_optional_keyword("to") else _as_tensor(kind)
        operand = parser.resolve_operand(name, kind)
        return cls.create(operands=[operand], result_types=[made], properties=flags, attributes=attributes)

    def print(self, printer: Printer) -> None:
        """What upstream reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        for word in ("restrict", "writable"):
            if word in self.properties:
                printer.print_string(f" {word}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
        printer.print_string(" to ")
        printer.print_attribute(self.tensor.type)


class _ToMemRef(_BetweenOp):
    """A memref with the elements of a tensor."""

    tensor = operand_def(TensorType)
    memref = result_def(MemRefType)
    read_only = opt_prop_def(UnitAttr)


@irdl_op_definition
class ToBufferOp(_ToMemRef):
    """`%t read_only : tensor<...> to memref<...>`."""

    name = "bufferization.to_buffer"
    assembly_format = "$tensor (`read_only` $read_only^)? attr-dict `:` type($tensor) `to` type($memref)"


@irdl_op_definition
class ToMemRefOp(_ToMemRef):
    """The older name; `%t : memref<...>` alone is its older form."""

    name = "bufferization.to_memref"

    @classmethod
    def parse(cls, parser: Parser) -> ToMemRefOp:
        """Either form."""
        name = parser.parse_unresolved_operand()
        flags = {"read_only": UnitAttr()} if parser.parse_optional_keyword("read_only") else {}
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = made = parser.parse_type()
        if parser.parse_optional_keyword("to"):
            made = parser.parse_type()
        operand = parser.resolve_operand(name, _as_tensor(kind) if kind is made else kind)
        return cls.create(operands=[operand], result_types=[made], properties=flags, attributes=attributes)


@irdl_op_definition
class MaterializeOp(IRDLOperation):
    """Puts the elements of a tensor into a memref, or in the place of those of a tensor."""

    name = "bufferization.materialize_in_destination"
    source = operand_def(TensorType)
    dest = operand_def(TensorType | MemRefType)
    result = opt_result_def(TensorType)
    restrict = opt_prop_def(UnitAttr)
    writable = opt_prop_def(UnitAttr)
    assembly_format = (
        "$source `in` (`restrict` $restrict^)? (`writable` $writable^)? $dest attr-dict"
        " `:` functional-type(operands, results)"
    )

    def verify_(self) -> None:
        """Elements of one type."""
        source, dest = _of(self.source), _of(self.dest)
        if source.get_element_type() != dest.get_element_type() or len(source.get_shape()) != len(dest.get_shape()):
            raise VerifyException(f"puts a {source} into a {dest}")


def _as_tensor(kind: Attribute) -> Attribute:
    return TensorType(kind.get_element_type(), kind.get_shape()) if isinstance(kind, MemRefType) else kind


MEMREF: tuple[type[Operation], ...] = (AllocOp, AllocaOp, CastOp, CopyOp, RankOp, GlobalOp)
BUFFERIZATION: tuple[type[Operation], ...] = (ToTensorOp, ToBufferOp, ToMemRefOp, MaterializeOp)
