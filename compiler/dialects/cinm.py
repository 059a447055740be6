"""The `cinm` dialect: products that some device may do, before it is said when and on which crossbars (Cinnamon)."""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.utils import AbstractYieldOperation
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    region_def,
    result_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.assembly import WrittenOp

_RANK = 2


@irdl_op_definition
class YieldOp(AbstractYieldOperation[Attribute]):
    """Ends a block of products: what leaves it."""

    name = "cinm.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(ComputeOp)))


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """A block of products, and what the host computes between them: `cinm.compute -> type { ...; cinm.yield }`.

    What leaves it says what has to be scheduled.
    """

    name = "cinm.compute"
    made = var_result_def()
    body = region_def("single_block")

    def print(self, printer: Printer) -> None:
        """Types of what leaves it, attributes, the block."""
        if self.results:
            printer.print_string(" -> ")
            printer.print_list(self.result_types, printer.print_attribute)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        """Read what `print` writes; raises ParseError."""
        types = list[Attribute]()
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        return cls.create(result_types=types, regions=[body], attributes=attributes.data if attributes else {})

    def verify_(self) -> None:
        """No arguments, and results of the types that leave it."""
        last = self.body.block.last_op
        if self.body.block.args:
            raise VerifyException("is given nothing: its block takes no arguments")
        if not isinstance(last, YieldOp) or [value.type for value in last.operands] != list(self.result_types):
            raise VerifyException("makes what its cinm.yield hands on, of the same types")


class _Product(WrittenOp):
    """A product of a matrix that crossbars hold."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    RANKS: ClassVar[tuple[int, int, int]]

    @property
    def matrix(self) -> SSAValue:
        """The factor that crossbars hold."""
        raise NotImplementedError

    def verify_(self) -> None:
        """Factors of known sizes that fit, of one type."""
        types: list[Any] = [value.type for value in (self.lhs, self.rhs, self.result)]
        shapes = [tuple(kind.get_shape()) for kind in types]
        ranks = tuple(len(shape) for shape in shapes)
        if ranks != self.RANKS or any(min(shape, default=0) < 1 for shape in shapes):
            raise VerifyException(f"multiplies factors of known sizes, with {self.RANKS} dimensions, not {ranks}")
        if shapes[0][-1] != shapes[1][0] or (*shapes[0][:-1], *shapes[1][1:]) != shapes[2]:
            left, right, made = (" x ".join(map(str, shape)) for shape in shapes)
            raise VerifyException(f"multiplies {left} by {right}, which does not make {made}")
        if types[0].get_element_type() != types[1].get_element_type():
            raise VerifyException("multiplies factors of two types: widen one of them")


@irdl_op_definition
class GemmOp(_Product):
    """`lhs` [m, k] times `rhs` [k, n], with sums of the type of the result; crossbars hold `rhs`."""

    name = "cinm.gemm"
    RANKS: ClassVar[tuple[int, int, int]] = (_RANK, _RANK, _RANK)

    @property
    def matrix(self) -> SSAValue:
        """The second factor."""
        return self.rhs


@irdl_op_definition
class GemvOp(_Product):
    """`lhs` [m, k] times the vector `rhs` [k], with sums of the type of the result; crossbars hold `lhs` [k, m]."""

    name = "cinm.gemv"
    RANKS: ClassVar[tuple[int, int, int]] = (_RANK, 1, 1)

    @property
    def matrix(self) -> SSAValue:
        """The first factor, which stands there transposed."""
        return self.lhs


PRODUCTS = (GemmOp, GemvOp)
Cinm = Dialect("cinm", [ComputeOp, YieldOp, GemmOp, GemvOp], [])
