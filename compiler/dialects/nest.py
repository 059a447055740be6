"""Dialect `nest`: structured nests on tensors, as import functions and other front ends make them."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, DictionaryAttr, StringAttr, TensorType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.nest_attributes import nest_of
from compiler.dialects.onnx_op import SingleOp
from compiler.dialects.types import dtype_of
from compiler.nests.nest import Nest


@irdl_op_definition
class GenericOp(SingleOp):
    """A nest of loops around a body of scalar functions, in the form of `linalg.generic`.

    `maps` tell which element of each operand, and of the result, a point of the space `sizes` has; `iterators` are
    "parallel" or "reduction", whose values are put together by `combine`. `body` is a list of steps, each a function of
    values before it: the operands' elements are numbers 0, 1, ..., the steps follow.
    """

    name = "nest.generic"
    inputs = var_operand_def(TensorType)
    sizes = prop_def(DenseArrayBase)
    iterators = prop_def(ArrayAttr[StringAttr])
    maps = prop_def(ArrayAttr[AffineMapAttr])
    body = prop_def(ArrayAttr[DictionaryAttr])
    combine = opt_prop_def(StringAttr)

    @property
    def nest(self) -> Nest:
        """The nest that its properties describe."""
        return nest_of(self.properties)

    def verify_(self) -> None:
        """A nest that makes the result of the operands; static tensors."""
        self.verify_static()
        shapes, types = [attr.shape_of(value) for value in self.inputs], [dtype_of(value) for value in self.inputs]
        if fault := self.nest.fault(shapes, types, self.shape, dtype_of(self.result)):
            raise VerifyException(f"has {fault}")


NestDialect = Dialect("nest", [GenericOp])
