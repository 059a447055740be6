"""The `memristor` dialect: calls of a device on memrefs, whose crossbars are numbers of the host's choice (Cinnamon).

A number stands for crossbars of the size and the types of what was last written to it; results are filled by a barrier.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import I32, FixedBitwidthType, IntegerType, MemRefType, f16, f32, i8, i16, i32, i64
from xdsl.ir import Attribute, Dialect, SSAValue, TypeAttribute
from xdsl.irdl import base, irdl_op_definition, operand_def, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.assembly import WrittenOp

HELD: tuple[FixedBitwidthType, ...] = (i8, i16, i32, i64, f16, f32)
# What matrices hold, and of which type sums of products are: of the same, or of a wider one.
PAIRS: tuple[tuple[Attribute, Attribute], ...] = tuple(
    (held, sums)
    for held in HELD
    for sums in HELD
    if held == sums
    or (isinstance(held, IntegerType) is isinstance(sums, IntegerType) and held.bitwidth < sums.bitwidth)
)


class NumberedOp(WrittenOp):
    """An operation whose first operand is the number of its crossbars."""


@irdl_op_definition
class WriteOp(NumberedOp):
    """Writes a matrix; returns when it is there. `sums` is the type of its products, if it is another one.

    Crossbars of another size, or of other types, are given back before.
    """

    name = "memristor.write_to_crossbar"
    xbar = operand_def(I32)
    rhs = operand_def(MemRefType)
    sums = opt_prop_def(base(TypeAttribute))

    @property
    def types(self) -> tuple[Attribute, Attribute]:
        """Of elements and of sums."""
        held = element(self.rhs)
        return held, held if self.sums is None else cast(Attribute, self.sums)

    def verify_(self) -> None:
        """A matrix of a type that crossbars hold."""
        _verify_rank(self.rhs, 2)
        held, sums = self.types
        if (held, sums) not in PAIRS:
            raise VerifyException(f"crossbars hold no {held} with sums of {sums}: use i8, i16, i32, i64, f16 or f32")


class ProductOp(NumberedOp):
    """`lhs` times the matrix that was written last, into `result`; returns at once."""

    RANK: ClassVar[int]

    def verify_(self) -> None:
        """Matrices, or vectors, of types that go together."""
        for value in self.operands[1:]:
            _verify_rank(value, self.RANK)
        held, sums = map(element, self.operands[1:])
        if (held, sums) not in PAIRS:
            raise VerifyException(f"no crossbars make {sums} of {held}: use i8, i16, i32, i64, f16 or f32")


@irdl_op_definition
class GemmOp(ProductOp):
    """Of the rows of a matrix."""

    name = "memristor.gemm"
    RANK: ClassVar[int] = 2
    xbar = operand_def(I32)
    lhs = operand_def(MemRefType)
    result = operand_def(MemRefType)


@irdl_op_definition
class GevmOp(ProductOp):
    """Of one vector."""

    name = "memristor.gevm"
    RANK: ClassVar[int] = 1
    xbar = operand_def(I32)
    lhs = operand_def(MemRefType)
    result = operand_def(MemRefType)


@irdl_op_definition
class BarrierOp(NumberedOp):
    """Waits for all products of the crossbars, and fills their results."""

    name = "memristor.barrier"
    xbar = operand_def(I32)


@irdl_op_definition
class ReleaseOp(NumberedOp):
    """Gives the crossbars back; products that are under way are finished."""

    name = "memristor.release"
    xbar = operand_def(I32)


def element(value: SSAValue) -> Attribute:
    """The type of the elements of a memref."""
    return cast("MemRefType[Attribute]", value.type).get_element_type()


def _verify_rank(value: SSAValue, rank: int) -> None:
    kind: Any = value.type
    if len(kind.get_shape()) != rank:
        raise VerifyException(f"takes a {'matrix' if rank != 1 else 'vector'}, not a {kind}")


Memristor = Dialect("memristor", [WriteOp, GemmOp, GevmOp, BarrierOp, ReleaseOp], [])
