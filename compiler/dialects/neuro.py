"""The `neuro` dialect: NeuroBoard's calls, with tensors or memrefs.

An allocation is a flat array, in which matrices [results, inputs] are written at offsets; a product multiplies by the
matrix that was written at an offset, and adds to what is there.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType, MemRefType, TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

_SHAPED = TensorType | MemRefType


@irdl_op_definition
class AllocOp(IRDLOperation):
    """Room for as many elements; the result stands for it."""

    name = "neuro.alloc"
    size = operand_def(IndexType)
    handle = result_def(IndexType)
    assembly_format = "$size attr-dict `:` type($handle)"


@irdl_op_definition
class WriteMatrixOp(IRDLOperation):
    """Writes a matrix [results, inputs] at an offset; matrices that it overlaps are gone.

    Its products have elements of `sums`, or else of its own type.
    """

    name = "neuro.write_matrix"
    handle = operand_def(IndexType)
    offset = operand_def(IndexType)
    matrix = operand_def(_SHAPED)
    sums = opt_prop_def(Attribute)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$handle `,` $offset `,` $matrix attr-dict `:` type($handle) `,` type($offset) `,` type($matrix)"

    def verify_(self) -> None:
        """A matrix."""
        kind: Any = self.matrix.type
        if len(kind.get_shape()) != 2:
            raise VerifyException(f"writes a matrix, not a {kind}")


@irdl_op_definition
class MatvecOp(IRDLOperation):
    """`out += weights[handle][offset : offset + in.size * out.size].reshape(out.size, in.size) @ in`.

    `in` is a vector, `out` a matrix of as many elements as the product has; with tensors the sum is the result.
    """

    name = "neuro.matvec"
    handle = operand_def(IndexType)
    offset = operand_def(IndexType)
    vector = operand_def(_SHAPED)
    out = operand_def(_SHAPED)
    result = opt_result_def(TensorType)
    assembly_format = (
        "$handle `,` $offset `,` $vector `,` $out attr-dict `:` type($handle) `,` type($offset) `,` type($vector)"
        " `,` type($out) (`->` type($result)^)?"
    )

    def verify_(self) -> None:
        """A vector and a matrix, both tensors or both memrefs."""
        vector, out = self.vector.type, self.out.type
        ranks = [len(kind.get_shape()) for kind in (vector, out)]  # pyright: ignore
        if ranks != [1, 2]:
            raise VerifyException(f"multiplies a vector into a matrix, not a {vector} into a {out}")
        made = self.result.type if self.result is not None else None
        wanted = out if isinstance(out, TensorType) else None
        if type(vector) is not type(out) or made != wanted:
            raise VerifyException(f"adds to a {out}, which is not the {made or 'nothing'} that it makes")


Neuro = Dialect("neuro", [AllocOp, WriteMatrixOp, MatvecOp], [])
