"""Dialect `onnx`: the operators that the compiler lowers, normalised by the importer.

Types are static tensors of the machine's element types. Attributes that ONNX moved between attribute and input, or
gave a default, are always properties here and always present; shapes that follow from the result type are not
repeated. The weights of an operator are SSA values of `onnx.Constant`, which holds a key into the weight store, never
the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.activations import ACTIVATIONS, Activation
from compiler.dialects.names import POOLED
from compiler.dialects.onnx_op import BinaryOp, ElementwiseOp, MovingOp, OnnxOp, SingleOp, UnaryOp
from compiler.dialects.recurrent import RecurrentOp
from emu.isa.dtypes import NUMBERS, DType

Integers: TypeAlias = DenseArrayBase[IntegerType]
Integer: TypeAlias = IntegerAttr[IntegerType]


@irdl_op_definition
class ConstantOp(MovingOp, SingleOp):
    """Weights: `key` names the array in the weight store; `node` and `tensor` are the initialiser's name."""

    name = "onnx.Constant"
    key = prop_def(StringAttr)


@irdl_op_definition
class ConvOp(SingleOp):
    """y = conv(x[N,C,...,H,W], w[M,C/group,...,kH,kW]) + b[M]; pads stand before every dimension, then after."""

    name = "onnx.Conv"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    b = opt_operand_def(TensorType)
    kernel_shape = prop_def(Integers)
    strides = prop_def(Integers)
    dilations = prop_def(Integers)
    pads = prop_def(Integers)
    group = prop_def(Integer)


@irdl_op_definition
class ConvTransposeOp(SingleOp):
    """The transpose of a Conv as a linear function: x[N,C,...,H,W] and w[C,M/group,...,kH,kW], + b[M].

    Pixel p of x adds w, dilated, to the result from pixel p * strides - pads on; `output_padding` enlarges that.
    """

    name = "onnx.ConvTranspose"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    b = opt_operand_def(TensorType)
    kernel_shape = prop_def(Integers)
    strides = prop_def(Integers)
    dilations = prop_def(Integers)
    pads = prop_def(Integers)
    output_padding = prop_def(Integers)
    group = prop_def(Integer)


@irdl_op_definition
class GemmOp(SingleOp):
    """y = alpha x' w' + beta b; after `normalize-gemm` no attribute is left: x[1,K], w[K,N], b[N]."""

    name = "onnx.Gemm"
    x = operand_def(TensorType)
    w = operand_def(TensorType)
    b = opt_operand_def(TensorType)
    alpha = opt_prop_def(FloatAttr)
    beta = opt_prop_def(FloatAttr)
    transA = opt_prop_def(Integer)
    transB = opt_prop_def(Integer)


@irdl_op_definition
class MatMulOp(SingleOp):
    """y = x w; after `normalize-gemm` w[..,K,N] is constant."""

    name = "onnx.MatMul"
    x = operand_def(TensorType)
    w = operand_def(TensorType)


def _function_op(row: Activation) -> type[ElementwiseOp]:
    """The operation of an activation without parameters: its operand and its result have one shape."""
    fields = {"__doc__": row.text, "__module__": __name__, "name": f"onnx.{row.onnx}"}
    return irdl_op_definition(type(f"{row.onnx}Op", (ElementwiseOp,), fields))


@irdl_op_definition
class ClipOp(ElementwiseOp):
    """min(max(x, min), max); an absent bound does not bind."""

    name = "onnx.Clip"
    min = opt_prop_def(FloatAttr)
    max = opt_prop_def(FloatAttr)


@irdl_op_definition
class LeakyReluOp(ElementwiseOp):
    """x where x >= 0, alpha x elsewhere."""

    name = "onnx.LeakyRelu"
    alpha = prop_def(FloatAttr)


FUNCTION_OPS: Mapping[str, type[ElementwiseOp]] = {
    name: _function_op(row) for name, row in ACTIVATIONS.items() if not row.parameters
}
ACTIVATION_OPS: Mapping[str, type[ElementwiseOp]] = {**FUNCTION_OPS, "clip": ClipOp, "leaky_relu": LeakyReluOp}


@irdl_op_definition
class MaxPoolOp(UnaryOp):
    """Maximum over windows; the importer extends the end pads in ceil mode, so output size is the floor formula."""

    name = "onnx.MaxPool"
    ELEMENTS: ClassVar[frozenset[DType]] = POOLED
    kernel_shape = prop_def(Integers)
    strides = prop_def(Integers)
    dilations = prop_def(Integers)
    pads = prop_def(Integers)


@irdl_op_definition
class AveragePoolOp(UnaryOp):
    """Mean over windows; `count_include_pad` 0 divides by the elements inside of the image, 1 of the padded one.

    With `ceil_mode` 1 the last windows may end beyond that; else pads are as those of MaxPool.
    """

    name = "onnx.AveragePool"
    kernel_shape = prop_def(Integers)
    strides = prop_def(Integers)
    dilations = prop_def(Integers)
    pads = prop_def(Integers)
    count_include_pad = prop_def(Integer)
    ceil_mode = opt_prop_def(Integer)


@irdl_op_definition
class GlobalAveragePoolOp(UnaryOp):
    """[N,C,...,H,W] -> [N,C,...,1,1]: the mean over all pixels of a sample."""

    name = "onnx.GlobalAveragePool"


@irdl_op_definition
class GlobalMaxPoolOp(UnaryOp):
    """[N,C,...,H,W] -> [N,C,...,1,1]: the maximum of all pixels of a sample."""

    name = "onnx.GlobalMaxPool"


@irdl_op_definition
class ReduceMeanOp(UnaryOp):
    """Mean over `axes` (non-negative, ascending); `keepdims` 1 leaves them with size 1."""

    name = "onnx.ReduceMean"
    axes = prop_def(Integers)
    keepdims = prop_def(Integer)


