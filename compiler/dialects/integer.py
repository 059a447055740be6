"""Dialect `integer`: products of integers, exactly, with sums of int32, as import functions make them."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from compiler.basis.limits import MAX_SIZE
from compiler.dialects import attributes as attr
from compiler.dialects.onnx import ConstantOp, Integer, Integers
from compiler.dialects.onnx_op import SingleOp
from compiler.dialects.types import dtype_of
from emu.isa.dtypes import DType

FACTORS = frozenset({DType.i8, DType.u8, DType.i16})  # element types of inputs and weights
SUM = DType.i32


class _ProductOp(SingleOp):
    """Integers times constant integers, whose zero point is subtracted already."""

    def _verify_types(self) -> None:
        """Raise VerifyException unless x, w and b are of such types, and w and b constant."""
        self.verify_static()
        x, w, *b = self.operands
        kinds = [dtype_of(value) for value in (x, w)]
        if not FACTORS.issuperset(kinds) or any(dtype_of(value) != SUM for value in (*b, self.result)):
            raise VerifyException("multiplies int8, uint8 or int16 to int32, to which it adds int32")
        if not all(isinstance(value.owner, ConstantOp) for value in (w, *b)):
            raise VerifyException("has weights or a bias that are no onnx.Constant")


@irdl_op_definition
class ConvOp(_ProductOp):
    """onnx.Conv of integers; what is outside of the image is `fill`, the zero point of x."""

    name = "integer.conv"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    b = opt_operand_def(TensorType)
    kernel_shape = prop_def(Integers)
    strides = prop_def(Integers)
    dilations = prop_def(Integers)
    pads = prop_def(Integers)
    group = prop_def(Integer)
    fill = prop_def(Integer)

    def verify_(self) -> None:
        """Windows of weights [M,C/group,...,kH,kW] over x [N,C,...,H,W]; b [M]."""
        self._verify_types()
        x, w, group = attr.shape_of(self.x), attr.shape_of(self.w), self.group.value.data
        kernel, rank = w[2:], len(w) - 2
        numbers = [attr.values(part) for part in (self.kernel_shape, self.strides, self.dilations)]
        pads, steps = attr.values(self.pads), (*numbers[1], *numbers[2])
        if len(x) != rank + 2 or rank < 1 or [len(part) for part in numbers] != [rank] * 3 or len(pads) != 2 * rank:
            raise VerifyException("needs one number per dimension of the image in kernel_shape, strides, dilations")
        if numbers[0] != kernel or min((*steps, *kernel)) < 1 or min(pads) < 0 or max((*steps, *pads)) > MAX_SIZE:
            raise VerifyException("has kernel_shape, strides, dilations or pads that are out of range")
        if group < 1 or w[0] % group or w[1] * group != x[1]:
            raise VerifyException(f"has weights {list(w)} and group {group}, which do not fit an input {list(x)}")
        if self.b is not None and attr.shape_of(self.b) != w[:1]:
            raise VerifyException(f"has a bias {list(attr.shape_of(self.b))} for {w[0]} filters")
        least, largest = (-128, 127) if dtype_of(self.x) == DType.i8 else (0, 255)
        if not least <= self.fill.value.data <= largest or (self.fill.value.data and dtype_of(self.x) == DType.i16):
            raise VerifyException(f"has fill {self.fill.value.data}, which is no {dtype_of(self.x).name}")
        spans = [(size - 1) * step + 1 for size, step in zip(kernel, numbers[2], strict=True)]
        sizes = zip(x[2:], pads, pads[rank:], spans, numbers[1], strict=False)
        made = [(size + low + high - span) // stride + 1 for size, low, high, span, stride in sizes]
        if self.shape != (x[0], w[0], *made):
            raise VerifyException(f"makes [{x[0]}, {w[0]}, {str(made)[1:-1]}], not {list(self.shape)}")


@irdl_op_definition
class MatMulOp(_ProductOp):
    """x [...,M,K] times w [K,N] or [...,K,N]; b [N], of a single matrix, is added to every row."""

    name = "integer.matmul"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    b = opt_operand_def(TensorType)

    def verify_(self) -> None:
        """Matrices that fit."""
        self._verify_types()
        x, w, made = attr.shape_of(self.x), attr.shape_of(self.w), self.shape
        fits = len(x) >= 2 and len(w) >= 2 and x[-1] == w[-2] and made[-2:] == (x[-2], w[-1])
        if not fits or len(made) != max(len(x), len(w)) or (len(w) == 2 and made[:-1] != x[:-1]):
            raise VerifyException(f"makes {list(made)} of {list(x)} and {list(w)}, which do not fit")
        if self.b is not None and (len(w) != 2 or prod(attr.shape_of(self.b)) != w[-1]):
            raise VerifyException(f"has a bias {list(attr.shape_of(self.b))} for {list(w)}")


IntegerDialect = Dialect("integer", [ConvOp, MatMulOp])
