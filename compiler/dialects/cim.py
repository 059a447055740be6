"""The `cim` dialect: calls of a device whose crossbars a host program writes and multiplies by.

OCC's and Cinnamon's dialects of this name, as one: crossbars are values, products are futures, a barrier waits for one.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, param_def, result_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.assembly import WrittenOp

_RANK = 2


@irdl_attr_definition
class CrossbarType(ParametrizedAttribute, TypeAttribute):
    """Crossbars for matrices of up to the shape of `matrix`, whose products have elements of type `sums`."""

    name = "cim.crossbar"
    matrix: TensorType[Attribute] = param_def()
    sums: Attribute = param_def()

    def verify(self) -> None:
        """A matrix of known size."""
        shape = self.matrix.get_shape()
        if len(shape) != _RANK or min(shape) < 1:
            raise VerifyException(f"a crossbar holds a matrix of known size, not a {self.matrix}")


@irdl_attr_definition
class FutureType(ParametrizedAttribute, TypeAttribute):
    """A product that is under way."""

    name = "cim.future"
    value: TensorType[Attribute] = param_def()


@irdl_op_definition
class AcquireOp(WrittenOp):
    """Crossbars for a matrix, on some core."""

    name = "cim.acquire"
    crossbar = result_def(CrossbarType)


@irdl_op_definition
class WriteOp(WrittenOp):
    """Writes a matrix into the first rows and columns, and zeros into the others; returns when it is there."""

    name = "cim.write"
    crossbar = operand_def(CrossbarType)
    matrix = operand_def(TensorType)

    def verify_(self) -> None:
        """A matrix that fits."""
        _verify_tile("matrix", self.matrix.type, self.crossbar.type)


@irdl_op_definition
class GemmOp(WrittenOp):
    """The rows of `lhs` times the matrix that was written last; returns at once."""

    name = "cim.gemm"
    crossbar = operand_def(CrossbarType)
    lhs = operand_def(TensorType)
    future = result_def(FutureType)

    def verify_(self) -> None:
        """Elements as the crossbar takes and makes them."""
        crossbar: Any = self.crossbar.type
        made: Any = self.future.type
        _verify_tile("lhs", self.lhs.type, crossbar, rows=False)
        if made.value.get_element_type() != crossbar.sums or len(made.value.get_shape()) != _RANK:
            raise VerifyException(f"makes a matrix of {crossbar.sums}, not a {made.value}")


@irdl_op_definition
class BarrierOp(WrittenOp):
    """Waits for a product."""

    name = "cim.barrier"
    future = operand_def(FutureType)
    value = result_def(TensorType)

    def verify_(self) -> None:
        """The type that was promised."""
        promised: Any = self.future.type
        if promised.value != self.value.type:
            raise VerifyException(f"waits for a {promised.value}, not for a {self.value.type}")


@irdl_op_definition
class ReleaseOp(WrittenOp):
    """Gives crossbars back."""

    name = "cim.release"
    crossbar = operand_def(CrossbarType)


def _verify_tile(role: str, tile: Any, crossbar: Any, rows: bool = True) -> None:
    """Raise VerifyException unless a tile has the element type of the crossbar, and no more rows and columns."""
    held = crossbar.matrix
    if tile.get_element_type() != held.get_element_type() or len(tile.get_shape()) != _RANK:
        raise VerifyException(f"{role} must be a matrix of {held.get_element_type()}, not a {tile}")
    most = held.get_shape() if rows else (tile.get_shape()[0], held.get_shape()[0])
    if any(size > limit for size, limit in zip(tile.get_shape(), most, strict=True)):
        raise VerifyException(f"{role} is a {tile}, larger than the {held} of the crossbar: tile it")


Cim = Dialect("cim", [AcquireOp, WriteOp, GemmOp, BarrierOp, ReleaseOp], [CrossbarType, FutureType])
