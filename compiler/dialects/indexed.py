"""Dialect `indexed`: what depends on data for its addresses, on tensors [outer][entries][inner].

Each operation is one instruction per line, or per entry, with a bound: an index outside of it traps with its node and
value. Negative indices count from the end. `gather` may be cut along the inner dimension, the others run on one core.
A `Gather` by constant indices that are a few arithmetic progressions is as many moves instead.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, StringAttr, TensorType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.onnx_op import OnnxOp, SingleOp
from compiler.dialects.types import dtype_of
from compiler.dialects.verifying import verify_name
from emu.isa.dtypes import NUMBERS, PLACES
from emu.isa.instruction import COMBINE

Flag = IntegerAttr[IntegerType]
PUTS = ("assign", *COMBINE)  # how `indexed.put` puts a value to what is there


@irdl_op_definition
class GatherOp(SingleOp):
    """result[o, i, :] = x[o, indices[i], :] of x [outer, entries, inner].

    `indices` are [n], or one per element of the result, [outer, n, inner]. Negative ones count from the end.
    """

    name = "indexed.gather"
    x = operand_def(TensorType)
    indices = operand_def(TensorType)

    def verify_(self) -> None:
        """Three dimensions; indices as many as the result has places."""
        self.verify_static()
        (outer, _, inner), indices = _three(self.x), attr.shape_of(self.indices)
        count = indices[1] if len(indices) == 3 else (indices or (0,))[0]
        fits = indices in ((count,), (outer, count, inner)) and self.shape == (outer, count, inner)
        if not fits or dtype_of(self.indices) not in PLACES or dtype_of(self.x) != dtype_of(self.result):
            raise VerifyException(f"takes indices of i32 or i64 from {self.x.type} to a result like it, not so")


@irdl_op_definition
class PutOp(SingleOp):
    """x [outer, entries, inner] in which updates replace what indices name, or are combined with it, in their order.

    `indices` are [n], for rows [n, inner] of updates with outer = 1, or one per element of updates [outer, n, inner].
    """

    name = "indexed.put"
    x = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    combine = prop_def(StringAttr)

    def verify_(self) -> None:
        """Three dimensions; indices as many as there are updates."""
        self.verify_static()
        verify_name("combine", self.combine, PUTS)
        (outer, _, inner), (_, count, _) = _three(self.x), _three(self.updates)
        fits = attr.shape_of(self.updates) == (outer, count, inner) and self.x.type == self.result.type
        if not fits or attr.shape_of(self.indices) not in ((count,), (outer, count, inner)):
            raise VerifyException(f"puts {self.updates.type} at {self.indices.type} of {self.x.type}: they do not fit")
        if dtype_of(self.indices) not in PLACES or dtype_of(self.x) != dtype_of(self.updates):
            raise VerifyException("takes indices of i32 or i64, and updates of the type of x")


@irdl_op_definition
class ArgOp(SingleOp):
    """The index, along the entries of x [outer, entries, inner], of the largest or smallest element: [outer, inner].

    `kind` is "max" or "min"; of equal ones the first, with `last` 1 the last.
    """

    name = "indexed.arg"
    x = operand_def(TensorType)
    kind = prop_def(StringAttr)
    last = prop_def(Flag)

    def verify_(self) -> None:
        """An index for every line of entries."""
        self.verify_static()
        verify_name("kind", self.kind, ("max", "min"))
        outer, entries, inner = _three(self.x)
        types = dtype_of(self.x) in NUMBERS and dtype_of(self.result) in PLACES
        if self.shape != (outer, inner) or not entries or not types:
            raise VerifyException(
                f"gives one index, i32 or i64, for each line of {self.x.type}, not {self.result.type}"
            )


@irdl_op_definition
class TopKOp(OnnxOp):
    """The k largest or smallest entries of x [outer, entries, inner], sorted, and their indices: [outer, k, inner]."""

    name = "indexed.topk"
    x = operand_def(TensorType)
    largest = prop_def(Flag)
    tensors = prop_def(ArrayAttr[StringAttr])
    parts = var_result_def(TensorType)

    def verify_(self) -> None:
        """Values and indices, no more of them than there are."""
        self.verify_static()
        outer, entries, inner = _three(self.x)
        shapes = [attr.shape_of(part) for part in self.parts]
        if len(shapes) != 2 or shapes[0] != shapes[1] or len(shapes[0]) != 3 or len(self.tensors) != 2:
            raise VerifyException("gives two tensors of one shape: values and indices")
        types = dtype_of(self.parts[0]) == dtype_of(self.x) and dtype_of(self.parts[1]) in PLACES
        if shapes[0] != (outer, shapes[0][1], inner) or shapes[0][1] > entries or not types:
            raise VerifyException(
                f"gives up to {entries} values and indices, i32 or i64, of each line of {self.x.type}"
            )


def _three(value: SSAValue) -> tuple[int, int, int]:
    shape = attr.shape_of(value)
    if len(shape) != 3:
        raise VerifyException(f"works on tensors of three dimensions, not {list(shape)}")
    return shape[0], shape[1], shape[2]


IndexedDialect = Dialect("indexed", [GatherOp, PutOp, ArgOp, TopKOp])