@irdl_op_definition
class AddOp(BinaryOp):
    """a + b."""

    name = "onnx.Add"


@irdl_op_definition
class SubOp(BinaryOp):
    """a - b."""

    name = "onnx.Sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """a * b."""

    name = "onnx.Mul"


@irdl_op_definition
class DivOp(BinaryOp):
    """a / b."""

    name = "onnx.Div"


@irdl_op_definition
class ConcatOp(MovingOp, SingleOp):
    """Joins tensors along `axis` (non-negative)."""

    name = "onnx.Concat"
    inputs = var_operand_def(TensorType)
    axis = prop_def(Integer)


@irdl_op_definition
class SplitOp(MovingOp):
    """Cuts a tensor along `axis` (non-negative) into parts of the sizes `split`, which the `tensors` are called."""

    name = "onnx.Split"
    x = operand_def(TensorType)
    axis = prop_def(Integer)
    split = prop_def(Integers)
    tensors = prop_def(ArrayAttr[StringAttr])
    parts = var_result_def(TensorType)

    def verify_(self) -> None:
        """One size and one name for each part."""
        super().verify_()
        if not len(self.parts) == len(self.tensors) == len(self.split.get_values()):
            raise VerifyException("must have one size and one name for each result")


@irdl_op_definition
class PadOp(MovingOp, UnaryOp):
    """The number `value` around a tensor; `pads` before each axis, then after each, cut off where they are negative."""

    name = "onnx.Pad"
    pads = prop_def(Integers)
    value = prop_def(Attribute)

    def verify_(self) -> None:
        """A number that fills, and pads that make the shape of the result."""
        super().verify_()
        shape, made, pads = attr.shape_of(self.x), self.shape, attr.values(self.pads)
        if not isinstance(self.value, FloatAttr | IntegerAttr):
            raise VerifyException("must have a number as its value")
        ends = [sum(part) for part in zip(shape, pads[: len(shape)], pads[len(shape) :], strict=False)]
        if len(pads) != 2 * len(shape) or ends != list(made):
            raise VerifyException(f"has pads {list(pads)}, which do not make {list(made)} of {list(shape)}")


@irdl_op_definition
class FlattenOp(MovingOp, UnaryOp):
    """Row-major reshape to rank 2, split before `axis` (0..rank)."""

    name = "onnx.Flatten"
    axis = prop_def(Integer)


@irdl_op_definition
class ReshapeOp(MovingOp, UnaryOp):
    """Row-major reshape to the result type."""

    name = "onnx.Reshape"


@irdl_op_definition
class SqueezeOp(MovingOp, UnaryOp):
    """Drops the `axes` of size 1 (non-negative, ascending)."""

    name = "onnx.Squeeze"
    axes = prop_def(Integers)


@irdl_op_definition
class UnsqueezeOp(MovingOp, UnaryOp):
    """Inserts `axes` of size 1 (positions in the result, non-negative, ascending)."""

    name = "onnx.Unsqueeze"
    axes = prop_def(Integers)


@irdl_op_definition
class TransposeOp(MovingOp, UnaryOp):
    """Result axis i is operand axis perm[i]."""

    name = "onnx.Transpose"
    perm = prop_def(Integers)


@irdl_op_definition
class SoftmaxOp(ElementwiseOp):
    """exp(x) / sum(exp(x)) along the single `axis` (non-negative)."""

    name = "onnx.Softmax"
    axis = prop_def(Integer)


@irdl_op_definition
class CumSumOp(ElementwiseOp):
    """Along `axis` (non-negative) the sums up to each element; without it if `exclusive`, from the end if `reverse`."""

    ELEMENTS: ClassVar[frozenset[DType]] = NUMBERS
    name = "onnx.CumSum"
    axis = prop_def(Integer)
    exclusive = prop_def(Integer)
    reverse = prop_def(Integer)


@irdl_op_definition
class LRNOp(ElementwiseOp):
    """x / (bias + alpha / size * sum of x^2 over `size` channels around)^beta."""

    name = "onnx.LRN"
    size = prop_def(Integer)
    alpha = prop_def(FloatAttr)
    beta = prop_def(FloatAttr)
    bias = prop_def(FloatAttr)


@irdl_op_definition
class BatchNormalizationOp(SingleOp):
    """(x - mean) / sqrt(var + epsilon) * scale + b per channel (axis 1); inference only."""

    name = "onnx.BatchNormalization"
    x = operand_def(TensorType)
    scale = operand_def(TensorType)
    b = operand_def(TensorType)
    mean = operand_def(TensorType)
    var = operand_def(TensorType)
    epsilon = prop_def(FloatAttr)


@irdl_op_definition
class DropoutOp(MovingOp, ElementwiseOp):
    """The identity: inference only."""

    name = "onnx.Dropout"


@irdl_op_definition
class IdentityOp(MovingOp, ElementwiseOp):
    """The identity."""

    name = "onnx.Identity"


OPS: tuple[type[OnnxOp], ...] = (
    ConstantOp, ConvOp, ConvTransposeOp, GemmOp, MatMulOp, MaxPoolOp, AveragePoolOp,
    GlobalAveragePoolOp, GlobalMaxPoolOp, ReduceMeanOp, AddOp, SubOp, MulOp, DivOp, ConcatOp, SplitOp, PadOp, FlattenOp,
    ReshapeOp, SqueezeOp, UnsqueezeOp, TransposeOp, SoftmaxOp, CumSumOp, LRNOp, BatchNormalizationOp, DropoutOp,
    IdentityOp, RecurrentOp, *ACTIVATION_OPS.values(),
)  # fmt: skip

Onnx = Dialect("onnx", [*OPS], [])
